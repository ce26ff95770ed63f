//! Damaged texts: the reader says what is wrong and never panics or runs away; what it still takes prints and reads
//! back.

use std::time::{Duration, Instant};

use tidegate_ir::diag::{Diagnostics, Renderer};
use tidegate_ir::text::{PrintOptions, parse, print};

use crate::generate::{self, Choices, Options};
use crate::{jax, lit_files};

/// How long the random part runs; `TIDEGATE_MUTATION_SECONDS` overrides it.
const SECONDS: u64 = 3;

const KERNEL: &str = r##"// A ring of two slots.
#loc3 = loc("kernel.py":12:4)
!row = vector<128xf32>
tg.kernel @ring(%x: !tg.ref<8x128xf32, gmem>, out %y: !tg.ref<?x128xf32, gmem>) grid ["i" = 4, "j" = ?] attributes {a = "b\22\n"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %full = tg.alloc_barrier : !tg.barrier_ref<2x1, arrivals = 1, cluster = ["x", ["y", "z"]], leader_tracked>
  %buf = tg.alloc align 1024 : !tg.ref<2x128xf32, smem, tile = [8], swizzle = 128>
  tg.warp_specialize {
    role @producer warps 1 registers 40 {
      scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {
        tg.copy_gmem_to_smem %x[%k, 0] -> %buf[%k], %full[%a, 0] if %p : !tg.ref<8x128xf32, gmem> -> !tg.ref<2x128xf32, smem, tile = [8], swizzle = 128>, !tg.barrier_ref<2x1, arrivals = 1, cluster = ["x", ["y", "z"]], leader_tracked> loc(#loc3)
        scf.yield %k : index
      }
    }
    role @consumer {
      %v = arith.constant dense<-1.5e+00> : !row
      %q:2 = "x.y"(%v) <{k = [1, {n = @a::@b, m = 0x7F800000 : f32}]}> ({
      ^bb0(%t: i32 loc("f"(callsite(unknown at fused<"m">["g":1:2 to :3])))):
        "x.br"(%t)[^bb1] : (i32) -> ()
      ^bb1:
        "x.br"()[^bb1] {d = array<i64: 1, -2>, e = affine_map<(d0) -> (d0)>} : () -> ()
      }) : (!row) -> (i1, (i32) -> ())
      tg.barrier_wait %full[0, 0] : !tg.barrier_ref<2x1, arrivals = 1, cluster = ["x", ["y", "z"]], leader_tracked>
    }
  }
}
"##;

/// Reads `text`; when it reads, it must also print and read back. Diagnostics must render.
fn take(text: &str) -> bool {
    let mut diags = Diagnostics::new();
    let (module, result) = parse("damaged.mlir", text, &mut diags);
    assert_eq!(result.is_err(), diags.has_errors());
    for diagnostic in diags.into_vec() {
        assert!(!Renderer::plain().render(&module.sources, &diagnostic).is_empty());
    }
    // What could be read of a damaged module is printed, too: tools show it.
    for generic in [false, true] {
        let options = PrintOptions { generic, locations: generic };
        let printed = print(&module, options);
        if result.is_ok() {
            let mut diags = Diagnostics::new();
            let (back, again) = parse("printed.mlir", &printed, &mut diags);
            if again.is_err() {
                let shown = Renderer::plain().render_all(&back.sources, &diags.into_vec());
                panic!("{shown}\n--- of\n{printed}\n--- of\n{text}");
            }
            if let Some(difference) = module.difference(&back, false) {
                panic!("{difference}\n--- in\n{printed}\n--- of\n{text}");
            }
            assert_eq!(print(&back, options), printed);
        }
    }
    result.is_ok()
}

#[test]
fn the_kernel_reads_but_for_one_name() {
    assert!(take(&KERNEL.replace(" if %p", "").replace("tile = [8]", "tile = [1, 8]")));
}

#[test]
fn every_truncation_is_refused_or_read() {
    for (at, _) in KERNEL.char_indices() {
        take(&KERNEL[..at]);
        if at % 8 == 0 {
            take(&KERNEL[at..]);
        }
    }
}

#[test]
fn every_byte_alone_and_in_the_middle() {
    for byte in 0..=127u8 {
        let byte = char::from(byte);
        take(&byte.to_string());
        take(&format!("{byte}{byte}"));
        take(&format!("%a = arith.constant 1{byte} : i32\n\"x.y\"(%a{byte}) : (i32) -> {byte}()"));
        take(&format!("\"x.y\"() {{a = \"{byte}\", b = \"\\{byte}\"}} : () -> ()"));
    }
    for text in
        ["", "\u{feff}", "é", "\u{feff}module {}", "\r\n", "\"", "\0", "𝄞%", "// only", "//", "/", "module"]
    {
        take(text);
    }
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_do_not_matter() {
    let kernel = KERNEL.replace(" if %p", "").replace("tile = [8]", "tile = [1, 8]");
    assert!(take(&kernel.replace('\n', "\r\n")));
    assert!(take(&format!("\u{feff}{kernel}")));
}

#[test]
fn deep_nesting_is_refused_without_a_stack_overflow() {
    const DEEP: usize = 10_000;
    let around = |before: &str, middle: &str, after: &str| {
        format!("{}{middle}{}", before.repeat(DEEP), after.repeat(DEEP))
    };
    let attr = |text: String| format!("\"x.y\"() {{a = {text}}} : () -> ()");
    for text in [
        around("module {", "", "}"),
        around("module {\n", "", "\n}"),
        around("\"x.y\"() ({", "", "}) : () -> ()"),
        around("scf.if %c {\n", "", "\n} else {\n}"),
        around("scf.if %c {\n} else {\n", "", "\n}"),
        around("tg.warp_specialize { role @r {", "", "}}"),
        around("\"x.y\"() ({}, {", "", "}) : () -> ()"),
        attr(around("[", "1", "]")),
        attr(around("{b = ", "1", "}")),
        attr(around("(", "i32", ")")),
        attr(around("(", "", ") -> ()")),
        attr(around("() -> (", "i32", ")")),
        attr(around("() -> ", "i32", "")),
        attr(around("vector<4x", "i32", ">")),
        attr(around("#x<", "i32", ">")),
        attr(around("!x<", "i32", ">")),
        attr(around("@a::", "@a", "")),
        attr(around("dense<[", "1", "]> : vector<4xi32>")),
        attr(around("array<i64: ", "1", ">")),
        attr(around("-", "1", "")),
        format!("\"x.y\"() : () -> () loc({})", around("\"a\"(", "unknown", ")")),
        format!("\"x.y\"() : () -> () loc({})", around("callsite(", "unknown", " at unknown)")),
        format!("\"x.y\"() : () -> () loc({})", around("callsite(unknown at ", "unknown", ")")),
        format!("\"x.y\"() : () -> () loc({})", around("fused[", "unknown", "]")),
        format!("%a = tg.alloc : {}", around("!tg.ref<4x", "f32, smem", ">")),
        around("{", "", "}"),
        around("}", "", "{"),
        around("^bb0:\n", "", ""),
        around("\"x.y\"() : () -> ()\n", "", ""),
        around("// x\n", "", ""),
        around("%a, ", "%b = \"x.y\"() : () -> ()", ""),
        around("\"x.y\"(%a) : (i32) -> ()\n", "", ""),
    ] {
        take(&text);
    }
}

#[test]
fn aliases_of_aliases_do_not_blow_up() {
    let bomb = |first: &str, next: &dyn Fn(usize) -> String, end: &str| {
        let mut text = format!("{first}\n");
        for level in 1..200 {
            text.push_str(&next(level));
            text.push('\n');
        }
        text + end
    };
    let before = |level: usize| level - 1;
    for text in [
        bomb(
            "#a0 = [1, 1]",
            &|n| format!("#a{n} = [#a{0}, #a{0}]", before(n)),
            "\"x.y\"() {a = #a199} : () -> ()",
        ),
        bomb(
            "#a0 = 1",
            &|n| format!("#a{n} = {{x = #a{0}, y = #a{0}}}", before(n)),
            "\"x.y\"() {a = #a40} : () -> ()",
        ),
        bomb(
            "#a0 = 1",
            &|n| format!("#a{n} = #x<#a{0}, #a{0}>", before(n)),
            "\"x.y\"() {a = #a40} : () -> ()",
        ),
        bomb("!a0 = i32", &|n| format!("!a{n} = !x<!a{0}, !a{0}>", before(n)), "\"x.y\"() : () -> !a40"),
        bomb("!a0 = i32", &|n| format!("!a{n} = (!a{0}, !a{0}) -> ()", before(n)), "\"x.y\"() : () -> !a40"),
        bomb("!a0 = i32", &|n| format!("!a{n} = tuple<!a{0}, !a{0}>", before(n)), "\"x.y\"() : () -> !a40"),
        bomb(
            "#a0 = i32",
            &|n| format!("#a{n} = (!x<#a{0}>, !x<#a{0}>) -> ()", before(n)),
            "\"x.y\"() {a = #a40} : () -> ()",
        ),
        bomb(
            "#a0 = loc(unknown)",
            &|n| format!("#a{n} = loc(callsite(#a{0} at #a{0}))", before(n)),
            "\"x.y\"() : () -> () loc(#a199)",
        ),
        bomb(
            "#a0 = loc(unknown)",
            &|n| format!("#a{n} = loc(fused[#a{0}, #a{0}])", before(n)),
            "\"x.y\"() : () -> () loc(#a40)",
        ),
        bomb(
            "#a0 = loc(unknown)",
            &|n| format!("#a{n} = loc(fused<[#a{0}, #a{0}]>[unknown])", before(n)),
            "\"x.y\"() : () -> () loc(#a40)",
        ),
    ] {
        let start = Instant::now();
        take(&text);
        assert!(start.elapsed() < Duration::from_secs(20), "{}", &text[..80]);
    }
}

#[test]
fn huge_numbers_are_refused_or_kept() {
    let huge = "9".repeat(10_000);
    for number in [
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "-170141183460469231731687303715884105728",
        "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "1.0e999999999",
        "1.0e-999999999",
        &huge,
    ] {
        for text in [
            "%a = arith.constant N : i32",
            "%a = arith.constant N : i128",
            "%a = arith.constant N : f32",
            "\"x.y\"() {a = N} : () -> iN",
            "%a:N = \"x.y\"() : () -> i32",
            "\"x.y\"(%a#N) : (i32) -> ()",
            "%a = tg.alloc : !tg.ref<NxNxf32, smem, strides = [N], tile = [N], swizzle = N>",
            "%a = tg.alloc_barrier : !tg.barrier_ref<N, arrivals = N>",
            "%a = \"x.y\"() : () -> vector<NxNxNxi8>",
            "tg.kernel @k() grid [\"i\" = N] threads [\"w\" = N] {}",
            "\"x.y\"() : () -> () loc(\"f\":N:N to N:N)",
            "\"x.y\"() {a = array<i8: N>, b = dense<N> : vector<4xi8>} : () -> ()",
            "tg.role @r warps N registers N {}",
            "tg.wait_smem_to_gmem N",
        ] {
            take(&text.replace('N', number));
        }
    }
}

/// Changes one to a few places of the text.
fn damage(text: &str, choices: &mut Choices<'_>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=choices.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = choices.below(bytes.len().min(65_536));
        match choices.below(9) {
            0 => drop(bytes.remove(at)),
            1 => bytes[at] = choices.of(b"%^@#!<>(){}[]:,=\"-0a.x?/ \n\\\0\xc3"),
            2 => bytes.insert(at, choices.of(b"%^@#!<>(){}[]:,=\"-09x?/ \n\\")),
            3 => bytes.truncate(at),
            // Tokens: a stretch is left out, doubled, or swapped with another one.
            4 => drop(bytes.drain(at..token_end(&bytes, at))),
            5 => {
                let token = bytes[at..token_end(&bytes, at)].to_vec();
                bytes.splice(at..at, token);
            }
            6 => {
                let from = choices.below(bytes.len().min(65_536));
                let token = bytes[from..token_end(&bytes, from)].to_vec();
                let end = token_end(&bytes, at);
                bytes.splice(at..end, token);
            }
            7 => {
                // A line moves elsewhere.
                let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                let end =
                    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |end| at + end + 1);
                let line: Vec<u8> = bytes.drain(start..end).collect();
                let to = choices.below(bytes.len().min(65_536)).min(bytes.len());
                bytes.splice(to..to, line);
            }
            _ => {
                let word = choices.of(&[
                    "tg.",
                    "loc(",
                    "!tg.ref<",
                    "dense<",
                    " : ",
                    " -> ",
                    "iter_args(",
                    "i32",
                    "%c0",
                    "0x",
                    "-",
                    "to",
                    "#",
                    "é",
                    "f80",
                    "!x",
                ]);
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn token_end(bytes: &[u8], at: usize) -> usize {
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'%');
    let length = bytes[at..].iter().take_while(|b| word(b)).count();
    at + length.max(1)
}

#[test]
fn damaged_texts_never_panic() {
    let mut texts = vec![KERNEL.replace(" if %p", "").replace("tile = [8]", "tile = [1, 8]")];
    for seed in 0..60 {
        let options = Options { for_mlir: false, locations: seed % 3 == 0 };
        let module = generate::module(&generate::choices_of(seed, 200), options, None);
        texts.push(print(&module, PrintOptions { generic: seed % 2 == 0, locations: seed % 3 == 0 }));
    }
    texts.extend(lit_files::texts());
    // The smaller ones: a run over a large text shows little more, and takes long.
    let jax = jax::files().into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.extend(jax.filter(|text| text.len() < 30_000).take(4));
    let seconds = std::env::var("TIDEGATE_MUTATION_SECONDS").ok().and_then(|text| text.parse().ok());
    let seconds = seconds.unwrap_or(SECONDS);
    let end = Instant::now() + Duration::from_secs(seconds);
    let first = if seconds == SECONDS { 0 } else { u64::from(std::process::id()) << 32 };
    let (mut runs, mut taken) = (0u64, 0u64);
    while Instant::now() < end {
        let bytes = generate::choices_of(first + runs, 64);
        let mut choices = Choices::new(&bytes);
        let text = damage(&texts[choices.below(texts.len())], &mut choices);
        let result = std::panic::catch_unwind(|| take(&text));
        match result {
            Ok(read) => taken += u64::from(read),
            Err(panic) => {
                println!("--- run {} of seed {first}, text:\n{text}", runs);
                std::panic::resume_unwind(panic);
            }
        }
        runs += 1;
    }
    println!("{runs} damaged texts, {taken} of them still modules");
}

/// Looking for near names goes through all names, so it must not be done for each of many undefined ones; and long
/// names are near to nothing.
#[test]
fn many_undefined_and_very_long_names_end_soon() {
    use std::fmt::Write;
    let mut text = String::from("tg.kernel @k() {\n");
    for index in 0..20_000 {
        let _ = writeln!(text, "  %a{index} = arith.addi %q{index}, %q{index} : index");
    }
    let long = "a".repeat(1_000_000);
    let _ = writeln!(
        text,
        "  %{long}b = arith.constant 0 : index\n  %c = arith.addi %{long}, %{long} : index\n}}"
    );
    let mut diags = Diagnostics::new();
    let (_, result) = parse("many.mlir", &text, &mut diags);
    assert!(result.is_err());
    assert_eq!(diags.error_count(), 20_001);
}
