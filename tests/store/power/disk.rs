//! A model of a disk whose writes reach it in any order until they are synchronised.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

/// Bytes that are written or not as one.
const SECTOR: u64 = 512;
/// Names of the files of a store beside its own, by their number in the record.
const NAMES: [&str; 5] = ["", "", "-wal", "-shm", "-journal"];
/// Numbers of the write-ahead log, of the shared-memory file, of which any recorded state may be there, and of the folder.
const LOG: usize = 2;
const INDEX: usize = 3;
const FOLDER: usize = 5;

/// A generator of random numbers: xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

/// A call of the program.
pub(super) struct Event {
    kind: u8,
    file: usize,
    offset: u64,
    bytes: Vec<u8>,
}

impl Event {
    /// True for the write of the head of a write-ahead log.
    pub(super) fn begins_log(&self) -> bool {
        (self.kind, self.file, self.offset) == (b'w', LOG, 0)
    }
}

/// Reads a record.
pub(super) fn events(record: &[u8]) -> Vec<Event> {
    let mut left = record;
    let mut events = Vec::new();
    while let Some((header, rest)) = left.split_first_chunk::<16>() {
        let length = u32::from_ne_bytes(header[4..8].try_into().expect("four bytes")) as usize;
        let (bytes, rest) = rest.split_at(length);
        events.push(Event {
            kind: header[0],
            file: header[1].into(),
            offset: u64::from_ne_bytes(header[8..].try_into().expect("eight bytes")),
            bytes: bytes.to_vec(),
        });
        left = rest;
    }
    events
}

/// Contents of the files of a store, by their number.
#[derive(Debug, Clone, Default)]
pub(super) struct Files(BTreeMap<usize, Vec<u8>>);

impl Files {
    /// Writes them into a new folder.
    pub(super) fn write(&self, folder: &Path, data: &Path) {
        fs::create_dir(folder).expect("a folder");
        for (file, bytes) in &self.0 {
            let path = format!("{}{}", data.display(), NAMES[*file]);
            fs::write(path, bytes).expect("it is written");
        }
    }
}

/// A file, whatever its name is.
#[derive(Default)]
struct Inode {
    /// What the program sees.
    now: Vec<u8>,
    /// What a power cut leaves.
    durable: Vec<u8>,
    /// What is not synchronised.
    pending: Vec<Change>,
}

enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Truncate(u64),
}

impl Inode {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.pending.push(change);
    }

    fn synchronise(&mut self) {
        for change in self.pending.drain(..) {
            change.apply(&mut self.durable);
        }
    }

    /// What is left if each sector that is not synchronised was written with a chance in 8.
    fn cut(&self, chance: usize, random: &mut Random) -> Vec<u8> {
        let mut left = self.durable.clone();
        for change in &self.pending {
            match change {
                Change::Truncate(_) if random.below(8) < chance => change.apply(&mut left),
                Change::Truncate(_) => {}
                Change::Write { offset, bytes } => {
                    let (mut offset, mut bytes) = (*offset, &bytes[..]);
                    while !bytes.is_empty() {
                        let length = (SECTOR - offset % SECTOR).min(bytes.len() as u64);
                        let (sector, rest) = bytes.split_at(length as usize);
                        if random.below(8) < chance {
                            write(&mut left, offset, sector);
                        }
                        (offset, bytes) = (offset + length, rest);
                    }
                }
            }
        }
        left
    }
}

impl Change {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Change::Write { offset, bytes } => write(to, *offset, bytes),
            Change::Truncate(length) => to.resize(*length as usize, 0),
        }
    }
}

fn write(to: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let (from, end) = (offset as usize, offset as usize + bytes.len());
    if to.len() < end {
        to.resize(end, 0);
    }
    to[from..end].copy_from_slice(bytes);
}

/// The disk.
#[derive(Default)]
pub(super) struct Disk {
    inodes: Vec<Inode>,
    /// The file of each name, as the program sees it.
    names: BTreeMap<usize, usize>,
    /// The same, as a power cut leaves it.
    durable_names: BTreeMap<usize, usize>,
    /// Names that came, or went, and are not synchronised.
    pending_names: Vec<(usize, Option<usize>)>,
    /// Recorded states of the shared-memory file.
    indexes: Vec<Vec<u8>>,
    /// The start of an answer.
    line: Vec<u8>,
    answered: Option<usize>,
}

impl Disk {
    /// A disk on which some files are.
    pub(super) fn new(files: &Files) -> Disk {
        let mut disk = Disk::default();
        for (file, bytes) in &files.0 {
            disk.names.insert(*file, disk.inodes.len());
            disk.inodes.push(Inode {
                now: bytes.clone(),
                durable: bytes.clone(),
                pending: Vec::new(),
            });
        }
        disk.durable_names = disk.names.clone();
        disk
    }

    pub(super) fn apply(&mut self, event: &Event) {
        let file = event.file;
        match event.kind {
            b'a' => self.answer(&event.bytes),
            b'c' => self.name(file, Some(self.inodes.len())),
            b'u' => self.name(file, None),
            b'i' => self.indexes.push(event.bytes.clone()),
            b's' if file == FOLDER => {
                self.durable_names = self.names.clone();
                self.pending_names.clear();
            }
            b's' => self.inode(file).synchronise(),
            b'w' => self.inode(file).change(Change::Write {
                offset: event.offset,
                bytes: event.bytes.clone(),
            }),
            b't' => self.inode(file).change(Change::Truncate(event.offset)),
            kind => panic!("no event is a {kind}"),
        }
    }

    fn inode(&mut self, file: usize) -> &mut Inode {
        &mut self.inodes[self.names[&file]]
    }

    fn name(&mut self, file: usize, inode: Option<usize>) {
        if inode.is_some() {
            self.inodes.push(Inode::default());
        }
        set(&mut self.names, file, inode);
        self.pending_names.push((file, inode));
    }

    fn answer(&mut self, bytes: &[u8]) {
        self.line.extend(bytes);
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            let answer: Json = serde_json::from_slice(&line).expect("an answer is JSON");
            let revision = answer["result"]["structuredContent"]["revision"].as_u64();
            let revision = revision.unwrap_or_else(|| panic!("{answer}")) as usize;
            self.answered = self.answered.max(Some(revision));
        }
    }

    /// The last revision that was answered.
    pub(super) fn answered(&self) -> Option<usize> {
        self.answered
    }

    /// What a power cut leaves.
    pub(super) fn cut(&self, random: &mut Random) -> Files {
        let mut names = self.durable_names.clone();
        let kept = random.below(self.pending_names.len() + 1);
        for (file, inode) in &self.pending_names[..kept] {
            set(&mut names, *file, *inode);
        }
        let chance = random.below(9);
        let mut files = Files::default();
        for (file, inode) in names {
            files.0.insert(file, self.inodes[inode].cut(chance, random));
        }
        // The system writes it whenever it likes.
        if !self.indexes.is_empty() && files.0.contains_key(&INDEX) {
            let latest = self.indexes.len() - 1;
            let which = [latest, random.below(latest + 1)][random.below(2)];
            files.0.insert(INDEX, self.indexes[which].clone());
        }
        files
    }

    /// Panics if the files of a folder are not those that the program saw.
    pub(super) fn assert_is(&self, folder: &Path) {
        for (file, name) in NAMES.into_iter().enumerate().skip(1) {
            let path = folder.join(format!("fibula.db{name}"));
            let inode = self.names.get(&file);
            assert_eq!(path.exists(), inode.is_some(), "{name}");
            if let Some(inode) = inode
                && file != INDEX
            {
                let bytes = fs::read(&path).expect("it can be read");
                assert!(bytes == self.inodes[*inode].now, "{name}");
            }
        }
    }
}

fn set(names: &mut BTreeMap<usize, usize>, file: usize, inode: Option<usize>) {
    match inode {
        Some(inode) => names.insert(file, inode),
        None => names.remove(&file),
    };
}
