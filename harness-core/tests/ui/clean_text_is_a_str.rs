fn shows(text: impl AsRef<str>) -> usize {
    text.as_ref().len()
}

fn main() {
    let text = harness_core::CleanText::new("raw").unwrap();
    shows(text);
}
