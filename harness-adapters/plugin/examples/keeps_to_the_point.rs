//! A plugin as an author writes it: it scores how directly an agent came to its answer, and checks
//! that it came to one.

use harness_plugin::{Description, Plugin, Scored, Tier, Value, export_plugin};

#[derive(Default)]
struct KeepsToThePoint;

// README begins
impl Plugin for KeepsToThePoint {
    fn describe(&self) -> Description {
        Description {
            name: "keeps-to-the-point",
            version: "1",
            metrics: vec![("directness", Tier::Progress, 0.5)],
            verifies: true,
            ..Description::default()
        }
    }

    fn score(&mut self, trace: &Value, _tier: u8) -> Result<Vec<Scored>, String> {
        let steps = trace["spans"].as_array().ok_or("there are no steps")?;
        let failed = steps.iter().filter(|step| step["status"] != "ok").count();
        Ok(vec![Scored {
            metric: "directness",
            score: Some(1.0 / (1.0 + failed as f64)),
            reason: format!("{failed} of {} steps failed", steps.len()),
        }])
    }

    fn verify(&mut self, trace: &Value, _turn: &Value) -> Result<(f64, String), String> {
        assert_ne!(trace["request"], "panic", "a plugin may have a bug");
        let answered = trace["spans"].as_array().is_some_and(|steps| {
            let last = steps.last();
            last.is_some_and(|step| step["kind"] == "LLM" && step["output"] != "")
        });
        let score = if answered { 1.0 } else { 0.0 };
        Ok((score, "whether the agent answered".to_owned()))
    }
}

export_plugin!(KeepsToThePoint);
// README ends
