//! How long commands take to be decided about, and to be run.
//!
//! `cargo bench -p harness-shell --bench shell -- [--json]` prints one row a measurement:
//! `{"name","value","unit","n","baseline","ratio"}`, see each file for what its rows mean.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "this program reports on standard output, and its inputs are its own"
)]

mod decision;
#[cfg(target_os = "linux")]
mod spawn;

/// One measurement.
struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    /// Runs, of which `value` is the median.
    n: usize,
    /// What the value is compared with, in the same unit.
    baseline: Option<f64>,
}

impl Row {
    fn print(&self, json: bool) {
        let ratio = self.baseline.map(|baseline| self.value / baseline);
        let number = |number: Option<f64>| number.map_or("null".to_owned(), |n| format!("{n:.3}"));
        let Self {
            name,
            value,
            unit,
            n,
            baseline,
        } = self;
        if json {
            println!(
                "{{\"name\":\"{name}\",\"value\":{value:.3},\"unit\":\"{unit}\",\"n\":{n},\"baseline\":{},\"ratio\":{}}}",
                number(*baseline),
                number(ratio)
            );
        } else {
            let compared = ratio.map_or(String::new(), |ratio| format!("{ratio:8.2} x"));
            println!("{name:44} {value:10.2} {unit} {compared}");
        }
    }
}

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    for row in decision::rows() {
        row.print(json);
    }
    #[cfg(target_os = "linux")]
    for row in spawn::rows() {
        row.print(json);
    }
}
