//! What each renderer prints, word for word.

use crate::diag::{Diagnostic, Renderer, SourceMap, Span, codes, json, sarif};

const KERNEL: &str = r#"tg.kernel @k(%y: !tg.ref<2xf32, gmem>) {
  %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
	%v = tg.load %full[%c0] : !tg.barrier_ref<2, arrivals = 1> -> f32 // 漢字 é
  tg.return
}
"#;

/// The span of the `nth` (from 0) place where `what` stands in a file.
fn find(sources: &SourceMap, name: &str, what: &str, nth: usize) -> Span {
    let file = sources.find(name).unwrap();
    let (at, _) = sources.file(file).text().match_indices(what).nth(nth).unwrap();
    sources.span(file, at..at + what.len())
}

fn sources() -> SourceMap {
    let mut sources = SourceMap::new();
    sources.add_file("kernels/k 1.tg", KERNEL.into());
    sources.add_file("/lib/shapes.tg", "#a = 1\r\n#b = 2".into());
    sources
}

fn load_of_a_barrier(sources: &SourceMap) -> Diagnostic {
    let name = "kernels/k 1.tg";
    Diagnostic::new(codes::BARRIER_AS_ARRAY, "cannot load from barrier `%full`")
        .at(find(sources, name, "%full[%c0]", 0), "a barrier has no elements")
        .label(find(sources, name, "%full", 0), "`%full` is a reference to 2 barriers")
        .note("a barrier is a reference to mbarriers in shared memory, and never an array")
        .help("to wait for its phase, use `tg.barrier_wait`")
        .suggest(find(sources, name, "%v = tg.load", 0), "tg.barrier_wait", "wait on the barrier")
}

#[test]
fn human() {
    let sources = sources();
    let text = Renderer::plain().render(&sources, &load_of_a_barrier(&sources));
    let expected = r#"
error[TG0101]: cannot load from barrier `%full`
 --> kernels/k 1.tg:3:15
  |
2 |   %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  |   ----- `%full` is a reference to 2 barriers
3 |     %v = tg.load %full[%c0] : !tg.barrier_ref<2, arrivals = 1> -> f32 // 漢字 é
  |                  ^^^^^^^^^^ a barrier has no elements
  |
  = note: a barrier is a reference to mbarriers in shared memory, and never an array
  = help: to wait for its phase, use `tg.barrier_wait`
help: wait on the barrier
  |
3 -     %v = tg.load %full[%c0] : !tg.barrier_ref<2, arrivals = 1> -> f32 // 漢字 é
3 +     tg.barrier_wait %full[%c0] : !tg.barrier_ref<2, arrivals = 1> -> f32 // 漢字 é
  |
"#;
    assert_eq!(text, expected.trim_start());
}

#[test]
fn human_several_files_and_places() {
    let sources = sources();
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_ALIAS, "alias `#c` is not defined")
        .at(find(&sources, "/lib/shapes.tg", "#b = 2", 0).end(), "expected here")
        .label(find(&sources, "kernels/k 1.tg", "{\n  %full", 0), "in this kernel")
        .label(Span::NONE, "the builder made the use")
        .suggest(find(&sources, "/lib/shapes.tg", "#b = 2", 0).end(), "\n#c = 3", "define it")
        .suggest(Span::NONE, "#a", "or use");
    let expected = r#"
warning[TG0012]: alias `#c` is not defined
 --> /lib/shapes.tg:2:7
  |
2 |   #b = 2
  |         ^ expected here
  |
 ::: kernels/k 1.tg:1:40
  |
1 |   tg.kernel @k(%y: !tg.ref<2xf32, gmem>) {
  |  ________________________________________-
2 | |   %full = tg.alloc_barrier : !tg.barrier_ref<2, arrivals = 1>
  | |_______- in this kernel
  |
  = note: the builder made the use
  = help: or use: `#a`
help: define it
  |
2 ~ #b = 2
3 + #c = 3
  |
"#;
    assert_eq!(Renderer::plain().render(&sources, &diagnostic), expected.trim_start());
}

#[test]
fn human_without_a_place() {
    let sources = sources();
    let diagnostic = Diagnostic::new(codes::TOOL_MISSING, "`ptxas` was not found").help("install CUDA");
    let expected = r#"
error[TG0806]: `ptxas` was not found
 |
 = help: install CUDA

error[TG0806]: `ptxas` was not found
 |
 = help: install CUDA

"#;
    assert_eq!(Renderer::plain().render_all(&sources, [&diagnostic, &diagnostic]), expected.trim_start());
}

#[test]
fn human_end_of_file() {
    let sources = sources();
    let end = sources.files()[0].span().end();
    let diagnostic = Diagnostic::new(codes::EXPECTED_SOMETHING, "expected `}`").at(end, "the file ends here");
    let expected = r#"
error[TG0002]: expected `}`
 --> kernels/k 1.tg:6:1
  |
6 |
  | ^ the file ends here
"#;
    assert_eq!(Renderer::plain().render(&sources, &diagnostic), expected.trim_start());
}

#[test]
fn human_unicode() {
    let sources = sources();
    let start = sources.files()[1].span().start();
    let diagnostic =
        Diagnostic::new(codes::UNKNOWN_ALIAS, "unknown").at(start, "here").note("a\nb").help("c");
    let expected = r#"
error[TG0012]: unknown
  ╭▸ /lib/shapes.tg:1:1
  │
1 │ #a = 1
  │ ━ here
  │
  ├ note: a
  │       b
  ╰ help: c
"#;
    assert_eq!(Renderer::plain().unicode(true).render(&sources, &diagnostic), expected.trim_start());
}

#[test]
fn human_styled() {
    let sources = sources();
    let diagnostic =
        Diagnostic::new(codes::UNKNOWN_ALIAS, "unknown").at(sources.files()[1].span().start(), "");
    let expected = "\u{1b}[1m\u{1b}[91merror[TG0012]\u{1b}[0m\u{1b}[1m: unknown\u{1b}[0m
 \u{1b}[1m\u{1b}[94m--> \u{1b}[0m/lib/shapes.tg:1:1
  \u{1b}[1m\u{1b}[94m|\u{1b}[0m
\u{1b}[1m\u{1b}[94m1\u{1b}[0m \u{1b}[1m\u{1b}[94m|\u{1b}[0m #a = 1
  \u{1b}[1m\u{1b}[94m|\u{1b}[0m \u{1b}[1m\u{1b}[91m^\u{1b}[0m
";
    assert_eq!(Renderer::styled().render(&sources, &diagnostic), expected);
}

#[test]
fn json_lines() {
    let sources = sources();
    let diagnostic = load_of_a_barrier(&sources);
    let none = Diagnostic::new(codes::TOOL_MISSING, "no \"ptxas\"\n").at(Span::NONE, "x");
    let expected = concat!(
        r#"{"code":"TG0101","severity":"error","title":"barrier read as an array","#,
        r#""message":"cannot load from barrier `%full`","labels":["#,
        r#"{"primary":true,"message":"a barrier has no elements","file":"kernels/k 1.tg","#,
        r#""byte_start":117,"byte_end":127,"line_start":3,"column_start":15,"line_end":3,"column_end":25},"#,
        r#"{"primary":false,"message":"`%full` is a reference to 2 barriers","file":"kernels/k 1.tg","#,
        r#""byte_start":43,"byte_end":48,"line_start":2,"column_start":3,"line_end":2,"column_end":8}],"#,
        r#""notes":["a barrier is a reference to mbarriers in shared memory, and never an array"],"#,
        r#""helps":["to wait for its phase, use `tg.barrier_wait`"],"suggestions":["#,
        r#"{"message":"wait on the barrier","replacement":"tg.barrier_wait","file":"kernels/k 1.tg","#,
        r#""byte_start":104,"byte_end":116,"line_start":3,"column_start":2,"line_end":3,"column_end":14}]}"#,
        "\n",
        r#"{"code":"TG0806","severity":"error","title":"a needed tool was not found","#,
        r#""message":"no \"ptxas\"\n","labels":[{"primary":true,"message":"x","file":null,"#,
        r#""byte_start":null,"byte_end":null,"line_start":null,"column_start":null,"line_end":null,"#,
        r#""column_end":null}],"notes":[],"helps":[],"suggestions":[]}"#,
        "\n",
    );
    assert_eq!(json::lines(&sources, [&diagnostic, &none]), expected);
}

#[test]
fn sarif_log() {
    let sources = sources();
    let diagnostic = load_of_a_barrier(&sources);
    let none = Diagnostic::new(codes::BARRIER_UNUSED, "unused");
    let tool = sarif::Tool { version: "1.2.3".to_owned(), ..sarif::Tool::default() };
    let mut log = sarif::log(&sources, [&diagnostic, &none], &tool);
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        assert_eq!(rule["help"]["text"], rule["help"]["markdown"]);
        rule["help"] = serde_json::json!({ "text": "(the explanation)" });
        rule["fullDescription"] = serde_json::json!({ "text": "(its first paragraph)" });
    }
    assert_eq!(format!("{log:#}\n"), include_str!("golden.sarif"));
}

#[test]
fn sarif_fingerprints_follow_the_line() {
    let fingerprints = |text: &str| {
        let mut sources = SourceMap::new();
        sources.add_file("f.tg", text.into());
        let unused =
            |nth| Diagnostic::new(codes::BARRIER_UNUSED, "unused").at(find(&sources, "f.tg", "%a", nth), "");
        let all = [unused(0), unused(1)];
        let log = sarif::log(&sources, &all, &sarif::Tool::default());
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|r| r["partialFingerprints"]["tidegate/v1"].to_string()).collect::<Vec<_>>()
    };
    let here = fingerprints("%a\n%a\n");
    assert_ne!(here[0], here[1]);
    assert_eq!(here, fingerprints("// moved\n\n  %a\n  %a\n"));
    assert_ne!(here, fingerprints("%a b\n%a b\n"));
}

#[test]
fn sarif_file_names_are_uris() {
    let uri = |name: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add_file(name, "x".into());
        let diagnostic = Diagnostic::new(codes::DOMINANCE, "m").at(sources.span(file, 0..1), "");
        let log = sarif::log(&sources, [&diagnostic], &sarif::Tool::default());
        log["runs"][0]["artifacts"][0]["location"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri("a/b-1.tg"), "a/b-1.tg");
    assert_eq!(uri("/a b/c.tg"), "file:///a%20b/c.tg");
    assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    assert_eq!(uri("é:%.tg"), "%C3%A9%3A%25.tg");
}
