//! A library stays in the process when nobody holds it any more.

use std::collections::BTreeSet;
use std::fs;

use crate::library::{Folder, WITH_THE_TRAIT, bytes_of, load};

/// The libraries of plugins in this process, by the sealed files that they were loaded from.
fn loaded() -> BTreeSet<String> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let ours = maps
        .lines()
        .filter(|line| line.contains("memfd:harness-plugin"));
    ours.filter_map(|line| line.split_whitespace().nth(4))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn it_stays_after_its_last_value() {
    let (folder, bytes) = (Folder::new(), bytes_of(WITH_THE_TRAIT));
    let path = folder.put("plugin.so", &bytes);
    let plugin = load(&path, &bytes).await;
    let before = loaded();
    assert!(!before.is_empty());
    drop(plugin);
    assert!(loaded().is_superset(&before));
}
