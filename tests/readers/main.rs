//! Every reader of files, fuzzed with a memory limit: what becomes of samples by mutation is read or refused, and a
//! small file takes little memory.
//!
//! `FIBULA_FUZZ_SECONDS=600` tries more files, for about as long. `fuzz/` has the same readers for a fuzzer that is guided
//! by coverage.

#[path = "../archive/mod.rs"]
mod archive;

mod counting;
mod mutation;
#[expect(unreachable_pub, reason = "the fuzz targets use it, too")]
mod readers;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use proptest::test_runner::{RngAlgorithm, TestRng};

use counting::peak_during;
use mutation::mutated;
use readers::Reader;

/// Number of files that each reader gets.
const FILES: usize = 4_000;

/// Held by a test that measures: the allocator counts what all threads allocate.
static MEASURING: Mutex<()> = Mutex::new(());

/// Twenty million pixels of one bit, in a few kilobytes, become four bytes each, and no more.
#[test]
fn an_image_of_one_colour_takes_what_its_pixels_need() {
    let _measuring = MEASURING.lock().unwrap();
    let (columns, rows) = (20_000, 1_000);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette(vec![0; 6]);
    encoder.set_trns(vec![0; 2]);
    let mut writer = encoder.write_header().unwrap();
    let pixels = vec![0; (columns / 8 * rows) as usize];
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    drop(pixels);
    assert!(file.len() < 16 << 10, "{}", file.len());
    let readers = readers::all();
    let image = readers
        .iter()
        .find(|reader| reader.name == "image")
        .unwrap();
    let peak = peak_during(|| image.read(&file).unwrap());
    let needed = 4 * (columns * rows) as usize;
    assert!(
        (needed..needed + (4 << 20)).contains(&peak),
        "{peak} bytes for {needed}"
    );
}

#[test]
fn mutated_files_are_read_or_refused_in_little_memory() {
    let _measuring = MEASURING.lock().unwrap();
    let seconds = std::env::var("FIBULA_FUZZ_SECONDS");
    let seconds = seconds.map_or(0, |seconds| seconds.parse().expect("a number of seconds"));
    let readers = readers::all();
    let each = Duration::from_secs(seconds) / u32::try_from(readers.len()).expect("a few");
    for reader in &readers {
        let samples = samples(reader.name);
        for (file, sample) in &samples {
            let read = reader.read(sample);
            read.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        let samples: Vec<Vec<u8>> = samples.into_iter().map(|(_, sample)| sample).collect();
        fuzz(reader, &samples, each);
    }
}

/// Reads mutated samples: [`FILES`] of them, and as many as fit into `at_least`.
fn fuzz(reader: &Reader, samples: &[Vec<u8>], at_least: Duration) {
    let name = reader.name;
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let start = Instant::now();
    let (mut files, mut accepted, mut most) = (0, 0, 0);
    while files < FILES || start.elapsed() < at_least {
        let file = mutated(&mut rng, &samples[files % samples.len()], samples);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            peak_during(|| accepted += usize::from(reader.read(&file).is_ok()))
        }));
        let peak = outcome.unwrap_or_else(|_| panic!("{name} panicked at {}", kept(name, &file)));
        assert!(
            peak <= reader.max_memory,
            "{name} took {peak} bytes for {}",
            kept(name, &file)
        );
        most = most.max(peak);
        files += 1;
    }
    println!(
        "{name}: {accepted} of {files} files accepted, at most {} KB allocated",
        most >> 10
    );
    assert!(
        accepted > 0 && accepted < files,
        "{name} has read {accepted} of {files} files"
    );
}

/// Stores a file that a reader failed at; returns its path.
fn kept(name: &str, file: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.mutated"));
    fs::write(&path, file).unwrap();
    path.display().to_string()
}

/// Returns the samples of a reader, with their paths.
fn samples(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/fixtures/readers").join(name);
    let entries = fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let with_bytes = |file: PathBuf| {
        let bytes = fs::read(&file).unwrap();
        (file, bytes)
    };
    files.into_iter().map(with_bytes).collect()
}
