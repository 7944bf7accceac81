//! What changed on a disk, in order, and what a loss of power may leave of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Device and inode.
type Id = (u64, u64);

/// A file or folder of the model. The kernel uses an inode again, the model no number.
type Node = usize;

pub(super) fn id_of(file: BorrowedFd<'_>) -> Id {
    let stat = rustix::fs::fstat(file).unwrap();
    (stat.st_dev, stat.st_ino)
}

/// Files and folders.
#[derive(Clone, Debug, Default)]
struct Tree {
    files: BTreeMap<Node, Vec<u8>>,
    folders: BTreeMap<Node, BTreeMap<String, Node>>,
}

/// What a change was about, and so which sync makes it durable.
#[derive(Clone, Debug)]
enum Change {
    /// A name appears, or goes with `None`, in a folder.
    Name(Node, String, Option<Node>),
    /// A name moves, in one step.
    Moved((Node, String), (Node, String)),
    Wrote(Node, u64, Vec<u8>),
    Cut(Node, u64),
    Synced(Node),
    /// What came before was acknowledged.
    Mark,
}

/// The diary of one run.
#[derive(Debug)]
pub(super) struct Diary {
    before: Tree,
    numbers: HashMap<Id, Node>,
    count: Node,
    changes: Vec<Change>,
    /// Folders made on the way.
    made: Vec<Node>,
}

/// A state in which a disk may be found.
pub(super) struct Found<'d> {
    diary: &'d Diary,
    /// How many changes were made.
    pub(super) made: usize,
    /// Which of them the disk has forgotten.
    forgotten: BTreeSet<usize>,
    /// How many bytes of the last write are there.
    torn: Option<usize>,
}

impl Diary {
    /// One that begins with what is in `folder`.
    pub(super) fn of(folder: &Path) -> Self {
        let mut diary = Self {
            before: Tree::default(),
            numbers: HashMap::new(),
            count: 0,
            changes: Vec::new(),
            made: Vec::new(),
        };
        diary.read(folder);
        diary
    }

    fn read(&mut self, path: &Path) -> Node {
        let stat = fs::metadata(path).unwrap();
        let node = self.number((stat.dev(), stat.ino()));
        if stat.is_dir() {
            let mut names = BTreeMap::new();
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                names.insert(name, self.read(&entry.path()));
            }
            self.before.folders.insert(node, names);
        } else {
            self.before.files.insert(node, fs::read(path).unwrap());
        }
        node
    }

    fn number(&mut self, id: Id) -> Node {
        let node = self.count;
        self.count += 1;
        self.numbers.insert(id, node);
        node
    }

    pub(super) fn created(&mut self, folder: Id, name: &str, file: Id) {
        let node = self.number(file);
        self.change(Change::Name(
            self.numbers[&folder],
            name.to_owned(),
            Some(node),
        ));
    }

    pub(super) fn folder_made(&mut self, folder: Id, name: &str, made: Id) {
        self.created(folder, name, made);
        self.made.push(self.numbers[&made]);
    }

    pub(super) fn renamed(&mut self, (from, old): (Id, &str), (to, new): (Id, &str)) {
        let from = (self.numbers[&from], old.to_owned());
        let to = (self.numbers[&to], new.to_owned());
        self.change(Change::Moved(from, to));
    }

    pub(super) fn removed(&mut self, folder: Id, name: &str) {
        self.change(Change::Name(self.numbers[&folder], name.to_owned(), None));
    }

    pub(super) fn wrote(&mut self, file: Id, at: u64, bytes: &[u8]) {
        self.change(Change::Wrote(self.numbers[&file], at, bytes.to_vec()));
    }

    pub(super) fn cut(&mut self, file: Id, length: u64) {
        self.change(Change::Cut(self.numbers[&file], length));
    }

    pub(super) fn synced(&mut self, id: Id) {
        self.change(Change::Synced(self.numbers[&id]));
    }

    pub(super) fn mark(&mut self) {
        self.change(Change::Mark);
    }

    fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// How many changes had been made at the mark.
    pub(super) fn marked(&self) -> Option<usize> {
        self.changes
            .iter()
            .position(|change| matches!(change, Change::Mark))
    }

    /// Every state in which the disk may be found, at whatever change it stops.
    pub(super) fn states(&self) -> impl Iterator<Item = Found<'_>> {
        (0..=self.changes.len()).flat_map(|made| self.states_after(made))
    }

    fn states_after(&self, made: usize) -> Vec<Found<'_>> {
        /// Changes of which every choice is tried; of more, each alone and all but each.
        const ALL_CHOICES: usize = 4;
        // A mark and a sync change nothing by themselves.
        if made > 0 && matches!(self.changes[made - 1], Change::Mark | Change::Synced(_)) {
            return Vec::new();
        }
        let loose = self.loose(made);
        let mut choices: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        if loose.len() <= ALL_CHOICES {
            for bits in 0..1_u32 << loose.len() {
                let chosen = loose.iter().enumerate();
                choices.insert(
                    chosen
                        .filter(|(at, _)| bits >> at & 1 == 1)
                        .map(|(_, change)| *change)
                        .collect(),
                );
            }
        } else {
            choices.insert(BTreeSet::new());
            choices.insert(loose.iter().copied().collect());
            for one in &loose {
                choices.insert(BTreeSet::from([*one]));
                choices.insert(loose.iter().copied().filter(|at| at != one).collect());
            }
        }
        let mut states: Vec<Found<'_>> = choices
            .into_iter()
            .map(|forgotten| Found {
                diary: self,
                made,
                forgotten,
                torn: None,
            })
            .collect();
        if let Some(Change::Wrote(_, _, bytes)) = made.checked_sub(1).map(|at| &self.changes[at]) {
            for torn in cuts(bytes.len()) {
                states.push(Found {
                    diary: self,
                    made,
                    forgotten: BTreeSet::new(),
                    torn: Some(torn),
                });
            }
        }
        states
    }

    /// The changes before `made` that no sync has made durable.
    fn loose(&self, made: usize) -> Vec<usize> {
        let synced_later = |at: usize, node: Node| {
            self.changes[at..made]
                .iter()
                .any(|change| matches!(change, Change::Synced(synced) if *synced == node))
        };
        (0..made)
            .filter(|at| match &self.changes[*at] {
                Change::Name(folder, ..) => !synced_later(*at, *folder),
                Change::Moved(_, (to, _)) => !synced_later(*at, *to),
                Change::Wrote(file, ..) | Change::Cut(file, _) => !synced_later(*at, *file),
                Change::Synced(_) | Change::Mark => false,
            })
            .collect()
    }
}

/// Where a write is torn. Every byte of every kind of record is another test's; here it is enough
/// to be before, at and behind the line feeds.
fn cuts(length: usize) -> BTreeSet<usize> {
    [0, 1, length / 2, length.saturating_sub(1)]
        .into_iter()
        .filter(|cut| *cut < length)
        .collect()
}

impl Found<'_> {
    /// Puts it in `folder`, where nothing is.
    pub(super) fn put(&self, folder: &Path) {
        let mut tree = self.diary.before.clone();
        for node in &self.diary.made {
            tree.folders.insert(*node, BTreeMap::new());
        }
        for (at, change) in self.diary.changes[..self.made].iter().enumerate() {
            if self.forgotten.contains(&at) {
                continue;
            }
            let part = self.torn.filter(|_| at + 1 == self.made);
            tree.apply(change, part);
        }
        tree.put(0, folder);
    }

    /// What it is, for a message.
    pub(super) fn told(&self) -> String {
        let change = |at: &usize| format!("{:?}", Short(&self.diary.changes[*at]));
        let forgotten: Vec<String> = self.forgotten.iter().map(change).collect();
        let last = self.made.checked_sub(1).map(|at| change(&at));
        format!(
            "after {} changes, the last {last:?}, torn at {:?}, forgotten {forgotten:?}",
            self.made, self.torn
        )
    }
}

impl Tree {
    /// Makes a change; of a write only the first `part` bytes, if that is said.
    fn apply(&mut self, change: &Change, part: Option<usize>) {
        match change {
            Change::Name(folder, name, Some(node)) => {
                let names = self.folders.entry(*folder).or_default();
                names.insert(name.clone(), *node);
            }
            Change::Name(folder, name, None) => {
                self.folders.entry(*folder).or_default().remove(name);
            }
            Change::Moved((from, old), (to, new)) => {
                // A name that was forgotten cannot move.
                if let Some(node) = self.folders.entry(*from).or_default().remove(old) {
                    let names = self.folders.entry(*to).or_default();
                    names.insert(new.clone(), node);
                }
            }
            Change::Wrote(file, at, bytes) => {
                let file = self.files.entry(*file).or_default();
                let bytes = &bytes[..part.unwrap_or(bytes.len())];
                let at = usize::try_from(*at).unwrap();
                // What was forgotten before it is a hole.
                if file.len() < at + bytes.len() {
                    file.resize(at + bytes.len(), 0);
                }
                file[at..at + bytes.len()].copy_from_slice(bytes);
            }
            Change::Cut(file, length) => {
                let length = usize::try_from(*length).unwrap();
                self.files.entry(*file).or_default().resize(length, 0);
            }
            Change::Synced(_) | Change::Mark => {}
        }
    }

    fn put(&self, node: Node, path: &Path) {
        let Some(names) = self.folders.get(&node) else {
            let bytes = self.files.get(&node).map_or(&[][..], Vec::as_slice);
            return fs::write(path, bytes).unwrap();
        };
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(path).unwrap();
        for (name, node) in names {
            self.put(*node, &path.join(name));
        }
    }
}

/// A change without its bytes.
struct Short<'c>(&'c Change);

impl std::fmt::Debug for Short<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Change::Wrote(file, at, bytes) => {
                write!(f, "Wrote({file}, {at}, {} bytes)", bytes.len())
            }
            other => write!(f, "{other:?}"),
        }
    }
}
