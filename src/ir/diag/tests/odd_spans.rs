//! No text and no span makes a renderer panic, and each output stays well formed.

use crate::diag::{Diagnostic, Renderer, SourceMap, Span, codes, json, sarif};
use proptest::prelude::*;

/// Renders in every way.
fn render_all_ways(sources: &SourceMap, diagnostic: &Diagnostic) {
    for width in [1, 10, 40, 140] {
        for unicode in [false, true] {
            let text = Renderer::plain().width(width).unicode(unicode).render(sources, diagnostic);
            assert!(text.starts_with(&format!("{}[{}]", diagnostic.severity, diagnostic.code)), "{text}");
            assert!(!text.chars().any(|c| c.is_ascii_control() && c != '\n'), "{text:?}");
        }
        Renderer::styled().width(width).render(sources, diagnostic);
    }
    let line = json::lines(sources, [diagnostic]);
    assert_eq!(line.lines().count(), 1);
    let log = sarif::log(sources, [diagnostic], &sarif::Tool::default());
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(1));
}

/// A diagnostic with every kind of part, at the given places.
fn diagnostic(a: Span, b: Span, c: Span, replacement: &str) -> Diagnostic {
    Diagnostic::new(codes::BARRIER_AS_ARRAY, "message")
        .at(a, "first")
        .label(b, "second\nof two lines")
        .label(c, "")
        .note("a note\nof two lines")
        .help("a help")
        .suggest(b, replacement, "replace")
}

#[test]
fn every_pair_of_positions_in_small_texts() {
    let texts = [
        "",
        "\n",
        "a",
        "\r",
        "\r\n",
        "a\nb",
        "é\n\t€\r\n",
        "🙂\n\n",
        "a\u{301}\u{200d}",
        "漢字\r\r\nx",
        "\u{0}\u{1b}[0m",
    ];
    for text in texts {
        let mut sources = SourceMap::new();
        sources.add_file("before", "".into());
        sources.add_file("odd", text.into());
        sources.add_file("after", "z\n".into());
        let end = sources.files()[2].end() + 2;
        for lo in 0..=end {
            for hi in 0..=end {
                let span = Span { lo, hi };
                let one = Diagnostic::new(codes::DOMINANCE, "m").at(span, "here").suggest(span, "new\n", "s");
                Renderer::plain().render(&sources, &one);
                let back = Span { lo: hi, hi: lo };
                let two = diagnostic(span, back, Span::at(lo), "");
                Renderer::plain().width(20).render(&sources, &two);
                json::lines(&sources, [&two]);
                sarif::log(&sources, [&two], &sarif::Tool::default());
            }
        }
    }
}

#[test]
fn extreme_spans_and_no_files() {
    let none = SourceMap::new();
    let mut one = SourceMap::new();
    one.add_file("f", "text\n".into());
    let spans = [
        Span::NONE,
        Span::at(u32::MAX),
        Span { lo: u32::MAX, hi: 0 },
        Span { lo: 0, hi: u32::MAX },
        Span::at(1),
    ];
    for sources in [&none, &one] {
        for a in spans {
            for b in spans {
                render_all_ways(sources, &diagnostic(a, b, Span::NONE, "r"));
            }
        }
    }
}

#[test]
fn a_span_over_many_lines() {
    let mut sources = SourceMap::new();
    let text = "line\n".repeat(20_000);
    let file = sources.add_file("long", text.as_str().into());
    let whole = sources.file(file).span();
    render_all_ways(&sources, &diagnostic(whole, whole.end(), whole.start(), "new"));
    let text =
        Renderer::plain().render(&sources, &Diagnostic::new(codes::DOMINANCE, "m").at(whole, "all of it"));
    assert!(text.lines().count() < 20, "{text}");
}

/// Text with what is hard for a renderer.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z %=,\\[\\]:]{0,12}",
        1 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\t".to_owned()),
        1 => Just("漢🙂é\u{301}".to_owned()),
        1 => "\\PC{0,3}",
        1 => any::<char>().prop_map(String::from),
        1 => "x{100,200}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_texts_and_spans(
        first in text(),
        second in text(),
        replacement in text(),
        message in text(),
        places in prop::array::uniform6(0u32..400),
        (scale_lo, scale_hi) in (1u32..4, 1u32..4),
    ) {
        let mut sources = SourceMap::new();
        sources.add_file("first", first.as_str().into());
        sources.add_file("second", second.as_str().into());
        let [a, b, c, d, e, f] = places;
        let span = |lo: u32, hi: u32| Span { lo: lo / scale_lo, hi: hi / scale_hi };
        let mut diagnostic = diagnostic(span(a, b), span(c, d), span(e, f), &replacement);
        diagnostic.message = message.clone();
        diagnostic.labels[0].message = message.clone();
        diagnostic.notes.push(message);
        render_all_ways(&sources, &diagnostic);
    }
}
