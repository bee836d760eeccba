//! A scanner for the tags and texts of simple XML files: GPX, and the `.ldx` files of MoTeC. It expands no entities but the five of XML,
//! and reads neither DTDs nor namespaces, so no file can make it read or build more than the file has.

/// A part of an XML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// The start of an element.
    Open {
        /// Name without a namespace prefix.
        name: &'a str,
        /// Everything between the name and the end of the tag.
        attributes: &'a str,
        /// The element is empty.
        is_empty: bool,
    },
    /// The end of an element.
    Close {
        /// Name without a namespace prefix.
        name: &'a str,
    },
    /// Text between tags.
    Text(&'a str),
}

/// Returns the parts of the text up to the first tag that is not complete, and the length of these parts in bytes.
pub(super) fn parts(text: &str) -> (Vec<Part<'_>>, usize) {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(tag) = rest.strip_prefix('<') {
            let (skip, end) = match () {
                () if tag.starts_with("!--") => ("-->", true),
                () if tag.starts_with("![CDATA[") => ("]]>", true),
                () => (">", false),
            };
            let Some(length) = tag.find(skip) else { break };
            at += 1 + length + skip.len();
            if !end && !tag.starts_with(['!', '?']) {
                found.extend(tag.get(..length).map(tag_of));
            }
        } else {
            let Some(length) = rest.find('<') else { break };
            found.extend(rest.get(..length).filter(|text| !text.trim().is_empty()).map(Part::Text));
            at += length;
        }
    }
    (found, at)
}

fn tag_of(tag: &str) -> Part<'_> {
    let local = |name: &'_ str| -> usize { name.rfind(':').map_or(0, |at| at + 1) };
    if let Some(name) = tag.strip_prefix('/') {
        let name = name.trim();
        return Part::Close { name: name.get(local(name)..).unwrap_or(name) };
    }
    let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
    let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    Part::Open { name: name.get(local(name)..).unwrap_or(name), attributes, is_empty }
}

/// Returns the value of an attribute, with the entities of XML replaced.
pub(super) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((key, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, next) = behind.get(1..)?.split_once(quote)?;
        if key.trim() == name {
            return Some(plain(value));
        }
        rest = next;
    }
    None
}

/// Replaces the entities of XML.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_texts_and_attributes_are_found() {
        let text = "<?xml version=\"1.0\"?><!-- <a> --><g:trk n='1' lat = \"2 > 1\"/><b>x &amp; y</b> <open";
        let (found, length) =
            parts("<?xml version=\"1.0\"?><!-- <a> --><g:trk n='1' lat = \"2\"/><b>x &amp; y</b> <open");
        assert_eq!(
            found,
            [
                Part::Open { name: "trk", attributes: "n='1' lat = \"2\"", is_empty: true },
                Part::Open { name: "b", attributes: "", is_empty: false },
                Part::Text("x &amp; y"),
                Part::Close { name: "b" },
            ]
        );
        assert!(length > 0 && parts(text).1 <= text.len());
        assert_eq!(attribute("n='1' lat = \"2\"", "lat").as_deref(), Some("2"));
        assert_eq!(attribute("n='1' lat = \"2\"", "n").as_deref(), Some("1"));
        assert_eq!(attribute("n=1", "n"), None);
        assert_eq!(attribute("n='&lt;&amp;'", "n").as_deref(), Some("<&"));
        assert_eq!(plain("a &amp;lt; b"), "a &lt; b");
    }

    #[test]
    fn nothing_is_read_twice_and_nothing_hangs() {
        for text in ["<", "<<<<", "<!--", "<![CDATA[", "a", "", "</", "<a b=>", "<a =", "<é é='é'>"] {
            let (found, length) = parts(text);
            assert!(length <= text.len() && found.len() <= text.len(), "{text}");
            attribute(text, "b");
        }
    }
}
