//! Casbin: one policy a grant, groups as roles. The enforcer goes through all policies for each question;
//! the cached one remembers whole answers until any policy changes.

use std::hint::black_box;

use bothy_domain::policy::Level;
use casbin::{CachedApi, CachedEnforcer, CoreApi, DefaultCache, DefaultModel, Enforcer, StringAdapter};

use crate::Failure;
use crate::report::{Report, median_ns};
use crate::rules::Rules;
use crate::world::{Question, Subject, Target, World};

const MODEL: &str = "
[request_definition]
r = sub, obj, space, level

[policy_definition]
p = sub, obj, level

[role_definition]
g = _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = (r.obj == p.obj || r.space == p.obj) && r.level <= p.level && g(r.sub, p.sub)
";

/// How many questions the enforcer is asked, each of which takes it very long.
const FEW: usize = 12;
/// How many the cached one is asked.
const MANY: usize = 200;

fn level(level: Level) -> &'static str {
    match level {
        Level::None => "0",
        Level::Read => "1",
        Level::Write => "2",
        Level::Trigger => "3",
    }
}

fn policies(world: &World) -> String {
    let mut text = String::new();
    for grant in &world.grants {
        let subject = match grant.subject {
            Subject::Principal(principal) => world.principals[principal].to_string(),
            Subject::Group(group) => world.groups[group].to_string(),
        };
        let target = match grant.target {
            Target::Space(space) => world.spaces[space].to_string(),
            Target::Channel(channel) => world.channels[channel].to_string(),
        };
        text.push_str(&format!("p, {subject}, {target}, {}\n", level(grant.level)));
    }
    for (principal, groups) in world.groups_of.iter().enumerate() {
        for group in groups {
            text.push_str(&format!("g, {}, {}\n", world.principals[principal], world.groups[*group]));
        }
    }
    text
}

/// What it takes to ask, for the caller and for the person.
fn asked(world: &World, question: &Question) -> Vec<[String; 4]> {
    std::iter::once(question.caller)
        .chain(question.person)
        .map(|principal| {
            [
                world.principals[principal].to_string(),
                world.channels[question.channel].to_string(),
                world.spaces[world.space_of[question.channel]].to_string(),
                level(question.level).to_owned(),
            ]
        })
        .collect()
}

fn allows(enforcer: &impl CoreApi, asked: &[[String; 4]]) -> Result<bool, Failure> {
    for [sub, obj, space, level] in asked {
        if !enforcer.enforce((sub, obj, space, level))? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) async fn measure(world: &World, rules: &Rules, report: &mut Report) -> Result<(), Failure> {
    let text = policies(world);
    let enforcer = Enforcer::new(DefaultModel::from_str(MODEL).await?, StringAdapter::new(&text)).await?;
    let mut cached = CachedEnforcer::new(DefaultModel::from_str(MODEL).await?, StringAdapter::new(&text)).await?;
    cached.set_cache(Box::new(DefaultCache::new(100_000)));
    for (questions, plain, from_cache) in [
        (&world.alone, "alone", "alone, the very same question again (cached)"),
        (&world.bound, "bound", "bound, the very same question again (cached)"),
    ] {
        let few: Vec<_> = questions.iter().take(FEW).map(|question| asked(world, question)).collect();
        for (question, asked) in questions.iter().zip(&few) {
            let (ours, theirs) = (rules.allows(world, question), allows(&enforcer, asked)?);
            if ours != theirs {
                return Err(format!("Casbin says {theirs} to {question:?}, Bothy {ours}").into());
            }
        }
        let mut failed = None;
        let ns = median_ns(few.len(), 3, || {
            for one in &few {
                failed = black_box(allows(&enforcer, black_box(one))).err().or(failed.take());
            }
        });
        report.add("Casbin", plain, ns);
        let many: Vec<_> = few.iter().cycle().take(MANY).collect();
        let ns = median_ns(many.len(), 41, || {
            for one in &many {
                failed = black_box(allows(&cached, black_box(one))).err().or(failed.take());
            }
        });
        report.add("Casbin", from_cache, ns);
        if let Some(failure) = failed {
            return Err(failure);
        }
    }
    Ok(())
}
