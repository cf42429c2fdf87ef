//! Packs models: `pack FOLDER MODEL...` writes each as a 3MF file into the folder.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut paths = env::args_os().skip(1);
    let folder = paths.next().expect("the folder comes first");
    for path in paths {
        let path = Path::new(&path);
        let name = path.with_extension("3mf");
        let name = name.file_name().expect("a model is a file");
        fs::write(
            Path::new(&folder).join(name),
            fibula_fuzz::package(&fs::read(path)?),
        )?;
    }
    Ok(())
}
