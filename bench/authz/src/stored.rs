//! Snapshots as the server keeps them: how long a cold one takes to load from SQLite, and what a change of
//! one principal's rights costs the 10,000 others.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bothy_authz::{Authz, Operators, Parts, PrincipalFact, PrincipalFacts, Touched, TreeFacts};
use bothy_domain::actor::PrincipalStatus;
use bothy_domain::ids::{ChannelId, GrantId, GroupId, PrincipalId};
use bothy_domain::policy::{GrantTarget, Path as TargetPath};
use bothy_domain::problem::Problem;
use bothy_platform::audit::AuditLog;
use bothy_platform::clock::{SharedClock, SystemClock};
use bothy_platform::config::{Config, Secret, Server};
use bothy_platform::entropy::{IdSource, SeededEntropy, SharedEntropy};
use bothy_platform::events::EventLog;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::instance::Instance;
use bothy_platform::keys::InstanceSecret;
use bothy_storage::{Database, DatabaseUrl, OpenOptions, Reader, UnitOfWork, params, work};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::Failure;
use crate::report::Report;
use crate::rules::kind;
use crate::world::{Grant, Subject, Target, World};

/// How many changes are made, and how many cold snapshots are loaded.
const ROUNDS: usize = 200;

bothy_storage::statements! {
    INSERT_PRINCIPAL = "INSERT INTO principals
        (id, kind, handle, handle_skeleton, display_name, status, requires_binding, created_at)
        VALUES ($1, $2, $3, $3, $3, 'active', FALSE, 1)";
    INSERT_GROUP = "INSERT INTO groups (id, name, name_key, created_at, version) VALUES ($1, $2, $2, 1, 1)";
    INSERT_MEMBER = "INSERT INTO group_members (group_id, principal_id, added_at) VALUES ($1, $2, 1)";
    INSERT_GRANT = "INSERT INTO grants
        (id, principal_id, group_id, target_kind, space_id, channel_id, level, capabilities, created_by, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 1)";
    PRINCIPAL_FACTS = "SELECT p.id, (o.principal_id IS NOT NULL) AS owner
        FROM principals p LEFT JOIN owners o ON o.principal_id = p.id WHERE p.id IN (ID_LIST($1))";
    GROUPS_OF_PRINCIPALS = "SELECT principal_id, group_id FROM group_members WHERE principal_id IN (ID_LIST($1))";
    DIRECTS_OF = "SELECT channel_id FROM dm_participants WHERE principal_id = $1 ORDER BY channel_id";
}

/// Who is who, read from the database as identity and chat do, and counted.
#[derive(Default)]
struct Facts {
    people: std::collections::HashMap<PrincipalId, usize>,
    loads: AtomicUsize,
}

impl Facts {
    async fn read(&self, reader: &Reader, ids: &[PrincipalId]) -> Result<Vec<PrincipalFact>, Problem> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let ids = params![ids];
        let (principals, members) =
            futures::try_join!(reader.all(&PRINCIPAL_FACTS, ids), reader.all(&GROUPS_OF_PRINCIPALS, ids))
                .or_problem()?;
        let mut facts = Vec::new();
        for row in &principals {
            let id: PrincipalId = row.get("id").or_problem()?;
            let mut groups: Vec<GroupId> = Vec::new();
            for member in &members {
                if member.get::<PrincipalId>("principal_id").or_problem()? == id {
                    groups.push(member.get("group_id").or_problem()?);
                }
            }
            let kind = kind(self.people.get(&id).copied().unwrap_or_default());
            let owner = row.get("owner").or_problem()?;
            facts.push(PrincipalFact { id, kind, status: PrincipalStatus::Active, owner, groups });
        }
        Ok(facts)
    }
}

impl PrincipalFacts for Facts {
    fn facts<'a>(
        &'a self,
        reader: &'a Reader,
        ids: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalFact>, Problem>> {
        Box::pin(self.read(reader, ids))
    }

    fn members<'a>(&'a self, _: &'a Reader, _: GroupId) -> BoxFuture<'a, Result<Option<Vec<PrincipalId>>, Problem>> {
        Box::pin(async { Ok(None) })
    }

    fn owners<'a>(&'a self, _: &'a Reader) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

impl TreeFacts for Facts {
    fn directs_of<'a>(
        &'a self,
        reader: &'a Reader,
        principal: PrincipalId,
    ) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>> {
        Box::pin(async move {
            let rows = reader.all(&DIRECTS_OF, params![principal]).await.or_problem()?;
            rows.iter().map(|row| row.get("channel_id")).collect::<Result<_, _>>().or_problem()
        })
    }

    fn path_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Option<TargetPath>, Problem>> {
        Box::pin(async { Ok(None) })
    }

    fn operators_of<'a>(&'a self, _: &'a Reader, _: GrantTarget) -> BoxFuture<'a, Result<Operators, Problem>> {
        Box::pin(async { Ok(Operators::default()) })
    }
}

struct Stored {
    database: Database,
    authz: Arc<Authz>,
    facts: Arc<Facts>,
    ids: IdSource,
}

impl Stored {
    async fn open(world: &World, folder: &Path) -> Result<Self, Failure> {
        let database = Database::open(&OpenOptions::new(DatabaseUrl::sqlite(folder))).await?;
        let clock: SharedClock = Arc::new(SystemClock);
        let entropy: SharedEntropy = Arc::new(SeededEntropy::new(1));
        let ids = IdSource::new(Arc::clone(&clock), Arc::clone(&entropy));
        let server = Server { secret: Some(Secret::new("a secret of a bench, long enough")), ..Server::default() };
        let secret = InstanceSecret::load_or_create(&server, &*entropy)?;
        Instance::open(&database, Arc::clone(&clock), entropy, &ids, &secret).await?;
        let events = EventLog::open(database.clone(), Arc::clone(&clock)).await?;
        let mut config = Config::default();
        config.authz = serde_json::from_value(json!({ "snapshot_cache_max_entries": 20_000 }))?;
        let authz = Arc::new(Authz::new(Parts {
            database: database.clone(),
            audit: AuditLog::new(Arc::clone(&clock), ids.clone()),
            events,
            clock,
            ids: ids.clone(),
            config: Arc::new(config),
        }));
        let people = world.principals.iter().enumerate().map(|(number, id)| (*id, number)).collect();
        let facts = Arc::new(Facts { people, loads: AtomicUsize::new(0) });
        let principals: Arc<dyn PrincipalFacts> = Arc::clone(&facts) as _;
        let tree: Arc<dyn TreeFacts> = Arc::clone(&facts) as _;
        authz.set_principal_facts(&principals);
        authz.set_tree_facts(&tree);
        let stored = Self { database, authz, facts, ids };
        stored.fill(world).await?;
        Ok(stored)
    }

    async fn fill(&self, world: &World) -> Result<(), Failure> {
        let unit = self.database.begin().await?;
        for (number, id) in world.principals.iter().enumerate() {
            unit.execute(&INSERT_PRINCIPAL, params![id, kind(number).as_str(), format!("p{number}")]).await?;
        }
        for (number, id) in world.groups.iter().enumerate() {
            unit.execute(&INSERT_GROUP, params![id, format!("g{number}")]).await?;
        }
        for (number, groups) in world.groups_of.iter().enumerate() {
            for group in groups {
                unit.execute(&INSERT_MEMBER, params![world.groups[*group], world.principals[number]]).await?;
            }
        }
        for grant in &world.grants {
            self.insert(&unit, world, grant).await?;
        }
        unit.commit().await?;
        Ok(())
    }

    async fn insert(&self, unit: &UnitOfWork, world: &World, grant: &Grant) -> Result<(), bothy_storage::StorageError> {
        let id: GrantId = self.ids.next();
        let (principal, group) = match grant.subject {
            Subject::Principal(principal) => (Some(world.principals[principal]), None),
            Subject::Group(group) => (None, Some(world.groups[group])),
        };
        let (kind, space, channel) = match grant.target {
            Target::Space(space) => ("space", world.spaces[space], None),
            Target::Channel(channel) => {
                ("channel", world.spaces[world.space_of[channel]], Some(world.channels[channel]))
            }
        };
        let level = grant.level.as_str();
        let by = world.principals[0];
        unit.execute(&INSERT_GRANT, params![id, principal, group, kind, space, channel, level, by]).await.map(drop)
    }

    /// Asks for the rights of principals, one after the other: the median in nanoseconds, and how many
    /// snapshots had to be loaded.
    async fn ask(&self, reader: &Reader, principals: &[PrincipalId]) -> Result<(f64, usize), Problem> {
        let before = self.facts.loads.load(Ordering::Relaxed);
        let mut times = Vec::with_capacity(principals.len());
        for principal in principals {
            let started = Instant::now();
            std::hint::black_box(self.authz.snapshot(reader, *principal, false).await?);
            times.push(started.elapsed().as_secs_f64() * 1e9);
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        Ok((median, self.facts.loads.load(Ordering::Relaxed) - before))
    }

    /// Gives one more grant, as the use case does. Nanoseconds.
    async fn give(&self, world: &World, principal: usize, channel: usize) -> Result<f64, Problem> {
        let started = Instant::now();
        let level = bothy_domain::policy::Level::Write;
        let grant = &Grant { subject: Subject::Principal(principal), target: Target::Channel(channel), level };
        transact(&self.database, |unit| {
            work(async move {
                self.authz.hold(unit).await?;
                self.insert(unit, world, grant).await?;
                self.authz.changed(unit, Touched::Principals(vec![world.principals[principal]])).await?;
                Ok(())
            })
        })
        .await?;
        Ok(started.elapsed().as_secs_f64() * 1e9)
    }
}

pub(crate) async fn measure(world: &World, folder: &Path, report: &mut Report) -> Result<Value, Failure> {
    let stored = Stored::open(world, folder).await?;
    let reader = stored.database.reader().await?;
    let everybody = &world.principals[..World::people()];
    let (cold, loads) = stored.ask(&reader, everybody).await?;
    if loads != everybody.len() {
        return Err(format!("{loads} snapshots were loaded for {} principals", everybody.len()).into());
    }
    report.add("Bothy", "cold: a snapshot from SQLite", cold);
    let (warm, loads) = stored.ask(&reader, everybody).await?;
    report.add("Bothy", "warm: rights version and snapshot", warm);
    let mut given = Vec::new();
    let mut others_loads = loads;
    let mut own_loads = 0;
    let mut after = Vec::new();
    for round in 0..ROUNDS {
        given.push(stored.give(world, 0, round).await?);
        // The first who comes after a change brings the cache forward; the rest find it there.
        let others = &everybody[1..];
        let some: Vec<_> = (0..others.len() / ROUNDS).map(|step| others[step * ROUNDS + round]).collect();
        let (ns, loads) = stored.ask(&reader, &some).await?;
        after.push(ns);
        others_loads += loads;
        own_loads += stored.ask(&reader, &everybody[..1]).await?.1;
    }
    let (all, loads) = stored.ask(&reader, &everybody[1..]).await?;
    others_loads += loads;
    for times in [&mut given, &mut after] {
        times.sort_by(f64::total_cmp);
    }
    report.add("Bothy", "a grant given to one of 10,000", given[ROUNDS / 2]);
    report.add("Bothy", "warm, right after it: the others", after[ROUNDS / 2]);
    report.add("Bothy", "warm, all 9,999 others once more", all);
    println!("{ROUNDS} changes for one principal: {own_loads} loads of its snapshot, {others_loads} of others");
    if others_loads != 0 || own_loads != ROUNDS {
        return Err("a change must reload the snapshot of whom it touches, and no other".into());
    }
    Ok(json!({ "changes": ROUNDS, "loads_of_whom_it_touches": own_loads, "loads_of_others": others_loads }))
}
