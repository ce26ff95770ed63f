//! The sink: counting, the limit, the proof.

use crate::diag::{Diagnostic, Diagnostics, Reported, Severity, SourceMap, Span, codes};

fn error_at(span: Span) -> Diagnostic {
    Diagnostic::new(codes::UNEXPECTED_TOKEN, "unexpected").at(span, "")
}

#[test]
fn counts_and_proof() {
    let mut sink = Diagnostics::new();
    assert!(sink.is_empty());
    assert_eq!(sink.check(), Ok(()));
    sink.emit(Diagnostic::new(codes::BARRIER_UNUSED, "unused"));
    assert_eq!((sink.error_count(), sink.warning_count()), (0, 1));
    assert!(!sink.has_errors());
    let before = sink.error_count();
    let proof: Reported = sink.emit_error(Diagnostic::new(codes::BARRIER_UNUSED, "unused, and denied"));
    assert_eq!(sink.check(), Err(proof));
    assert_eq!(sink.check_since(before), Err(proof));
    assert_eq!(sink.check_since(1), Ok(()));
    assert_eq!(sink.iter().map(|d| d.severity).collect::<Vec<_>>(), [Severity::Warning, Severity::Error]);
    assert_eq!(size_of::<Reported>(), 0);
}

#[test]
fn a_flood_is_cut_in_each_file() {
    let mut sources = SourceMap::new();
    let a = sources.add_file("a", "0123456789".into());
    let b = sources.add_file("b", "0123456789".into());
    let mut sink = Diagnostics::with_limit(3);
    sink.track_files(&sources);
    for at in 0..10 {
        sink.emit(error_at(sources.span(a, at..at + 1)));
    }
    sink.emit(Diagnostic::new(codes::BARRIER_UNUSED, "unused").at(sources.span(a, 0..1), ""));
    for at in 0..4 {
        sink.emit(error_at(sources.span(b, at..at + 1)));
    }
    sink.emit(error_at(Span::NONE));
    assert_eq!((sink.error_count(), sink.warning_count()), (15, 1));
    let all = sink.into_vec();
    assert_eq!(all.len(), 3 + 1 + 3 + 1 + 2);
    let last: Vec<_> = all[8..].iter().map(|d| (d.message.as_str(), d.primary_span())).collect();
    assert_eq!(
        last,
        [("… and 7 more errors", sources.span(a, 3..4)), ("… and 1 more error", sources.span(b, 3..4))]
    );
}

#[test]
fn appending_keeps_counts() {
    let mut inner = Diagnostics::with_limit(1);
    inner.extend([error_at(Span::NONE), error_at(Span::NONE), error_at(Span::NONE)]);
    let mut outer = Diagnostics::new();
    outer.emit(error_at(Span::NONE));
    outer.append(inner);
    assert_eq!(outer.error_count(), 4);
    let messages: Vec<_> = outer.into_vec().into_iter().map(|d| d.message).collect();
    assert_eq!(messages, ["unexpected", "unexpected", "… and 2 more errors"]);
}

#[test]
fn primary_labels_come_first() {
    let (a, b, c) = (Span::new(1, 2), Span::new(3, 4), Span::new(5, 6));
    let diagnostic = Diagnostic::new(codes::DOMINANCE, "m").label(a, "other").at(b, "first").at(c, "second");
    let order: Vec<_> = diagnostic.labels.iter().map(|label| label.span).collect();
    assert_eq!(order, [b, c, a]);
    assert_eq!(diagnostic.primary_span(), b);
    assert_eq!(diagnostic.to_string(), "error[TG0301]: m");
}
