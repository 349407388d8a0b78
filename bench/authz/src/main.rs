//! A decision of Bothy beside Cedar and Casbin, over one generated world and the same questions. Prints a
//! table, and as its last line the same as JSON. Ratios within one run mean something; absolute figures
//! are those of the machine. `BOTHY_BENCH_SEED` repeats a world.

mod casbin;
mod cedar;
mod random;
mod report;
mod rules;
mod stored;
mod world;

use serde_json::json;

use report::Report;
use world::World;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let seed = match std::env::var("BOTHY_BENCH_SEED") {
        Ok(text) => text.parse()?,
        Err(_) => 1,
    };
    let world = World::of(seed);
    println!("seed {seed}: {world}");
    let mut report = Report::default();
    let rules = rules::Rules::new(&world);
    rules.measure(&world, &mut report);
    cedar::measure(&world, &rules, &mut report)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(casbin::measure(&world, &rules, &mut report))?;
    let folder = std::env::temp_dir().join(format!("bothy-bench-authz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let stored = runtime.block_on(stored::measure(&world, &folder, &mut report));
    std::fs::remove_dir_all(&folder)?;
    let stored = stored?;
    println!("{report}");
    println!("{}", json!({ "seed": seed, "world": world.to_string(), "ns": report.to_json(), "stored": stored }));
    Ok(())
}
