fn main() {
    let _ = harness_core::CleanText::new(std::borrow::Cow::Borrowed("\u{1B}[2J"));
}
