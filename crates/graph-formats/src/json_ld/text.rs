//! References in the text of a page: names of pages, addresses, and images.

/// Maximum nesting of brackets.
const MAX_LINK_DEPTH: usize = 16;

/// Finds names between double square brackets, which may be nested: in "[[[[EVD]] - tension]]" it is "EVD" and
/// "[[EVD]] - tension".
pub(super) fn page_names(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut open, mut names) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"[[" => {
                if open.len() == MAX_LINK_DEPTH {
                    open.remove(0);
                }
                open.push(at + 2);
                at += 2;
            }
            b"]]" => {
                if let Some(start) = open.pop() {
                    names.push(&text[start..at]);
                }
                at += 2;
            }
            _ => at += 1,
        }
    }
    names
}

/// Finds the addresses in a text.
pub(super) fn addresses(text: &str) -> Vec<&str> {
    let mut addresses = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("http") {
        rest = &rest[at..];
        let is_address = rest.starts_with("http://") || rest.starts_with("https://");
        let is_end = |c: char| c.is_whitespace() || "()[]<>\"'`".contains(c);
        let length = rest.find(is_end).unwrap_or(rest.len());
        if is_address {
            addresses.push(rest[..length].trim_end_matches(['.', ',', ';', '!', '?']));
        }
        rest = &rest[length.max("http".len())..];
    }
    addresses
}

/// Finds the addresses of images in Markdown: "![...](...)".
pub(super) fn images(text: &str) -> Vec<&str> {
    let mut images = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("![") {
        rest = &rest[at + 2..];
        // A description ends before the next image begins.
        let end = rest.find("![").unwrap_or(rest.len());
        let Some((_, address)) = rest[..end].split_once("](") else {
            continue;
        };
        if let Some((address, _)) = address.split_once(')') {
            images.push(address.trim());
        }
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_names_are_found() {
        let text = "see [[[[EVD]] - tension]] and [[Ärger]], not [one] or [[open";
        assert_eq!(page_names(text), ["EVD", "[[EVD]] - tension", "Ärger"]);
        assert_eq!(page_names("]] [["), [""; 0]);
        let deep = "[[".repeat(100_000) + &"]]".repeat(100_000);
        assert_eq!(page_names(&deep).len(), MAX_LINK_DEPTH);
    }

    #[test]
    fn addresses_are_found() {
        let text = "(https://a.b/page/x) http://c.d/e. httpx https://f.g";
        let found = addresses(text);
        assert_eq!(found, ["https://a.b/page/x", "http://c.d/e", "https://f.g"]);
    }

    #[test]
    fn images_are_found() {
        let text = "![](https://a.b/1.png?x=1) ![two](2.png), ![no image ![three]( 3.png )";
        assert_eq!(images(text), ["https://a.b/1.png?x=1", "2.png", "3.png"]);
    }
}
