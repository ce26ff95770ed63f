//! What `tidegate explain` and the pages for authors show is true: wrong examples get the code they stand for, right
//! ones are accepted without a finding, and every op and option that is named exists.
//!
//! Examples may be fragments. [`wrap`] puts a kernel around them and declares the names that they leave open.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use tidegate::ir::diag::{Diagnostics, codes};
use tidegate::ir::ops::Opcode;
use tidegate::ir::text::parse;
use tidegate::passes::pass::{Instrumentation, PassManager, Registry};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;
use tidegate::{machine, ptx};

/// A fenced block of a Markdown text.
struct Fenced {
    language: String,
    text: String,
    /// The last line of text before it.
    lead: String,
    /// The line of its first fence, counted from 1.
    line: usize,
}

fn fenced(markdown: &str) -> Vec<Fenced> {
    let mut blocks = Vec::new();
    let mut open: Option<Fenced> = None;
    // A paragraph may go on over several lines: its first one is what leads to a block.
    let (mut lead, mut fresh) = (String::new(), true);
    for (number, line) in (1..).zip(markdown.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let language = language.trim().to_owned();
                open = Some(Fenced { language, text: String::new(), lead: lead.clone(), line: number });
                fresh = true;
            }
            (None, None) if line.trim().is_empty() => fresh = true,
            (None, None) if fresh => {
                lead = line.to_owned();
                fresh = false;
            }
            (None, None) => {}
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a fenced block without an end");
    blocks
}

/// The code of a line, without its comment.
fn without_comment(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// The names of values in a text, in order, each with whether it is defined there.
fn names(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for line in text.lines().map(without_comment) {
        for (at, _) in line.match_indices('%') {
            let rest = &line[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let after = rest[end..].trim_start();
            let argument = after.starts_with(':') && line.trim_start().starts_with('^');
            let defined = argument || (after.starts_with('=') && !after.starts_with("=="));
            found.push((&rest[..end], defined));
        }
    }
    found
}

/// The names that a fragment uses and does not define.
fn open_names(text: &str) -> BTreeSet<&str> {
    let names = names(text);
    let defined: BTreeSet<&str> = names.iter().filter(|name| name.1).map(|name| name.0).collect();
    names.iter().map(|name| name.0).filter(|name| !defined.contains(name)).collect()
}

/// The types of a text that begin with `start`, in order.
fn types<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(start) {
        let mut depth = 0;
        let end = text[at..].find(|c| {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            c == '>' && depth == 0
        });
        found.extend(end.map(|end| &text[at..=at + end]));
    }
    found
}

/// What the fragments of one code leave open, where the usual meaning of the names is not enough.
struct Context {
    of: &'static str,
    /// Parameters of the kernel, by name.
    parameters: &'static [(&'static str, &'static str)],
    /// Ops before the fragment.
    before: &'static str,
}

const CONTEXTS: &[Context] = &[
    Context { of: "TG0004", parameters: &[("first", "i1")], before: "" },
    Context { of: "TG0010", parameters: &[("a", "i32"), ("b", "i32")], before: "" },
    Context { of: "TG0102", parameters: &[("zero", "i64")], before: "" },
    Context { of: "TG0104", parameters: &[("even", "i1")], before: "" },
    Context {
        of: "TG0107",
        parameters: &[("sem", "!tg.semaphore_ref<4>"), ("counts", "!tg.ref<4xi32, gmem>")],
        before: "",
    },
    Context { of: "TG0109", parameters: &[("address", "i32")], before: "" },
    Context { of: "TG0302", parameters: &[("x", "f32"), ("n", "i32")], before: "" },
    Context { of: "TG0303", parameters: &[("a", "i32"), ("b", "i32")], before: "" },
    Context { of: "TG0309", parameters: &[("a", "f32"), ("b", "f32")], before: "" },
    Context { of: "TG0310", parameters: &[("a", "i32"), ("b", "i32")], before: "" },
    Context { of: "TG0403", parameters: &[], before: "%sum = arith.constant dense<1.0> : vector<128xf32>\n" },
    Context { of: "TG0611", parameters: &[], before: "%v = arith.constant dense<1.0> : vector<128xf32>\n" },
    Context {
        of: "TG0808",
        parameters: &[],
        before: "%v = tg.load %x[0] : !tg.ref<1024xf32, gmem> -> vector<128xf32>\n",
    },
];

/// Codes whose examples are not for the default target.
const TARGETS: &[(&str, &str)] = &[("TG0702", "sm_100a")];

/// Codes that a pass gives and not the verifier: what has to run.
const PASSES: &[(&str, &str)] = &[("TG0611", "insert-fences{diagnose=true}"), ("TG0808", "infer-layouts")];

/// Codes whose wrong example is accepted here, with the reason.
const ACCEPTED: &[(&str, &str)] =
    &[("TG0309", "only the lowering refuses opaque ops: lit/cli/compile.test has the case")];

/// A module with the fragment in it, or which name nothing declares.
///
/// Barriers that the fragment only declares or arrives on are waited for at the end, as the rest of a kernel would.
fn wrap(of: &str, text: &str) -> Result<String, String> {
    if text.lines().any(|line| line.trim_start().starts_with("tg.kernel")) {
        return Ok(text.to_owned());
    }
    let context = CONTEXTS.iter().find(|context| context.of == of);
    let before_it = context.map_or("", |context| context.before);
    let all = format!("{before_it}{text}");
    let refs = types(&all, "!tg.ref<");
    let in_space = |space: &str, default: &'static str| {
        refs.iter().copied().find(|text| text.contains(space)).unwrap_or(default).to_owned()
    };
    let barrier =
        types(text, "!tg.barrier_ref<").first().copied().unwrap_or("!tg.barrier_ref<2, arrivals = 1>");
    let (mut parameters, mut before) = (Vec::new(), String::new());
    for name in open_names(&all) {
        let given =
            context.and_then(|context| context.parameters.iter().find(|parameter| parameter.0 == name));
        if let Some((_, kind)) = given {
            parameters.push(format!("%{name}: {kind}"));
            continue;
        }
        match name {
            "x" => parameters.push(format!("%x: {}", in_space("gmem", "!tg.ref<1024xf32, gmem>"))),
            "y" => parameters.push(format!("out %y: {}", in_space("gmem", "!tg.ref<1024xf32, gmem>"))),
            "buf" | "out" | "a" => {
                let _ =
                    writeln!(before, "%{name} = tg.alloc : {}", in_space("smem", "!tg.ref<2x128xf32, smem>"));
            }
            "full" | "empty" | "done" | "ready" | "all" | "ping" | "pong" => {
                let _ = writeln!(before, "%{name} = tg.alloc_barrier : {barrier}");
            }
            "i" | "j" | "k" | "n" | "slot" | "off" | "rank" => parameters.push(format!("%{name}: index")),
            _ => match name.strip_prefix('c').and_then(|number| number.parse::<u32>().ok()) {
                Some(number) => {
                    let _ = writeln!(before, "%{name} = arith.constant {number} : index");
                }
                None => return Err(format!("nothing declares %{name}")),
            },
        }
    }
    let mut behind = String::new();
    for line in before.lines().chain(text.lines()).filter(|_| of != "TG0213") {
        let Some((name, kind)) = line.split_once(" = tg.alloc_barrier") else { continue };
        let name = name.trim_end();
        let whole = types(kind, "!tg.barrier_ref<");
        let shape = whole.first().and_then(|text| text["!tg.barrier_ref<".len()..].split(',').next());
        let (Some(kind), Some(shape)) = (whole.first(), shape) else { continue };
        if !name.starts_with(' ') && !text.contains(&format!("barrier_wait {name}")) {
            let zeros = vec!["0"; shape.split('x').count()].join(", ");
            let _ = writeln!(behind, "tg.barrier_wait {name}[{zeros}] : {kind}");
        }
    }
    let cluster = all.contains("cluster = [\"x\"]") || all.contains("peer(");
    let cluster = if cluster { " cluster [\"x\" = 2]" } else { "" };
    let roles = text.starts_with("role ");
    let text = if roles { format!("tg.warp_specialize {{\n{text}}}\n") } else { text.to_owned() };
    let parameters = parameters.join(", ");
    Ok(format!(
        "tg.kernel @example({parameters}) grid [\"block\" = 4]{cluster} {{\n{before}{before_it}{text}{behind}}}\n"
    ))
}

/// What parse, verify and the passes due say to a module.
fn findings(of: &str, text: &str) -> Diagnostics {
    let target = TARGETS.iter().find(|row| row.0 == of).map_or("sm_90a", |row| row.1);
    let mut sink = Diagnostics::unlimited();
    let (mut module, _) = parse("example.mlir", text, &mut sink);
    if !sink.has_errors() {
        let _ = verify(&module, Some(Target::find(target).expect("a known target")), &mut sink);
    }
    if let Some((_, passes)) = PASSES.iter().find(|row| row.0 == of)
        && !sink.has_errors()
    {
        let mut sources = std::mem::take(&mut module.sources);
        let manager = PassManager::from_text(passes, &Registry::standard(), &mut sources, &mut sink);
        module.sources = sources;
        let _ = manager.expect("a pipeline").run(&mut module, &mut sink, &mut Instrumentation::default());
    }
    sink
}

fn said(sink: &Diagnostics) -> String {
    sink.into_iter().map(|diagnostic| format!("    {diagnostic}\n")).collect()
}

#[test]
fn examples_of_explanations_are_true() {
    let mut problems = String::new();
    for info in codes::all() {
        for block in fenced(info.explanation).iter().filter(|block| block.language == "mlir") {
            let module = match wrap(info.id, &block.text) {
                Ok(module) => module,
                Err(message) => {
                    let _ = writeln!(problems, "{}: {}\n    {message}", info.id, block.lead);
                    continue;
                }
            };
            let sink = findings(info.id, &module);
            let wrong = block.lead.starts_with("Wrong");
            assert!(wrong || block.lead.starts_with("Right"), "{}: `{}` says neither", info.id, block.lead);
            let accepted = ACCEPTED.iter().any(|row| row.0 == info.id);
            let fits = if wrong && !accepted {
                !sink.is_empty() && sink.into_iter().all(|found| found.code == info.code)
            } else {
                sink.is_empty()
            };
            if !fits {
                let _ = writeln!(problems, "{}: {}\n{}{}", info.id, block.lead, said(&sink), module);
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// What running a body says: codes of findings, or `TG1101` when it cannot be read.
fn ran(body: &str) -> Vec<String> {
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<8>;\n.reg .b32 %r<16>;\n\
         .reg .b64 %rd<16>;\n.reg .f32 %f<16>;\n.shared .align 8 .b64 full;\n.shared .align 8 .b64 empty;\n\
         .shared .align 128 .b8 buf[1024];\n{body}\nret;\n}}\n"
    );
    let module = match ptx::launch::Module::from_text(&text) {
        Ok(module) => module,
        Err(errors) => return errors.iter().map(|_| codes::PTX_ERROR.id().to_owned()).collect(),
    };
    let mut device = ptx::launch::Device::new();
    let loaded = device.load(&module).expect("variables");
    let dims = ptx::env::Dims { grid: [1; 3], block: [64, 1, 1], cluster: [1; 3], explicit_cluster: false };
    let launch = ptx::launch::Launch {
        dims,
        dynamic_shared_bytes: 0,
        dynamic_shared_symbol: None,
        dynamic_shared_align: 16,
        params: Vec::new(),
    };
    let mut options = ptx::launch::RunOptions::default();
    options.config.fuel = 10_000;
    let kernel = module.kernel("k").expect("the kernel");
    let outcome = device.run(&loaded, kernel, &launch, &options).expect("a launch");
    outcome.report.findings.iter().map(|(finding, _)| finding.code.as_str().to_owned()).collect()
}

#[test]
fn examples_of_what_a_run_finds_are_true() {
    let mut problems = String::new();
    for info in codes::all() {
        for block in fenced(info.explanation).iter().filter(|block| block.language == "ptx") {
            let wrong = block.lead.starts_with("Wrong");
            assert!(wrong || block.lead.starts_with("Right"), "{}: `{}` says neither", info.id, block.lead);
            let found = ran(&block.text);
            let fits = if wrong {
                // One mistake may have two faces: a missed phase is a hang, too.
                found.iter().any(|code| code == info.id)
            } else {
                found.is_empty()
            };
            if !fits {
                let _ = writeln!(problems, "{}: {}: {found:?}\n{}", info.id, block.lead, block.text);
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a readable file")
}

#[test]
fn examples_of_the_pages_are_true() {
    let mut problems = String::new();
    for page in ["README.md", "docs/barriers.md", "docs/kernels.md"] {
        let text = read(page);
        let blocks = fenced(&text);
        assert!(blocks.iter().any(|block| block.language == "mlir"));
        for block in blocks.iter().filter(|block| block.language == "mlir") {
            match wrap(page, &block.text) {
                Ok(module) => {
                    let sink = findings(page, &module);
                    if !sink.is_empty() {
                        let _ = writeln!(problems, "{page}:{}\n{}{module}", block.line, said(&sink));
                    }
                }
                Err(message) => {
                    let _ = writeln!(problems, "{page}:{}: {message}", block.line);
                }
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// The texts that authors read, by name.
fn texts() -> Vec<(String, String)> {
    let pages = ["README.md", "docs/barriers.md", "docs/kernels.md"];
    let pages = pages.iter().map(|&page| (page.to_owned(), read(page)));
    pages.chain(codes::all().map(|info| (info.id.to_owned(), info.explanation.to_owned()))).collect()
}

#[test]
fn ops_that_are_named_exist() {
    let mut problems = String::new();
    for (of, text) in texts() {
        // The wrong example of an unknown op names one.
        for word in
            text.split(|c: char| !c.is_ascii_alphanumeric() && !"._!".contains(c)).filter(|_| of != "TG0003")
        {
            let word = word.trim_end_matches('.');
            if word.starts_with("tg.") && Opcode::find(word).is_none() {
                let _ = writeln!(problems, "{of}: there is no `{word}`");
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// What the command line says of `arguments`.
fn help(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tidegate")).args(arguments).output().expect("tidegate runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn commands_and_options_that_are_named_exist() {
    let mut problems = String::new();
    let commands = help(&["--help"]);
    for (of, text) in texts() {
        for line in text.lines().filter(|line| !line.contains("cargo")) {
            let Some((_, rest)) = line.split_once("tidegate ") else { continue };
            let in_line = rest.split_once('`').map_or(rest, |(command, _)| command);
            let mut words = in_line.split('#').next().unwrap_or_default().split_whitespace();
            let command = words.next().unwrap_or_default();
            let shown = line.contains("`tidegate ")
                || ["sh", "console"].iter().any(|language| {
                    let of_language =
                        |block: &Fenced| block.language == *language && block.text.contains(line);
                    fenced(&text).iter().any(of_language)
                });
            if !shown {
                continue;
            }
            if !commands.lines().any(|line| line.split_whitespace().next() == Some(command)) {
                let _ = writeln!(problems, "{of}: there is no `tidegate {command}`");
                continue;
            }
            let known = help(&[command, "--help"]);
            for option in words.filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                if !known.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == option) {
                    let _ = writeln!(problems, "{of}: `tidegate {command}` has no {option}");
                }
            }
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// Codes that no test can provoke, with the reason.
const NOT_PROVOKED: &[(&str, &str)] = &[
    ("TG0016", "needs a text of 4 GiB; the limit itself is tested in tidegate-ir with a smaller one"),
    ("TG0703", "a block of the targets that there are has too few warps to need 16 named barriers"),
];

fn rust_and_lit_files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_and_lit_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs" || end == "mlir" || end == "test") {
            found.push(std::fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}

#[test]
fn every_code_is_provoked_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests", "lit", "src/ir/tests", "passes/tests", "passes/transform/tests", "passes/pass"] {
        rust_and_lit_files(&root.join(folder), &mut files);
    }
    files.push(read("src/frontend/spec/tests.rs"));
    // Findings of runs are provoked by the tests of the machine and of the instructions, many of which stand with them.
    let mut runs = Vec::new();
    for folder in ["src/machine", "src/ptx"] {
        rust_and_lit_files(&root.join(folder), &mut runs);
    }
    let tests = |text: &String| text.find("#[test]").map(|at| text[at..].to_owned());
    let runs: Vec<String> = runs.iter().filter_map(tests).collect();
    let this = read("tests/explanations.rs");
    let mut problems = String::new();
    for info in codes::all() {
        // The first test of this file provokes those with a wrong example that is MLIR.
        let example =
            fenced(info.explanation).iter().any(|b| b.language != "sh" && b.lead.starts_with("Wrong"))
                && !ACCEPTED.iter().any(|row| row.0 == info.id);
        let (id, name) = (info.id, format!("codes::{}", info.name));
        let tested = files.iter().any(|text| *text != this && (text.contains(id) || text.contains(&name)));
        let of_machine = machine::finding::Code::ALL.iter().find(|code| code.as_str() == info.id);
        let tested = tested
            || of_machine.is_some_and(|code| runs.iter().any(|text| text.contains(&format!("{code:?}"))));
        let listed = NOT_PROVOKED.iter().any(|row| row.0 == info.id);
        if !example && !tested && !listed {
            let _ = writeln!(problems, "{id} ({}): no test provokes it", info.title);
        }
        assert!(!(listed && example), "{id} is provoked, so the list need not have it");
    }
    assert!(problems.is_empty(), "\n{problems}");
}
