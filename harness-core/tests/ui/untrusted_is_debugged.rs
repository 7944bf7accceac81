fn main() {
    let text = harness_core::Untrusted::new(String::from("raw"));
    println!("{:?}", text);
}
