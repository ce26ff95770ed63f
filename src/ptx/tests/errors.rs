//! What mistakes are called, and where they are said to be.

#![allow(clippy::unwrap_used, reason = "tests")]

use tidegate_ptx::{ParseError, parse, resolve, source::Source};

/// All mistakes of a text: `line:column message (help)`.
fn errors(text: &str) -> Vec<String> {
    let found: Vec<ParseError> = match parse(text) {
        Ok(module) => resolve(&module).err().unwrap_or_default(),
        Err(errors) => errors,
    };
    let source = Source::new(text);
    let shown = |error: &ParseError| {
        let (line, column) = source.position(error.span.start);
        let help = error.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{line}:{column} {}{help}", error.message)
    };
    found.iter().map(shown).collect()
}

/// Mistakes of lines of a kernel, which are numbered from 1.
fn in_kernel(lines: &str) -> Vec<String> {
    let head = ".version 8.0 .target sm_90a .address_size 64 .global .b32 table[4]; .entry k(.param .u64 p) {\
                .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .v2 .f32 v;";
    let found = errors(&format!("{}\n{lines}\n}}", head));
    // The head is one line.
    found
        .into_iter()
        .map(|error| {
            let (line, rest) = error.split_once(':').unwrap();
            format!("{}:{rest}", line.parse::<usize>().unwrap() - 1)
        })
        .collect()
}

fn in_module(lines: &str) -> Vec<String> {
    errors(&format!(".version 8.0 .target sm_90a .address_size 64 {lines}"))
}

#[track_caller]
fn one(found: Vec<String>, wanted: &str) {
    assert_eq!(found, [wanted]);
}

#[test]
fn the_head_of_a_module() {
    one(errors(""), "1:1 the text is empty (PTX starts with `.version` and `.target`)");
    assert_eq!(
        errors(".visible .entry k() { ret; }")[0],
        "1:1 wanted `.version` first, found `.visible` (PTX starts like this: `.version 8.0`, `.target sm_90a`)"
    );
    one(errors(".version 8\n.target sm_90a"), "1:10 wanted a version such as `8.0`, found `8`");
    one(
        errors(".version 8.0\n"),
        "2:1 the module has no `.target` (write the architecture: `.target sm_90a`)",
    );
    one(errors(".version 8.0 .target sm_90a\n.address_size 16"), "2:1 `.address_size` is 32 or 64, found 16");
    one(
        errors(".version 8.0 .target sm_90a\n.visibel .entry k() { ret; }"),
        "2:1 `.visibel` is not a directive of a module (did you mean `.visible`?)",
    );
    one(
        errors(".version 8.0 .target sm_90a\nadd.s32 %r1, %r2, 1;"),
        "2:1 wanted a directive such as `.entry`, `.func` or `.global`, found `add` (instructions stand within the `{ }` of a function)",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k() { ret; }\n}"),
        "3:1 no `{` is open here (the function ended at an earlier `}`: look for one too many)",
    );
}

#[test]
fn headers() {
    one(
        errors(".version 8.0 .target sm_90a\n.entry k()\n.maxntid 1, 2, 3, 4 { ret; }"),
        "3:1 `.maxntid` takes 1 to 3 numbers, found 4",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k()\n.maxnitd 1 { ret; }\n.entry j() { ret; }"),
        "3:1 `.maxnitd` is not a directive of a function (did you mean `maxntid`?)",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k(.param .u64 p\n{ ret; }"),
        "3:1 wanted `)` or `,` behind one of the parameters, found `{`",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k() { ret;\n"),
        "2:12 the body of `k` does not end (close it with `}`)",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k() { ret;\n.visible .entry j() { ret; }"),
        "3:1 `.visible` within the body of a function (the body before it does not end: a `}` is missing)",
    );
}

#[test]
fn instructions() {
    one(
        in_kernel("add.s32 %r1, %r2, 1\nsub.s32 %r1, %r2, 1;"),
        "1:19 wanted `;` behind the instruction, found `sub` (end the line with `;`)",
    );
    one(in_kernel("ret"), "1:3 wanted `;` behind the instruction, found `}` (end the line with `;`)");
    one(in_kernel("add.s32 %r1 %r2, 1;"), "1:13 wanted `,` or `;` behind the operand, found `%r2`");
    one(
        in_kernel("add.s32 %r1, %r2*4;"),
        "1:17 wanted `,` or `;` behind the operand, found `*` (operands are not computed: use an instruction)",
    );
    one(in_kernel("add.s32 %r1, , 1;"), "1:14 wanted an operand, found `,`");
    one(in_kernel("ld.global.b32 %r1, [%rd1;"), "1:25 wanted `]` behind the address, found `;`");
    one(
        in_kernel("ld.global.b32 %r1, [%rd1-4];"),
        "1:25 `-` behind a name (write `x+-4` to subtract: PTX only adds offsets)",
    );
    one(
        in_kernel("mov.b64 %rd1, {%r1, %r2;\nret;"),
        "1:24 wanted `}` or `,` behind a part of the vector, found `;`",
    );
    one(in_kernel("ret;;"), "1:5 `;` without an instruction before it (take it out)");
    one(
        in_kernel("@%p1 L: ret;"),
        "1:6 a label between a guard and its instruction (put the label before the `@`)",
    );
    one(in_kernel("mov.b32 %r1, é;"), "1:14 PTX does not use the character `é`; wanted an operand");
    one(in_kernel("ret; /* no end"), "1:6 this comment does not end (close it with `*/`)");
    one(
        in_kernel(".pragma \"x;\nret;"),
        "1:9 this text in quotes does not end on its line (close it with `\"`)",
    );
    one(
        errors(".version 8.0 .target sm_90a\n.entry k() {\n{ ret;"),
        "3:1 this scope does not end (close it with `}`)",
    );
    one(in_kernel(".locc 1 2 3\nret;"), "1:1 `.locc` is not a directive of a body (did you mean `.loc`?)");
    one(
        in_kernel(".branchtargets L;"),
        "1:1 `.branchtargets` needs a label before it (write `name: .branchtargets ...;`)",
    );
}

#[test]
fn constants() {
    one(
        in_kernel("mov.b32 %r1, 0f3F;"),
        "1:14 `0f3F` is not a number (behind `0f` stand exactly 8 hexadecimal digits)",
    );
    one(
        in_kernel("mov.b32 %r1, 089;"),
        "1:14 `089` is not a number (behind a leading `0` stand octal digits; a decimal number does not start with 0)",
    );
    one(in_kernel("mov.b32 %r1, 4/0;"), "1:15 division by zero");
    one(
        in_kernel("mov.b32 %r1, 99999999999999999999;"),
        "1:14 `99999999999999999999` does not fit in 64 bits",
    );
    one(
        in_kernel("mov.b32 %r1, 1+2.0;"),
        "1:14 an integer and a number with a point in one expression (write the integer with a point: `2.0`)",
    );
}

#[test]
fn declarations() {
    one(in_kernel(".reg .b31 x;"), "1:6 `.b31` is not a type (did you mean `.b32`?)");
    one(in_kernel(".reg x;"), "1:1 this declaration has no type (write it before the name: `.reg .b32 x;`)");
    one(in_kernel(".shared .align 3 .b8 x;"), "1:9 an alignment is a power of two, found 3");
    one(
        in_kernel(".shared .b32 x = 1;"),
        "1:18 `x` cannot have an initial value (only `.global` and `.const` variables have one; store to it instead)",
    );
    one(
        in_module("\n.global .b32 x[2] = {1, 2, 3};"),
        "2:28 more values than the dimension of 2 has elements",
    );
    one(
        in_module("\n.global .b32 x[2][] = {1};"),
        "2:14 a dimension is missing (only the first dimension may be left out)",
    );
    one(
        in_module("\n.global .f32 x = 1;"),
        "2:1 `x` is `.f32`, and its initial value is an integer (write it with a point (`1.0`) or as bits (`0f3F800000`))",
    );
    one(
        in_module("\n.global .b8 x[1] = {0xf0(y)};"),
        "2:21 `0xf0` does not select a byte of an address (write one byte of 0xff: `0xff(x)`, `0xff00(x)`, `0xff0000(x)`, ...)",
    );
    one(
        in_module("\n.global .u64 x = tabel; .global .b32 table;"),
        "2:18 there is no variable or function `tabel` (did you mean `table`?)",
    );
    one(
        in_module("\n.global .b32 x = table; .global .b32 table;"),
        "2:18 an address has 8 bytes here, an element of `.b32` 4 (use `.u64` for addresses, and `.u8` for their bytes (`0xff00(x)`))",
    );
    one(
        in_module("\n.shared .b8 x[];"),
        "2:1 the array `x` has no size (give the size, initial values, or `.extern` for dynamic shared memory)",
    );
    one(
        in_module("\n.reg .b32 x;"),
        "2:1 `.reg` variables cannot stand at module scope (registers stand within the body of a function)",
    );
    one(
        in_module("\n.global .b32 x; .global .b32 x;"),
        "2:30 `x` is declared twice (only one declaration can be without `.extern`: take this out or rename it)",
    );
    one(
        in_module("\n.func f() { ret; } .func f() { ret; }"),
        "2:26 `f` is defined twice (take one of the bodies out, or rename it)",
    );
    one(
        in_module("\n.func f(); .func f(.param .b32 x) { ret; }"),
        "2:18 `f` is `.func` with 1 parameters and 0 results here, and was `.func` with 0 parameters and 0 results before",
    );
}

#[test]
fn names() {
    let declare = "names are declared before they are used, and only seen within their `{ }`";
    one(in_kernel("mov.b32 %r1, %q1;"), "1:14 `%q1` is not declared (did you mean `%p1`?)");
    one(
        in_kernel("mov.b32 %r1, %r8;"),
        "1:14 `%r8` is not declared (`%r<8>` ends before it: raise the number)",
    );
    one(in_kernel("mov.b32 %r1, %tid.v;"), "1:14 `%tid.v` is not declared (did you mean `%tid.x`?)");
    one(
        in_kernel("{ .reg .b32 inside; }\nmov.b32 inside, 1;"),
        &format!("2:9 `inside` is not declared ({declare})"),
    );
    one(in_kernel("{ LOOP: ret; }\nbra LOOP;"), &format!("2:5 `LOOP` is not declared ({declare})"));
    one(in_kernel("bra DONE; DONNE: ret;"), "1:5 `DONE` is not declared (did you mean `DONNE`?)");
    one(
        in_kernel("L: ret;\nL: ret;"),
        "2:1 `L` is declared twice in this scope (take this out or rename it)",
    );
    one(
        in_kernel(".reg .b32 %r3;"),
        "1:11 `%r3` is declared twice in this scope (take this out or rename it)",
    );
    one(
        in_kernel("@%r1 ret;"),
        "1:2 `%r1` is not a predicate (a guard is a `.pred` register, as `setp` writes one)",
    );
    one(
        in_kernel("mov.f32 v.z, v.x;"),
        "1:9 `v` has 2 components and no `.z` (components are `.x`, `.y`, `.z`, `.w`)",
    );
    one(
        in_kernel("mov.b32 %r1, %r2.x;"),
        "1:14 `%r2` is one register and has no parts (declare it as a vector (`.reg .v2 .b32 v;`), or take the part out with `mov` or `bfe`)",
    );
    one(
        in_kernel("ld.global.b32 %r1, [%tid.x];"),
        "1:21 `%tid.x` is a special register, not an address (an address is a register, a variable or a number)",
    );
    one(
        in_kernel("mov.b32 %r1, %r2+4;"),
        "1:14 `%r2` is not a variable, so no offset can be added here (compute the sum in a register: `add.s32 %r1, %r2, 4;`)",
    );
    // Each name is told once, each mistake of a line by itself.
    assert_eq!(in_kernel("mov.b32 one, two;\nmov.b32 one, two;\nbra three;").len(), 3);
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    let found = errors(
        ".version 8.0\n.target sm_90a\n.entry k(.param .u64 p {\n\tret;\n}\n.entry j() {\n\tadd.s32 a b;\n\t{ x y z; }\n\tret\n}\n",
    );
    let lines: Vec<&str> = found.iter().map(|error| error.split(':').next().unwrap()).collect();
    assert_eq!(lines, ["3", "7", "8", "9"], "{found:#?}");
}
