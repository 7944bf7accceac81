//! Raw text of a host on its way through the intake.

use harness_core::{CleanString, CleanText};
use harness_sanitize::Intake;

/// Bytes of a raw text that is looked at; the work on one text is bounded by this. A longer one is
/// left out whole: the half of a secret that a cut would leave could not be told.
pub(super) const MAX_RAW: usize = 256 << 10;
/// What stands for a text that was left out.
const LEFT_OUT: &str = "[left out: longer than 256 KiB]";

/// Redacts and cleans `raw` within `max` bytes.
pub(super) fn take(raw: &str, max: usize, intake: &Intake) -> CleanString {
    if raw.len() > MAX_RAW {
        return CleanText::new(LEFT_OUT).unwrap_or_else(|_| CleanText::empty());
    }
    intake.text(raw, max).into_owned()
}

#[cfg(test)]
mod tests {
    use harness_sanitize::{Gate, Redactor};

    use super::*;

    #[test]
    fn what_is_too_long_is_left_out_and_what_fits_is_cut() {
        let intake = Intake::new(Gate::default(), Redactor::patterns_only());
        let text = "ab ".repeat(MAX_RAW / 3 + 1);
        assert_eq!(take(&text, 100, &intake).as_str(), LEFT_OUT);
        let taken = take(text.get(..MAX_RAW).unwrap(), 100, &intake);
        assert!(taken.as_str().starts_with("ab ab") && taken.len() <= 100);
    }
}
