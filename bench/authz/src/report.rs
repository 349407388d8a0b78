use std::fmt;
use std::time::Instant;

use serde_json::{Map, Value, json};

/// The median of some rounds over this many questions, in nanoseconds a question.
pub(crate) fn median_ns(questions: usize, rounds: usize, mut round: impl FnMut()) -> f64 {
    round();
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            round();
            started.elapsed().as_secs_f64() * 1e9 / questions as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// What was measured: which engine, which form, how long.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<(&'static str, &'static str, f64)>);

impl Report {
    pub(crate) fn add(&mut self, engine: &'static str, form: &'static str, ns: f64) {
        eprintln!("{engine}, {form}: {ns:.0} ns");
        self.0.push((engine, form, ns));
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut engines: Map<String, Value> = Map::new();
        for (engine, form, ns) in &self.0 {
            let forms = engines.entry(*engine).or_insert_with(|| json!({}));
            forms[*form] = json!((ns * 10.0).round() / 10.0);
        }
        engines.into()
    }

    /// What Bothy needs for the same questions.
    fn of_bothy(&self, form: &str) -> Option<f64> {
        let bound = form.contains("bound");
        let wanted = if bound { "bound" } else { "alone" };
        self.0.iter().find(|(engine, form, _)| *engine == "Bothy" && *form == wanted).map(|(_, _, ns)| *ns)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<8} {:<44} {:>14} {:>12}", "engine", "decision", "median", "to Bothy")?;
        for (engine, form, ns) in &self.0 {
            // The forms of Bothy are not about the same thing.
            let bothy = self.of_bothy(form).filter(|_| *engine != "Bothy");
            let ratio = bothy.map_or_else(String::new, |bothy| format!("{:.1} x", ns / bothy));
            writeln!(f, "{engine:<8} {form:<44} {ns:>11.1} ns {ratio:>12}")?;
        }
        Ok(())
    }
}
