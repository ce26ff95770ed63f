//! The table of codes: complete, ordered, and worth printing.

use crate::diag::{Code, codes};
use std::collections::HashSet;

#[test]
fn codes_are_unique_and_ascending_and_in_their_family() {
    let all: Vec<_> = codes::all().collect();
    assert!(all.len() > 100);
    for pair in all.windows(2) {
        assert!(pair[0].code < pair[1].code, "{} before {}", pair[0].id, pair[1].id);
        assert!(pair[0].id < pair[1].id);
    }
    let names: HashSet<_> = all.iter().map(|info| info.name).collect();
    assert_eq!(names.len(), all.len());
    for (about, rows) in codes::families() {
        for info in rows {
            assert_eq!(info.code.family(), about, "{}", info.id);
        }
    }
}

#[test]
fn handles_lead_to_their_rows() {
    for info in codes::all() {
        assert_eq!(info.code.id(), info.id);
        assert_eq!(info.code.info().name, info.name);
        assert_eq!(Code::lookup(info.id), Some(info.code));
        assert_eq!(Code::lookup(&info.id.to_ascii_lowercase()), Some(info.code));
    }
    assert_eq!(Code::lookup("TG0100"), None);
    assert_eq!(Code::lookup("101"), None);
    assert_eq!(Code::lookup(""), None);
    assert_eq!(codes::BARRIER_AS_ARRAY.to_string(), "TG0101");
    assert_eq!(format!("{:?}", codes::INTERNAL_ERROR), "TG9901");
    assert_eq!(size_of::<Code>(), 2);
}

#[test]
fn titles_and_explanations_are_written() {
    for info in codes::all() {
        let id = info.id;
        assert!(info.title.len() > 8, "{id}: title");
        assert!(
            info.title.chars().next().is_some_and(|c| !c.is_uppercase() || info.title.starts_with("MLIR"))
        );
        assert!(!info.title.ends_with('.'), "{id}: full stop in the title");
        let text = info.explanation;
        assert!(text.lines().filter(|line| !line.trim().is_empty()).count() >= 3, "{id}: too short");
        assert!(text.ends_with('\n') && !text.starts_with('\n') && !text.ends_with("\n\n"), "{id}: ends");
        for placeholder in ["TODO", "FIXME", "XXX", "TBD", "placeholder", "lorem"] {
            assert!(!text.contains(placeholder), "{id}: {placeholder}");
        }
        assert_eq!(text.matches("```").count() % 2, 0, "{id}: open code block");
        for line in text.lines() {
            assert!(line.chars().count() <= 110 && line.trim_end() == line, "{id}: {line:?}");
        }
        // Codes that it names exist.
        for (at, _) in text.match_indices("TG") {
            if let Some(named) = text.get(at..at + 6).filter(|s| s[2..].bytes().all(|b| b.is_ascii_digit())) {
                assert!(Code::lookup(named).is_some(), "{id}: names {named}");
            }
        }
    }
}
