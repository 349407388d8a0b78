//! What a change of rights tells, and to whom.

use std::sync::{Arc, Mutex};

use bothy_domain::actor::PrincipalKind;
use bothy_domain::event::{Audience, EventKind};
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::transact;
use bothy_storage::{UnitOfWork, work};
use bothy_testkit::both_databases;
use futures::future::BoxFuture;

use super::support::{ALLGEMEIN, World, principal};
use crate::{RightsChanged, Touched};

#[derive(Default)]
struct Hook {
    seen: Mutex<Vec<Touched>>,
    fails: bool,
}

impl RightsChanged for Hook {
    fn rights_changed<'a>(&'a self, _: &'a UnitOfWork, touched: &'a Touched) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            self.seen.lock().unwrap().push(touched.clone());
            if self.fails { Err(Problem::internal("cannot end runs")) } else { Ok(()) }
        })
    }
}

both_databases! {
    async fn those_touched_are_told_and_runs_learn_of_it_in_the_same_unit(db: TestDb) {
        let world = World::new(&db).await;
        let hook = Arc::new(Hook::default());
        let port: Arc<dyn RightsChanged> = Arc::clone(&hook) as _;
        world.authz.set_rights_changed(&port);
        let version = world.version().await;
        let people = Touched::Principals(vec![principal(1), principal(2)]);
        world.changed(people.clone()).await;
        world.changed(Touched::Channel(ALLGEMEIN)).await;
        world.changed(Touched::Principals(Vec::new())).await;
        assert_eq!(world.version().await, version + 3);
        assert_eq!(
            *hook.seen.lock().unwrap(),
            [people, Touched::Channel(ALLGEMEIN), Touched::Principals(Vec::new())]
        );
        if !db.is_postgres() {
            let scope = Scope::default();
            let filter = AudienceFilter { principal: principal(1), scope: &scope };
            let page = world.events.read_for(&world.reader().await, 0, 10, filter).await.unwrap();
            let told: Vec<_> = page.events.iter().map(|event| (event.event.kind, event.event.audience)).collect();
            assert_eq!(told, [(EventKind::RightsChanged, Audience::Principal(principal(1)))]);
        }
    }

    async fn when_runs_cannot_be_ended_nothing_changes(db: TestDb) {
        let world = World::new(&db).await;
        world.facts.set(principal(1), PrincipalKind::Person);
        let port: Arc<dyn RightsChanged> = Arc::new(Hook { fails: true, ..Hook::default() });
        world.authz.set_rights_changed(&port);
        let version = world.version().await;
        let result = transact(&world.database, |unit| {
            let world = &world;
            work(async move { Ok(world.authz.changed(unit, Touched::Principals(vec![principal(1)])).await?) })
        })
        .await;
        assert!(result.is_err());
        assert_eq!(world.version().await, version);
    }

    async fn changes_of_rights_wait_for_each_other(db: TestDb) {
        let world = Arc::new(World::new(&db).await);
        let version = world.version().await;
        let tasks: Vec<_> = (0..16)
            .map(|number| {
                let world = Arc::clone(&world);
                tokio::spawn(async move {
                    transact(&world.database, |unit| {
                        let world = &world;
                        work(async move {
                            world.authz.hold(unit).await?;
                            world.authz.changed(unit, Touched::Principals(vec![principal(number)])).await?;
                            Ok(())
                        })
                    })
                    .await
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(world.version().await, version + 16);
    }
}
