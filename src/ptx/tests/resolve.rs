//! Slots, places, labels and initial bytes.

#![allow(clippy::unwrap_used, reason = "tests")]

use tidegate_ptx::ast::{Constant, ScalarType, SourceLine};
use tidegate_ptx::program::{AddressBase, Arg, Formal, Function, Program, Reg, RelocationTarget, Symbol};
use tidegate_ptx::{parse, resolve};

fn program(text: &str) -> Program {
    let text = format!(".version 8.0\n.target sm_90a\n.address_size 64\n{text}");
    resolve(&parse(&text).unwrap_or_else(|errors| panic!("{errors:#?}")))
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn function<'a>(program: &'a Program, name: &str) -> &'a Function {
    program.functions.iter().find(|function| function.name == name).unwrap()
}

fn symbol<'a>(program: &'a Program, name: &str) -> &'a Symbol {
    program.symbols.iter().find(|symbol| symbol.name == name).unwrap()
}

fn int(value: u64) -> Arg {
    Arg::Const(Constant::Int { bits: value, unsigned: false })
}

#[test]
fn slots_are_dense_and_scoped() {
    let program = program(
        ".entry k() { .reg .b32 %r<1000000>, x; .reg .pred p; .reg .b16 h; .reg .b64 d; .reg .b128 q;
         mov.b32 %r999999, x;
         { .reg .b32 x; mov.b32 x, %r999999; }
         { .reg .b64 x; mov.b64 x, d; }
         @!p mov.b16 h, x; mov.b128 q, q; }",
    );
    let k = function(&program, "k");
    let reg = |index: usize, arg: usize| match &k.body[index].args[arg] {
        Arg::Reg(reg, _) => *reg,
        other => panic!("{other:?}"),
    };
    assert_eq!((reg(0, 0), reg(0, 1)), (Reg::R32(0), Reg::R32(1)));
    assert_eq!((reg(1, 0), reg(1, 1)), (Reg::R32(2), Reg::R32(0)));
    assert_eq!((reg(2, 0), reg(2, 1)), (Reg::R64(0), Reg::R64(1)));
    assert_eq!((reg(3, 0), reg(3, 1)), (Reg::R32(3), Reg::R32(1)));
    assert_eq!(k.body[3].guard, Some((0, true)));
    assert_eq!((k.regs.p, k.regs.r32, k.regs.r64, k.regs.r128), (1, 4, 2, 1));
    assert_eq!(k.reg_names[0], (Reg::R32(0), "%r999999".to_owned(), ScalarType::B32));
    assert_eq!(k.reg_names.len(), 8);
}

#[test]
fn vectors_have_a_slot_for_each_component() {
    let program = program(".entry k() { .reg .v4 .f32 v; mov.f32 v.y, v.g; ld.global.v4.f32 v, [0]; }");
    let k = function(&program, "k");
    let part = |slot| Arg::Reg(Reg::R32(slot), ScalarType::F32);
    assert_eq!(k.body[0].args, [part(0), part(0)]);
    assert_eq!(k.body[1].args[0], Arg::Vector(vec![part(1), part(0), part(2), part(3)]));
    assert_eq!(k.reg_names[0].1, "v.y");
}

#[test]
fn labels_are_indices_of_instructions() {
    let program = program(
        ".entry k() { .reg .b32 i; bra END;
         { L: nop; bra L; bra OUT; }
         { L: bra L; }
         OUT: brx.idx i, T;
         T: .branchtargets END, OUT;
         .loc 1 2 3
         nop; END: }",
    );
    let k = function(&program, "k");
    let target = |index: usize| k.body[index].args.last().unwrap().clone();
    assert_eq!(target(0), Arg::Label(7), "behind the last instruction");
    assert_eq!(target(2), Arg::Label(1));
    assert_eq!(target(3), Arg::Label(5));
    assert_eq!(target(4), Arg::Label(4), "a name of another scope");
    assert_eq!(target(5), Arg::Targets(vec![7, 5].into()));
    assert_eq!(k.body[5].source, None);
    assert_eq!(k.body[6].source, Some(SourceLine { file: 1, line: 2, column: 3 }));
}

#[test]
fn variables_have_places() {
    let program = program(
        ".shared .b8 a; .extern .shared .align 1024 .b8 dynamic[]; .shared .align 8 .b8 b[3]; .extern .global .u32 e;
         .entry k(.param .u8 x, .param .align 64 .b8 map[128], .param .u64 y, .param .v2 .f32 z)
         { .local .b8 l; .local .v4 .f32 m[2]; .shared .b64 c; { .param .b32 n; } mov.b64 r, c; .reg .b64 r; }"
            .replace(" mov.b64 r, c; .reg .b64 r;", " .reg .b64 r; mov.b64 r, c+8; mov.b64 r, map; ld.b64 r, [c+4];")
            .as_str(),
    );
    let place = |name| {
        let symbol = symbol(&program, name);
        (symbol.offset, symbol.size, symbol.align)
    };
    assert_eq!(place("a"), (0, 1, 1));
    assert_eq!(place("b"), (8, 3, 8));
    assert_eq!(place("c"), (16, 8, 8));
    assert_eq!(program.shared_bytes, 24);
    assert_eq!(place("dynamic"), (1024, 0, 1024), "behind the static variables");
    assert!(symbol(&program, "e").external);
    assert_eq!(
        [place("x"), place("map"), place("y"), place("z")],
        [(0, 1, 1), (64, 128, 64), (192, 8, 8), (200, 8, 8)]
    );
    assert_eq!([place("l"), place("m"), place("n")], [(0, 1, 1), (16, 32, 16), (48, 4, 4)]);
    let k = function(&program, "k");
    assert_eq!((k.param_bytes, k.frame_bytes), (208, 52));
    assert!(matches!(k.body[0].args[1], Arg::Symbol(_, 8)));
    assert!(matches!(k.body[2].args[1], Arg::Address(AddressBase::Symbol(_), 4, _)));
}

#[test]
fn functions_are_declared_then_defined() {
    let program = program(
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
         .func (.param .b32 r) f (.param .b32 a);
         .func g () ; .alias h, i;
         .entry k() { .reg .b32 x; .reg .b64 p; .param .b32 s, t;
           call (s), f, (t); call (s), vprintf, (t, t); call h; mov.b64 p, f;
           P: .callprototype _ (); C: .calltargets f, i; call p, (), P; call p, (), C; }
         .func (.param .b32 r) f (.param .b32 a) { ret; }
         .func (.reg .b32 r) j (.reg .b32 a) { mov.b32 r, a; ret; }
         .func i () { ret; }",
    );
    let vprintf = function(&program, "vprintf");
    assert!(!vprintf.defined && vprintf.params.len() == 2 && vprintf.frame_bytes == 20);
    assert!(function(&program, "f").defined);
    assert!(!function(&program, "g").defined);
    assert_eq!(program.functions.iter().filter(|function| function.name == "f").count(), 1);
    let j = function(&program, "j");
    assert_eq!(j.params, [Formal::Register(Reg::R32(0), ScalarType::B32)]);
    assert_eq!(j.body[0].args[1], Arg::Reg(Reg::R32(0), ScalarType::B32));
    let k = function(&program, "k");
    let name = |arg: &Arg| match arg {
        Arg::Function(id) => program.functions[id.0 as usize].name.as_str(),
        other => panic!("{other:?}"),
    };
    assert_eq!(name(&k.body[0].args[1]), "f");
    assert_eq!(name(&k.body[2].args[0]), "i");
    assert_eq!(name(&k.body[3].args[1]), "f");
    assert!(matches!(&k.body[4].args[2], Arg::Prototype(list) if list.is_empty()));
    assert!(matches!(&k.body[5].args[2], Arg::Prototype(list) if list.len() == 2));
}

#[test]
fn initial_bytes() {
    let program = program(
        ".global .b16 a[4] = {1, -2, 0x12345}; .global .f32 b = 1.5; .global .f16 c = 1.0; .global .b32 d = 0f3F800000;
         .global .u32 e[2][2] = {{}, {7}}; .const .b128 f = -1; .global .f64 g = 2.0;
         .global .u64 h[2] = {generic(a)+6, k}; .global .u8 i[2] = {0xff(a), 0xff00(a+4)};
         .entry k() { .global .u64 l = a; ret; }",
    );
    let bytes = |name| symbol(&program, name).init.clone();
    assert_eq!(bytes("a"), [1, 0, 0xfe, 0xff, 0x45, 0x23]);
    assert_eq!(bytes("b"), 1.5f32.to_le_bytes());
    assert_eq!(bytes("c"), [0, 0x3c]);
    assert_eq!(bytes("d"), 1f32.to_le_bytes());
    assert_eq!(bytes("e"), [0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0]);
    assert_eq!(bytes("f"), [0xff; 16]);
    assert_eq!(bytes("g"), 2f64.to_le_bytes());
    let h = &symbol(&program, "h").relocations;
    assert!(
        matches!(h[0].target, RelocationTarget::Symbol(id) if program.symbols[id.0 as usize].name == "a")
    );
    assert!(h[0].generic && h[0].addend == 6 && h[0].at == 0);
    assert!(matches!(h[1].target, RelocationTarget::Function(_)) && h[1].at == 8);
    let i = &symbol(&program, "i").relocations;
    assert_eq!((i[1].at, i[1].addend, i[1].byte_shift), (1, 4, Some(8)));
    assert_eq!(symbol(&program, "l").relocations.len(), 1);
}

#[test]
fn operands() {
    let program = program(
        ".global .b32 x[4];
         .entry k() { .reg .b32 a; .reg .b64 d; .reg .pred p;
           mov.b32 a, %tid.x; ld.global.b32 a, x[3]; mov.b64 d, x[3]; setp.eq.and.s32 p|_, a, -1, !p;
           cp [d+-8, {a, 1}], [16], WARP_SZ; }",
    );
    let k = function(&program, "k");
    let a = Arg::Reg(Reg::R32(0), ScalarType::B32);
    assert_eq!(k.body[0].args, [a.clone(), Arg::Special("tid.x".into())]);
    assert!(matches!(&k.body[1].args[1], Arg::Address(AddressBase::Symbol(_), 12, _)));
    assert!(matches!(&k.body[2].args[1], Arg::Symbol(_, 12)));
    let p = Reg::P(0);
    assert_eq!(
        k.body[3].args,
        [
            Arg::Pair(Box::new(Arg::Reg(p, ScalarType::Pred)), Box::new(Arg::Sink)),
            a.clone(),
            int(u64::MAX),
            Arg::NotReg(p, ScalarType::Pred)
        ]
    );
    assert_eq!(
        k.body[4].args,
        [
            Arg::Address(
                AddressBase::Reg(Reg::R64(0), ScalarType::B64),
                -8,
                vec![Arg::Vector(vec![a, int(1)])]
            ),
            Arg::Address(AddressBase::Absolute, 16, vec![]),
            int(32)
        ]
    );
    assert_eq!(k.body[4].arg_spans.len(), 3);
}
