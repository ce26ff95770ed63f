//! Positions: lines, columns, clamping.

use crate::diag::{LineCol, SourceMap, Span};

fn line_col(line: u32, column: u32) -> LineCol {
    LineCol { line, column }
}

#[test]
fn files_do_not_share_positions() {
    let mut sources = SourceMap::new();
    let empty = sources.add_file("empty", "".into());
    let a = sources.add_file("a", "abc".into());
    let b = sources.add_file("b", "x".into());
    assert_eq!(sources.file(empty).span(), Span::new(1, 1));
    assert_eq!(sources.file(a).span(), Span::new(2, 5));
    assert_eq!(sources.file(b).span(), Span::new(6, 7));
    for (pos, file) in [(1, empty), (2, a), (4, a), (5, a), (6, b), (7, b)] {
        assert_eq!(sources.file_at(pos), Some(file), "{pos}");
    }
    assert_eq!(sources.file_at(0), None);
    assert_eq!(sources.file_at(8), None);
    assert_eq!(sources.file_of(Span::NONE), None);
    assert_eq!(sources.find("a"), Some(a));
    assert_eq!(sources.find("c"), None);
}

#[test]
fn lines_and_columns() {
    let mut sources = SourceMap::new();
    sources.add_file("first", "pad".into());
    let id = sources.add_file("f", "a\r\nbé€\n\nlast".into());
    let file = sources.file(id);
    assert_eq!(file.line_count(), 4);
    assert_eq!(file.line(1), Some("a"));
    assert_eq!(file.line(2), Some("bé€"));
    assert_eq!(file.line(3), Some(""));
    assert_eq!(file.line(4), Some("last"));
    assert_eq!((file.line(0), file.line(5)), (None, None));
    assert_eq!(file.line_col(0), line_col(1, 1));
    assert_eq!(file.line_col(3), line_col(2, 1));
    assert_eq!(file.line_col(6), line_col(2, 3));
    assert_eq!(file.line_col(7), line_col(2, 3), "inside a character");
    assert_eq!(file.line_col(1000), line_col(4, 5));

    let at = sources.locate(sources.span(id, 4..9)).unwrap();
    assert_eq!((at.bytes.clone(), at.start, at.end), (4..9, line_col(2, 2), line_col(2, 4)));
    assert_eq!(sources.slice(sources.span(id, 4..9)), "é€");
    assert_eq!(sources.snippet(sources.span(id, 0..4)), "a\r\nbé€");
    assert_eq!(sources.describe(sources.span(id, 11..15)), "f:4:1");
    assert_eq!(sources.describe(Span::NONE), "<unknown>");
    assert_eq!(sources.slice(Span::NONE), "");
}

#[test]
fn spans_are_clamped_to_the_file_and_to_characters() {
    let mut sources = SourceMap::new();
    let id = sources.add_file("f", "é€".into());
    sources.add_file("g", "other".into());
    let lo = sources.file(id).start();
    let locate = |a: u32, b: u32| sources.locate(Span { lo: lo + a, hi: lo + b }).unwrap().bytes;
    assert_eq!(locate(1, 3), 0..5);
    assert_eq!(locate(0, 999), 0..5);
    assert_eq!(locate(5, 2), 5..5);
    assert_eq!(locate(2, 1), 2..2);
}

#[test]
fn joining_spans() {
    assert_eq!(Span::new(5, 7).to(Span::new(2, 3)), Span::new(2, 7));
    assert_eq!(Span::NONE.to(Span::new(2, 3)), Span::new(2, 3));
    assert_eq!(Span::new(2, 3).to(Span::NONE), Span::new(2, 3));
    assert_eq!(Span::default(), Span::NONE);
    assert!(Span::at(4).is_empty() && Span::at(4).is_some());
}

#[test]
fn a_text_that_ends_in_a_line_break_has_an_empty_last_line() {
    let mut sources = SourceMap::new();
    let id = sources.add_file("f", "a\n".into());
    let file = sources.file(id);
    assert_eq!(file.line_count(), 2);
    assert_eq!(file.line(2), Some(""));
    assert_eq!(file.line_col(2), line_col(2, 1));
}
