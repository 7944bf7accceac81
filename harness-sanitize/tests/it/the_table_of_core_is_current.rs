//! What core knows of Unicode is what the generator makes.

#[allow(unreachable_pub, reason = "it is a program of its own as well")]
#[path = "../../examples/fold_table.rs"]
mod fold_table;

#[test]
fn the_checked_in_table_is_the_generated_one() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../harness-core/src/text/fold_table.rs"
    );
    let checked_in = std::fs::read_to_string(path).unwrap();
    let same = checked_in == fold_table::generate();
    assert!(
        same,
        "run `cargo run --release -p harness-sanitize --example fold_table > {path}`"
    );
}
