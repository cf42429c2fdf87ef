//! Names of parts of a package, and resolution of references between them.

/// Folder of a part: everything before its last slash.
fn folder(part: &str) -> &str {
    part.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Resolves a target, relative to another part; `None` if it leads out of the package.
///
/// Targets are relative references; those with a leading slash start at the package.
pub(crate) fn resolve_target(target: &str, from: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or(target);
    let from = if target.starts_with('/') {
        ""
    } else {
        folder(from)
    };
    let folders = from.split('/').filter(|one| !one.is_empty());
    let mut segments: Vec<&str> = folders.collect();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            segment => segments.push(segment),
        }
    }
    (!segments.is_empty()).then(|| segments.join("/"))
}

/// Returns the part whose relationships a part holds: empty for the package as a whole; `None` if it holds none.
pub(crate) fn relationship_source(relationships: &str) -> Option<String> {
    let (folders, file) = relationships.rsplit_once('/')?;
    let outer = if folders.eq_ignore_ascii_case("_rels") {
        ""
    } else {
        let at = folders.len().checked_sub("/_rels".len())?;
        let ending = folders.get(at..)?;
        ending.eq_ignore_ascii_case("/_rels").then_some(())?;
        &folders[..at]
    };
    let at = file.len().checked_sub(".rels".len())?;
    let ending = file.get(at..)?;
    ending.eq_ignore_ascii_case(".rels").then_some(())?;
    let name = &file[..at];
    Some(match (outer, name) {
        ("", name) => name.to_owned(),
        (_, "") => return None,
        (outer, name) => format!("{outer}/{name}"),
    })
}

/// Decodes percent-encoded characters; `None` if the result is not UTF-8.
pub(crate) fn percent_decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%');
        let code = digits.and_then(|digits| {
            let text = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(text, 16).ok()
        });
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_addresses() {
        let check = |target: &str, from: &str, expected: Option<&str>| {
            let found = resolve_target(target, from);
            assert_eq!(found.as_deref(), expected, "{target} from {from}");
        };
        check("/3D/3dmodel.model", "", Some("3D/3dmodel.model"));
        check("3D/3dmodel.model", "", Some("3D/3dmodel.model"));
        let model = "3D/3dmodel.model";
        check("../Metadata/a.png", model, Some("Metadata/a.png"));
        check("./a.png#x", model, Some("3D/a.png"));
        check("../../a.png", model, None);
        check("/", "", None);
    }

    #[test]
    fn relationships_belong_to_a_part_or_to_the_package() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(relationship_source(name).as_deref(), expected, "{name}");
        };
        check("_rels/.rels", Some(""));
        check("3D/_rels/3dmodel.model.rels", Some("3D/3dmodel.model"));
        check("_rels/a.xml.rels", Some("a.xml"));
        check("3D/_rels/.rels", None);
        check("3D/x_rels/a.rels", None);
        check("a.rels", None);
        check("_rels/a.xml", None);
    }

    #[test]
    fn escapes_are_written_out() {
        assert_eq!(percent_decode("a%20b%2").as_deref(), Some("a b%2"));
        assert_eq!(percent_decode("%c3%B6").as_deref(), Some("ö"));
        assert_eq!(percent_decode("%ff"), None);
    }
}
