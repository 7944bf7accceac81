//! The file that was hashed is the file that is loaded, and only the one that is pinned.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;

use harness_core::Tier;
use harness_engine::Evaluator as _;
use harness_plugin::abi::TableError;
use harness_plugin::{FileError, LoadError, LoadedPlugin, Pin, PinnedFile, PluginEvaluator};

use crate::library::{BY_HAND, Folder, WITH_THE_TRAIT, bytes_of, intake, load, trace};

fn refused(path: &std::path::Path, pin: Pin) -> String {
    PinnedFile::open(path, pin).unwrap_err().to_string()
}

#[tokio::test]
async fn the_pinned_file_is_loaded_and_scores() {
    let (folder, bytes) = (Folder::new(), bytes_of(WITH_THE_TRAIT));
    let path = folder.put("plugin.so", &bytes);
    let evaluator = PluginEvaluator::new(load(&path, &bytes).await);
    let pin = Pin::of(&bytes).to_string();
    assert_eq!(evaluator.identity().name.as_str(), "keeps-to-the-point");
    assert_eq!(
        evaluator.identity().version.as_str(),
        format!("1 {}", &pin[..16])
    );
    let readings = evaluator
        .score(&trace("ask"), Tier::Progress)
        .await
        .unwrap();
    assert_eq!(readings[0].value.score().unwrap().get(), 1.0);
    assert_eq!(
        readings[0].reason.as_ref().unwrap().as_str(),
        "0 of 1 steps failed"
    );
}

#[test]
fn another_file_is_refused_and_its_hash_is_said() {
    let folder = Folder::new();
    let path = folder.put("plugin.so", b"another");
    let error = PinnedFile::open(&path, Pin::of(b"the one")).unwrap_err();
    assert!(matches!(error, FileError::WrongHash { found } if found == Pin::of(b"another")));
    assert!(PinnedFile::open(&path, Pin::of(b"another")).is_ok());
}

#[tokio::test]
async fn a_file_that_is_changed_or_swapped_after_it_was_hashed_changes_nothing() {
    let (folder, good) = (Folder::new(), bytes_of(WITH_THE_TRAIT));
    let other = bytes_of(BY_HAND);
    let path = folder.put("plugin.so", &good);
    let pinned = PinnedFile::open(&path, Pin::of(&good)).unwrap();
    // In place: the same file, other bytes.
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all(&other)
        .unwrap();
    let plugin = LoadedPlugin::load(pinned, intake()).await.unwrap();
    let evaluator = PluginEvaluator::new(plugin.into());
    assert_eq!(evaluator.identity().name.as_str(), "keeps-to-the-point");

    // Swapped: another file under the same name.
    let path = folder.put("swapped.so", &good);
    let pinned = PinnedFile::open(&path, Pin::of(&good)).unwrap();
    fs::rename(folder.put("other.so", &other), &path).unwrap();
    let plugin = LoadedPlugin::load(pinned, intake()).await.unwrap();
    assert_eq!(
        PluginEvaluator::new(plugin.into()).identity().name.as_str(),
        "keeps-to-the-point"
    );
}

#[tokio::test]
async fn a_library_that_was_loaded_before_is_not_taken_for_another() {
    let folder = Folder::new();
    for (at, example) in [BY_HAND, WITH_THE_TRAIT, BY_HAND].into_iter().enumerate() {
        let bytes = bytes_of(example);
        let plugin = load(&folder.put(&format!("{at}.so"), &bytes), &bytes).await;
        let name = PluginEvaluator::new(plugin).identity().name;
        assert_eq!(name.as_str() == "by hand", example == BY_HAND, "{name}");
    }
}

#[test]
fn what_others_can_write_is_refused_whatever_it_holds() {
    let folder = Folder::new();
    let path = folder.put("plugin.so", b"the one");
    let pin = Pin::of(b"the one");
    for mode in [0o620, 0o602, 0o666] {
        folder.mode("plugin.so", mode);
        assert!(
            refused(&path, pin).starts_with("the plugin's file can be written"),
            "{mode:o}"
        );
    }
    folder.mode("plugin.so", 0o644);
    assert!(PinnedFile::open(&path, pin).is_ok());
    for mode in [0o770, 0o707, 0o1777] {
        folder.mode("", mode);
        assert!(
            refused(&path, pin).starts_with("the plugin's folder can be written"),
            "{mode:o}"
        );
    }
    folder.mode("", 0o755);
    assert!(PinnedFile::open(&path, pin).is_ok());
}

#[test]
fn a_link_a_second_name_a_folder_and_nothing_are_no_files() {
    let folder = Folder::new();
    let path = folder.put("plugin.so", b"the one");
    let pin = Pin::of(b"the one");
    symlink(&path, folder.path("link.so")).unwrap();
    assert!(matches!(
        PinnedFile::open(&folder.path("link.so"), pin),
        Err(FileError::Io { what: "file", .. })
    ));
    fs::create_dir(folder.path("folder.so")).unwrap();
    assert!(matches!(
        PinnedFile::open(&folder.path("folder.so"), pin),
        Err(FileError::NotAFile)
    ));
    assert!(matches!(
        PinnedFile::open(&folder.path("gone.so"), pin),
        Err(FileError::Io { .. })
    ));
    assert!(PinnedFile::open(&path, pin).is_ok());
    fs::hard_link(&path, folder.path("second.so")).unwrap();
    assert!(matches!(
        PinnedFile::open(&path, pin),
        Err(FileError::NotAFile)
    ));
}

/// The library with its table changed: the head starts with the magic number.
fn patched(at: usize, byte: u8) -> Vec<u8> {
    let mut bytes = bytes_of(BY_HAND);
    let magic = 0x4841_524e_4553_5301_u64.to_ne_bytes();
    let heads: Vec<usize> = (0..bytes.len() - 16)
        .filter(|start| {
            bytes[*start..].starts_with(&magic) && bytes[start + 8..].starts_with(&[1, 0, 0, 0])
        })
        .collect();
    assert_eq!(heads.len(), 1, "the table of the library");
    bytes[heads[0] + at] = byte;
    bytes
}

async fn table_error(bytes: &[u8]) -> String {
    let folder = Folder::new();
    let path = folder.put("plugin.so", bytes);
    let file = PinnedFile::open(&path, Pin::of(bytes)).unwrap();
    match LoadedPlugin::load(file, intake()).await {
        Err(LoadError::Table(error)) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was loaded"),
    }
}

#[tokio::test]
async fn a_library_of_another_version_or_layout_is_none_of_ours() {
    assert_eq!(
        table_error(&patched(0, 9)).await,
        TableError::NotOurs.to_string()
    );
    assert_eq!(
        table_error(&patched(8, 2)).await,
        TableError::Version(2).to_string()
    );
    assert_eq!(
        table_error(&patched(12, 40)).await,
        TableError::Layout.to_string()
    );
    assert_eq!(
        table_error(b"no library").await,
        TableError::NoLibrary.to_string()
    );
    let mut unnamed = bytes_of(BY_HAND);
    let name = b"harness_plugin\0";
    let places: Vec<usize> = (0..unnamed.len() - name.len())
        .filter(|at| unnamed[*at..].starts_with(name))
        .collect();
    for at in places {
        unnamed[at] = b'X';
    }
    assert_eq!(
        table_error(&unnamed).await,
        TableError::NoSymbol.to_string()
    );
    let whole = bytes_of(BY_HAND);
    let folder = Folder::new();
    load(&folder.put("plugin.so", &whole), &whole).await;
}
