//! Groups and grants, through the real HTTP chain.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect has failed"
)]

mod support;

use std::time::Duration;

use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Level, Path, Place};
use bothy_testkit::both_databases;
use http::Method;
use serde_json::{Value, json};
use support::{ALLGEMEIN, Member, SUPPORT, Server};

const CHANNEL: Path = Path::of(Place::Channel(SUPPORT, ALLGEMEIN));

fn on_channel() -> String {
    format!("/access/channel/{ALLGEMEIN}/grants")
}

fn to(id: PrincipalId, level: &str) -> Value {
    json!({ "principal_id": id, "level": level })
}

async fn level(server: &Server, id: PrincipalId) -> Level {
    let reader = server.database.reader().await.unwrap();
    let snapshot = server.authz.snapshot(&reader, id, false).await.unwrap();
    snapshot.rights_on(&CHANNEL, bothy_platform::clock::Clock::now(&server.clock)).level
}

async fn group(server: &Server, owner: &Member, name: &str) -> String {
    server.post(&owner.token, "/groups", json!({ "name": name })).await.expect(201).text("group_id").to_owned()
}

both_databases! {
    async fn a_grant_counts_until_it_is_taken_back(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let grant = json!({ "principal_id": sam.id, "level": "write", "capabilities": ["upload"] });
        let made = server.post(&robin.token, &on_channel(), grant).await.expect(201);
        assert_eq!((made.text("target_kind"), made.text("level")), ("channel", "write"));
        assert_eq!((&made.body["space_id"], &made.body["channel_id"]), (&json!(SUPPORT), &json!(ALLGEMEIN)));
        for node in [&server, &second] {
            assert_eq!(level(node, sam.id).await, Level::Write);
        }
        let listed = server.get(&robin.token, &on_channel()).await.expect(200);
        assert_eq!(listed.items(), std::slice::from_ref(&made.body));
        assert!(server.get(&robin.token, &format!("/access/space/{SUPPORT}/grants")).await.expect(200).items().is_empty());
        let path = format!("/grants/{}", made.text("grant_id"));
        assert_eq!(server.act(&sam.token, Method::DELETE, &path).await.expect(403).problem().1, "capability_missing");
        server.act(&robin.token, Method::DELETE, &path).await.expect(204);
        for node in [&server, &second] {
            assert_eq!(level(node, sam.id).await, Level::None);
        }
        server.act(&robin.token, Method::DELETE, &path).await.expect(404);
        assert!(server.get(&robin.token, &on_channel()).await.expect(200).items().is_empty());
    }

    async fn a_grant_is_for_somebody_who_is_there_and_of_something(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let group = group(&server, &robin, "Team").await;
        let past = "2026-01-01T00:00:00Z";
        let cases = [
            (json!({ "principal_id": ALLGEMEIN, "level": "read" }), "/principal_id"),
            (json!({ "principal_id": group, "level": "read" }), "/principal_id"),
            (json!({ "group_id": sam.id, "level": "read" }), "/group_id"),
            (json!({ "group_id": SUPPORT, "level": "read" }), "/group_id"),
            (json!({ "principal_id": sam.id, "level": "none" }), "/level"),
            (json!({ "principal_id": sam.id, "level": "none", "capabilities": [] }), "/level"),
            (json!({ "principal_id": sam.id, "level": "admin" }), "/level"),
            (json!({ "principal_id": sam.id, "level": "read", "expires_at": past }), "/expires_at"),
            (json!({ "principal_id": sam.id, "level": "read", "standing": true }), "/standing"),
            (json!({ "principal_id": sam.id, "group_id": group, "level": "read" }), ""),
            (json!({ "level": "read" }), ""),
        ];
        for (body, pointer) in cases {
            let refused = server.post(&robin.token, &on_channel(), body.clone()).await.expect(422);
            assert_eq!(refused.problem(), ("validation_failed", pointer), "{body}");
        }
        assert!(server.get(&robin.token, &on_channel()).await.expect(200).items().is_empty());
        let capability_alone = json!({ "principal_id": sam.id, "level": "none", "capabilities": ["manage"] });
        server.post(&robin.token, &on_channel(), capability_alone).await.expect(201);
        server.post(&robin.token, &format!("/access/thread/{ALLGEMEIN}/grants"), to(sam.id, "read")).await.expect(422);
        let short = json!({ "principal_id": sam.id, "level": "read", "expires_at": "2026-01-01T00:00:10Z" });
        server.post(&robin.token, &on_channel(), short).await.expect(201);
        assert_eq!(level(&server, sam.id).await, Level::Read);
        server.clock.advance(Duration::from_secs(10));
        assert_eq!(level(&server, sam.id).await, Level::None);
        assert_eq!(server.get(&robin.token, &on_channel()).await.expect(200).items().len(), 1);
    }

    async fn nobody_gives_more_than_they_hold(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let (sam, alex) = (server.member(&robin, "sam").await, server.member(&robin, "alex").await);
        let manager = json!({ "principal_id": sam.id, "level": "write", "capabilities": ["manage", "upload"] });
        server.post(&robin.token, &on_channel(), manager).await.expect(201);
        let give = |level: &str, capabilities: Value| {
            json!({ "principal_id": alex.id, "level": level, "capabilities": capabilities })
        };
        for (body, reason) in [
            (give("trigger", json!([])), "level_insufficient"),
            (give("read", json!(["moderate"])), "capability_missing"),
            (give("trigger", json!(["moderate"])), "capability_missing"),
        ] {
            let refused = server.post(&sam.token, &on_channel(), body).await.expect(403);
            assert_eq!(refused.problem(), ("forbidden", reason));
            assert_eq!(server.audited(1).await, [format!("person grant.create deny {reason}")]);
        }
        let made = server.post(&sam.token, &on_channel(), give("write", json!(["manage", "upload"]))).await.expect(201);
        // A manager of the channel has nothing to give on the space that it is in.
        let space = format!("/access/space/{SUPPORT}/grants");
        server.post(&sam.token, &space, to(alex.id, "read")).await.expect(403);
        // Alex may manage too, and takes back what Sam gave.
        server.act(&alex.token, Method::DELETE, &format!("/grants/{}", made.text("grant_id"))).await.expect(204);
        server.get(&alex.token, &on_channel()).await.expect(404);
        // Rights are given by people in a session.
        let token = server.post(&sam.token, "/me/tokens", json!({ "name": "script" })).await.expect(201);
        let refused = server.post(token.text("token"), &on_channel(), give("read", json!([]))).await.expect(403);
        assert_eq!(refused.problem().1, "session_required");
    }

    async fn a_target_that_is_hidden_answers_like_one_that_is_not_there(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let unknown = format!("/access/channel/{}/grants", sam.id);
        for body in [to(sam.id, "trigger"), json!({ "nonsense": 1 }), json!(7)] {
            let mut answers = Vec::new();
            for path in [on_channel(), unknown.clone()] {
                let mut answer = server.post(&sam.token, &path, body.clone()).await.expect(404);
                for member in ["correlation_id", "instance"] {
                    answer.body.as_object_mut().unwrap().remove(member);
                }
                answers.push(answer.body);
            }
            assert_eq!(answers[0], answers[1]);
        }
        assert_eq!(server.audited(2).await, ["person grant.create deny unknown_target", "person grant.create deny no_grant"]);
    }

    async fn rights_of_a_group_are_those_of_its_members_now(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let robin = server.setup().await;
        let (sam, alex) = (server.member(&robin, "sam").await, server.member(&robin, "alex").await);
        let team = group(&server, &robin, "Team").await;
        let member = |id: PrincipalId| format!("/groups/{team}/members/{id}");
        server.act(&robin.token, Method::PUT, &member(sam.id)).await.expect(204);
        server.act(&robin.token, Method::PUT, &member(sam.id)).await.expect(204);
        let wrong = server.act(&robin.token, Method::PUT, &format!("/groups/{team}/members/{ALLGEMEIN}")).await;
        assert_eq!(wrong.expect(422).problem().1, "/path/principal_id");
        let grant = json!({ "group_id": team, "level": "write" });
        server.post(&robin.token, &on_channel(), grant).await.expect(201);
        server.post(&robin.token, &on_channel(), to(sam.id, "read")).await.expect(201);
        server.act(&robin.token, Method::PUT, &member(alex.id)).await.expect(204);
        for node in [&server, &second] {
            assert_eq!((level(node, sam.id).await, level(node, alex.id).await), (Level::Write, Level::Write));
        }
        let members = server.get(&sam.token, &format!("/groups/{team}/members")).await.expect(200);
        assert_eq!(members.items().len(), 2);
        assert!(members.items()[0].get("email").is_none());
        server.act(&robin.token, Method::DELETE, &member(sam.id)).await.expect(204);
        for node in [&server, &second] {
            assert_eq!((level(node, sam.id).await, level(node, alex.id).await), (Level::Read, Level::Write));
        }
        assert_eq!(server.act(&sam.token, Method::DELETE, &member(alex.id)).await.expect(403).problem().1, "owner_required");
        server.act(&robin.token, Method::DELETE, &format!("/groups/{team}")).await.expect(204);
        for node in [&server, &second] {
            assert_eq!((level(node, sam.id).await, level(node, alex.id).await), (Level::Read, Level::None));
        }
        // Another group of the same name gets nothing of the old one's grants.
        let again = group(&server, &robin, "Team").await;
        assert_ne!(again, team);
        server.act(&robin.token, Method::PUT, &format!("/groups/{again}/members/{}", alex.id)).await.expect(204);
        assert_eq!(level(&server, alex.id).await, Level::None);
        server.get(&robin.token, &format!("/groups/{team}")).await.expect(404);
    }

    async fn groups_are_renamed_by_version_and_names_are_unlike(db: TestDb) {
        let server = Server::new(&db).await;
        let robin = server.setup().await;
        let team = group(&server, &robin, "Team").await;
        group(&server, &robin, "Other").await;
        for taken in ["Team", "TEAM", "\u{ff34}eam"] {
            server.post(&robin.token, "/groups", json!({ "name": taken })).await.expect(409);
        }
        assert_eq!(server.post(&robin.token, "/groups", json!({ "name": "a\u{200b}b" })).await.expect(422).problem().1, "/name");
        let path = format!("/groups/{team}");
        let read = server.get(&robin.token, &path).await.expect(200);
        let etag = read.headers["etag"].to_str().unwrap().to_owned();
        let bearer = format!("Bearer {}", robin.token);
        let rename = async |tag: Option<&str>, name: &str| {
            let mut headers = vec![("authorization", bearer.as_str())];
            headers.extend(tag.map(|tag| ("if-match", tag)));
            server.send(Method::PATCH, &path, &headers, Some(&json!({ "name": name }))).await
        };
        rename(None, "Crew").await.expect(409);
        rename(Some("\"v7\""), "Crew").await.expect(409);
        rename(Some(&etag), "other").await.expect(409);
        let renamed = rename(Some(&etag), "Crew").await.expect(200);
        assert_eq!(renamed.text("name"), "Crew");
        assert_ne!(renamed.headers["etag"].to_str().unwrap(), etag);
        rename(Some(&etag), "Crew again").await.expect(409);
        let page = server.get(&robin.token, "/groups?limit=1").await.expect(200);
        let next = server.get(&robin.token, &format!("/groups?limit=1&cursor={}", page.text("next_cursor"))).await.expect(200);
        assert_eq!((&page.items()[0]["name"], &next.items()[0]["name"]), (&json!("Crew"), &json!("Other")));
        assert!(next.body.get("next_cursor").is_none());
    }

    async fn a_grant_and_a_membership_at_once_leave_nobody_behind(db: TestDb) {
        let server = Server::new(&db).await;
        let second = server.second(&db).await;
        let robin = server.setup().await;
        let sam = server.member(&robin, "sam").await;
        let team = group(&server, &robin, "Team").await;
        let member = format!("/groups/{team}/members/{}", sam.id);
        for round in 0..15 {
            let grant = json!({ "group_id": team, "level": "write" });
            let path = on_channel();
            let (joined, granted) = futures::join!(
                server.act(&robin.token, Method::PUT, &member),
                second.post(&robin.token, &path, grant),
            );
            joined.expect(204);
            let granted = granted.expect(201);
            for node in [&server, &second] {
                assert_eq!(level(node, sam.id).await, Level::Write, "{round}");
            }
            let revoke = format!("/grants/{}", granted.text("grant_id"));
            let (revoked, left) = futures::join!(
                server.act(&robin.token, Method::DELETE, &revoke),
                second.act(&robin.token, Method::DELETE, &member),
            );
            revoked.expect(204);
            left.expect(204);
            for node in [&server, &second] {
                assert_eq!(level(node, sam.id).await, Level::None, "{round}");
            }
        }
    }
}
