//! Damaged texts: an answer in time, never a panic; and texts made to be slow.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::time::{Duration, Instant};

use tidegate_ptx::{MAX_ERRORS, parse, resolve, source::Source};

const SAMPLE: &str = include_str!("sample.ptx");

/// Reads a text to the end of what can be done with it, and renders what is wrong.
fn all(text: &str) {
    let errors = match parse(text) {
        Ok(module) => {
            let printed = module.to_string();
            assert!(parse(&printed).is_ok(), "{printed}");
            resolve(&module).err().unwrap_or_default()
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            errors
        }
    };
    assert!(errors.len() <= MAX_ERRORS);
    let source = Source::new(text);
    for error in &errors {
        assert!(error.span.start <= error.span.end, "{error:?}");
        assert!(error.span.end as usize <= text.len(), "{error:?}");
        assert!(!source.render("x", error).is_empty());
    }
}

fn within(limit: Duration, what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    println!("{what}: {:?}", start.elapsed());
    assert!(start.elapsed() < limit, "{what}: {:?}", start.elapsed());
}

#[test]
fn damaged_samples() {
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        ":",
        "@",
        "!",
        "|",
        "<",
        ">",
        "=",
        "+",
        "-",
        "\"",
        "/*",
        "*/",
        "//",
        "\n",
        ".",
        "::",
        ".reg",
        ".entry",
        ".param",
        "0f",
        "0x",
        "999999999999999999999",
        "%r1",
        "%r<4>",
        "_",
        "é",
        "\0",
        "call",
        ".loc",
        ".v4",
        ".align",
        "L:",
        ".branchtargets",
        "generic(",
        "0xff(",
        "-",
        "?",
        ".extern .shared",
        "\\",
    ];
    let lines: Vec<&str> = SAMPLE.lines().collect();
    within(Duration::from_secs(60), "damage", || {
        for _ in 0..3000 {
            let mut text = SAMPLE.to_owned();
            for _ in 0..random.usize(1..6) {
                let mut from = random.usize(..text.len());
                let mut to = (from + random.usize(..20)).min(text.len());
                while !text.is_char_boundary(from) {
                    from -= 1;
                }
                while !text.is_char_boundary(to) {
                    to += 1;
                }
                match random.u8(..4) {
                    0 => text.replace_range(from..to, ""),
                    1 => text.insert_str(from, pieces[random.usize(..pieces.len())]),
                    2 => text.replace_range(from..to, pieces[random.usize(..pieces.len())]),
                    _ => text.insert_str(from, lines[random.usize(..lines.len())]),
                }
            }
            all(&text);
        }
    });
}

#[test]
fn cut_at_every_place() {
    for (at, _) in SAMPLE.char_indices().step_by(7) {
        all(&SAMPLE[..at]);
    }
}

fn kernel(body: &str) -> String {
    format!(".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 p) {{\n{body}\n}}\n")
}

#[test]
fn what_nests_is_bounded() {
    let many = 200_000;
    for (open, close) in [
        ("{", "}"),
        ("mov.b32 x, {", "}"),
        ("mov.b32 x, (", ")"),
        ("mov.b32 x, [a, ", "]"),
        ("x -", ""),
        ("x 1?", ""),
        ("call (", ")"),
        ("{ L: .reg .b32 x;", "}"),
    ] {
        all(&kernel(&open.repeat(many)));
        all(&kernel(&format!("{}{}", open.repeat(many), close.repeat(many))));
        let first = open.split_whitespace().next().unwrap_or_default();
        let rest = open.chars().last().unwrap_or(' ').to_string();
        all(&kernel(&format!("{first} x, {}", rest.repeat(many))));
    }
    all(&format!(
        ".version 8.0\n.target sm_90a\n.global .u32 x[2]{} = {}",
        "[1]".repeat(many),
        "{".repeat(many)
    ));
}

#[test]
fn long_texts_take_linear_time() {
    let limit = Duration::from_secs(20);
    let many = 100_000;
    let texts = [
        ("instructions", kernel(&format!(".reg .b32 %r<9>;{}", "add.s32 %r1, %r2, 3;\n".repeat(many)))),
        ("undefined names", kernel(&(0..many).map(|i| format!("mov.b32 x{i}, y{i};\n")).collect::<String>())),
        ("garbage", "ab cd % $ 12 ".repeat(many)),
        ("comments", format!("{}{}", "/* x */ /".repeat(many), "/*".repeat(many))),
        ("quotes", "\" ".repeat(many)),
        ("labels", kernel(&(0..many).map(|i| format!("L{i}: bra L{i};\n")).collect::<String>())),
        (
            "ranges and names that end in digits",
            kernel(&(0..many).map(|i| format!(".reg .b32 a{i}_<4000000000>, b{i};\n")).collect::<String>()),
        ),
        (
            "one long list used often",
            kernel(&format!(
                "L: T: .branchtargets L{};\n.reg .b32 r;{}",
                ", L".repeat(many),
                "brx.idx r, T;\n".repeat(many)
            )),
        ),
        ("scopes side by side", kernel(&"{ .reg .b32 x; L: mov.b32 x, 1; bra L; }\n".repeat(many))),
        ("functions", format!("{}{}", kernel(""), ".func f(); ".repeat(many))),
        ("a huge register file", kernel(".reg .b64 %r<4294967295>; mov.b64 %r4294967294, 1;")),
        ("a huge array", format!("{}.global .u8 x[2][100000000] = {{{{1}}, {{2}}}};", kernel(""))),
        ("a huge initialiser", format!("{}.global .u8 x[2][99999999999999] = {{{{1}}, {{2}}}};", kernel(""))),
        ("many huge initialisers", {
            let one = |i| format!(".global .u8 x{i}[2][100000000] = {{{{1}}, {{2}}}};\n");
            format!("{}{}", kernel(""), (0..1000).map(one).collect::<String>())
        }),
        ("counted variables", format!("{}.global .u8 x<4294967295>;", kernel(""))),
        (
            "a name of megabytes",
            kernel(&format!("mov.b32 {}, {};", "x".repeat(2_000_000), "y".repeat(2_000_000))),
        ),
        ("digits", kernel(&format!("mov.b32 %r{}, 1;", "1".repeat(2_000_000)))),
        ("dots", kernel(&format!("mov{};", ".b32".repeat(many)))),
        ("a long sum", kernel(&format!("mov.b32 x, 1{};", "+1".repeat(many)))),
    ];
    for (what, text) in texts {
        within(limit, what, || all(&text));
    }
}
