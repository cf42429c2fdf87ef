//! The sample files of the 3MF Consortium, when they are there: read, written and read again.

use fibula::format::threemf::{Dialect, WriteOptions};

use super::{read, world, xml};
use crate::samples::samples;

#[test]
fn the_samples_come_back_whole() {
    let Some((_, files)) = samples() else {
        return;
    };
    for path in files {
        let name = path.display().to_string();
        let model = read(&std::fs::read(&path).unwrap());
        let before = world::document(&model);
        for dialect in [Dialect::Lib3mf, Dialect::Specification] {
            let options = WriteOptions { dialect };
            let (package, written) = world::write(&before, &model.contents, options);
            let notes = written.notes.iter().filter(|note| !note.is_unfinished());
            assert_eq!(notes.count(), 0, "{name}: {:?}", written.notes);
            assert_eq!(written.functions, model.functions.len());
            assert_eq!(written.objects, model.objects.len());
            let again = read(&package);
            let after = world::document(&again);
            world::assert_same(&before, &after, &name);
            assert_eq!(before.hash(), after.hash(), "{name}");
            // What is only for reading tells nothing new, beside what is unfinished.
            let new = again
                .repairs
                .iter()
                .filter(|repair| !matches!(repair.code, "empty_reference" | "element_name"));
            assert_eq!(
                new.count(),
                0,
                "{name}: {:?}\n{}",
                again.repairs,
                xml(&package)
            );
            assert_eq!(again.left_out, [], "{name}");
            let (twice, _) = world::write(&after, &again.contents, options);
            assert!(
                twice == package,
                "{name}: the same project gave other bytes"
            );
        }
    }
}
