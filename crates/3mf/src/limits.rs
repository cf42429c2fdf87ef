//! Resource limits of the reader.

/// Resource limits of the reader, which rejects a file beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of the file.
    pub package: u64,
    /// Maximum entries of the archive.
    pub entries: usize,
    /// Maximum bytes of all entries, unpacked.
    pub unpacked: u64,
    /// Maximum compression ratio of an entry over 1 MiB.
    pub ratio: u64,
    /// Maximum depth of nested elements.
    pub depth: usize,
    /// Maximum attributes of one element.
    pub attributes: usize,
    /// Maximum bytes of one tag or text.
    pub token: usize,
    /// Maximum nodes, inputs and outputs of all functions together; a call counts the inputs and outputs of its function.
    pub nodes: usize,
    /// Maximum inputs, and maximum outputs, of one function or node.
    pub ports: usize,
    /// Maximum number of objects, components, items, metadata and sheets of images, and of attributes and elements that
    /// are only kept. A small file may have fewer: 20 000, and one for every eight of its bytes.
    pub items: usize,
    /// Maximum bytes of meshes, other parts of the package, and XML that is kept. A small file may have fewer: 32 MiB, and
    /// 32 times its own size.
    pub kept: u64,
}

impl Limits {
    /// Entries up to this size may have any compression ratio.
    pub(crate) const RATIO_FROM: u64 = 1 << 20;
    /// Bytes that may be kept of any file.
    const KEPT_FROM: u64 = 32 << 20;
    /// Multiple of a file's size that may be kept beside that. Meshes and images are at most ten times as large as they
    /// are packed.
    const KEPT_RATIO: u64 = 32;

    /// Items that any file may have.
    const ITEMS_FROM: usize = 20_000;
    /// Minimum packed bytes per item, in a file that has more of them.
    const BYTES_PER_ITEM: usize = 8;

    /// Returns the limits for a file of this size: a small file must not take the memory of a large one.
    pub(crate) fn of_file(self, bytes: usize) -> Limits {
        let most = Limits::KEPT_FROM + Limits::KEPT_RATIO * bytes as u64;
        Limits {
            kept: self.kept.min(most),
            items: self
                .items
                .min(Limits::ITEMS_FROM + bytes / Limits::BYTES_PER_ITEM),
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            package: 256 << 20,
            entries: 10_000,
            unpacked: 1 << 30,
            ratio: 250,
            depth: 64,
            attributes: 128,
            token: 1 << 20,
            nodes: fibula_core::graph::MOST_NODES,
            ports: fibula_core::graph::MOST_PORTS,
            items: 500_000,
            kept: 512 << 20,
        }
    }
}
