fn main() {
    let _ = harness_core::CleanText(std::borrow::Cow::Borrowed("\u{1B}[2J"));
}
