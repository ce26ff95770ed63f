//! What the reader makes of the sample, and that what it prints says the same.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use proptest::prelude::*;
use tidegate_ptx::ast::{
    Constant, Initial, Instruction, Item, Linkage, Module, Operand, OperandKind, ScalarType, SourceLine,
    Space, Span,
};
use tidegate_ptx::parse;

const SAMPLE: &str = include_str!("sample.ptx");

fn without_spans(mut module: Module) -> Module {
    module.clear_spans();
    module
}

fn read(text: &str) -> Module {
    without_spans(parse(text).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}")))
}

/// The instructions of a body with these lines.
fn body(lines: &str) -> Vec<Item> {
    let text = format!(".version 8.0\n.target sm_90a\n.entry k() {{\n{lines}\n}}");
    read(&text).functions.remove(0).body.unwrap()
}

fn instruction(line: &str) -> Instruction {
    match body(line).remove(0) {
        Item::Instruction(instruction) => instruction,
        other => panic!("{other:?}"),
    }
}

fn operands(line: &str) -> Vec<OperandKind> {
    instruction(line).operands.into_iter().map(|operand| operand.kind).collect()
}

fn int(value: i64) -> OperandKind {
    OperandKind::Constant(Constant::Int { bits: value as u64, unsigned: false })
}

fn name(text: &str) -> OperandKind {
    OperandKind::Name(text.to_owned())
}

fn plain(kind: OperandKind) -> Operand {
    Operand { kind, span: Span::default() }
}

#[test]
fn the_sample_is_read_and_printed() {
    let module = read(SAMPLE);
    assert_eq!(module.version, (9, 0));
    assert_eq!(module.address_size, 64);
    assert_eq!(
        module.target.iter().map(|name| name.text.as_str()).collect::<Vec<_>>(),
        ["sm_90a", "texmode_unified"]
    );
    assert_eq!(module.files, [(1, "sample.cu".to_owned()), (2, "a \\\"quoted\\\" path".to_owned())]);
    assert_eq!(module.pragmas, ["module"]);
    assert_eq!(module.aliases.len(), 1);
    let printed = module.to_string();
    let again = read(&printed);
    assert!(module == again, "{printed}");
    assert_eq!(printed, again.to_string());
    // All of it resolves but the video instruction with a sign.
    let errors = tidegate_ptx::resolve(&parse(SAMPLE).unwrap()).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].message.contains("video instructions"), "{errors:#?}");
}

#[test]
fn declarations() {
    let module = read(SAMPLE);
    let variable = |name: &str| module.variables.iter().find(|variable| variable.name.text == name).unwrap();
    let dynamic = variable("dynamic");
    assert_eq!((dynamic.linkage, dynamic.space, dynamic.align), (Linkage::Extern, Space::Shared, Some(1024)));
    assert_eq!(dynamic.dims, [0]);
    let offsets = variable("offsets");
    assert_eq!(offsets.dims, [4, 2], "the first dimension counts its values");
    let values: Vec<(u64, i64)> = offsets
        .init
        .iter()
        .map(|(index, value)| match value {
            Initial::Constant(Constant::Int { bits, .. }) => (*index, *bits as i64),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values, [(0, -1), (1, 0), (4, 1), (6, 19), (7, 31)]);
    assert_eq!(variable("pairs").init.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let bytes = &variable("bytes").init;
    let address = |index: usize| match &bytes[index].1 {
        Initial::Address { name, offset, generic, mask } => (name.text.as_str(), *offset, *generic, *mask),
        other => panic!("{other:?}"),
    };
    assert_eq!(address(1), ("answer", 4, false, Some(0xff00)));
    assert_eq!(address(3), ("answer", 4, true, Some(0xff)));
    assert_eq!(variable("unified").attributes[0].1, [19, 95]);
    assert!(variable("image").ty == ScalarType::Opaque && variable("sampler").init.is_empty());
    let kernel = module.functions.iter().find(|function| function.entry).unwrap();
    assert_eq!(kernel.params[0].dims, [128]);
    let pointer = kernel.params[1].pointer.unwrap();
    assert_eq!((pointer.space, pointer.align), (Some(Space::Global), 16));
    let pointer = kernel.params[2].pointer.unwrap();
    assert_eq!((pointer.space, pointer.align), (None, 4));
    let directives: Vec<(&str, &[u64])> =
        kernel.directives.iter().map(|(name, numbers)| (name.text.as_str(), numbers.as_slice())).collect();
    assert_eq!(directives[0], ("maxntid", &[384, 1, 1][..]));
    assert_eq!(directives[4], ("explicitcluster", &[][..]));
    assert_eq!(kernel.pragmas, ["for the kernel"]);
}

#[test]
fn opcodes_and_guards() {
    let one = instruction("@!%p1 mbarrier.try_wait.parity.shared::cta.b64 P1, [%r1], 0;");
    assert_eq!(one.opcode, ["mbarrier", "try_wait", "parity", "shared::cta", "b64"]);
    let guard = one.guard.unwrap();
    assert!(guard.negated && guard.name.text == "%p1");
    assert_eq!(instruction("tcgen05.ld.16x256b.4d;").opcode, ["tcgen05", "ld", "16x256b", "4d"]);
    assert_eq!(instruction("ld .global .u32 %r1, [x];").opcode, ["ld", "global", "u32"]);
}

#[test]
fn operand_forms() {
    let address = |base: Option<&str>, offset, rest| OperandKind::Address {
        base: base.map(|text| tidegate_ptx::ast::Name { text: text.to_owned(), span: Span::default() }),
        offset,
        rest,
        unified: false,
    };
    assert_eq!(operands("x _, -1, 3*4, (1+2);"), [OperandKind::Sink, int(-1), int(12), int(3)]);
    assert_eq!(operands("x %tid.x, v.y, !p;")[..2], [name("%tid.x"), name("v.y")]);
    assert_eq!(operands("x !p;"), [OperandKind::Not(Box::new(plain(name("p"))))]);
    assert_eq!(operands("x -%r1;"), [OperandKind::Negative(Box::new(plain(name("%r1"))))]);
    assert_eq!(
        operands("x a+4, a+-4;"),
        [OperandKind::NameOffset("a".into(), 4), OperandKind::NameOffset("a".into(), -4)]
    );
    let pair = |a, b| OperandKind::Pair(Box::new(plain(a)), Box::new(plain(b)));
    assert_eq!(
        operands("x a|b, _|b, a|_;"),
        [pair(name("a"), name("b")), pair(OperandKind::Sink, name("b")), pair(name("a"), OperandKind::Sink)]
    );
    let vector = |parts: Vec<OperandKind>| OperandKind::Vector(parts.into_iter().map(plain).collect());
    assert_eq!(operands("x {a, _, 1};"), [vector(vec![name("a"), OperandKind::Sink, int(1)])]);
    assert_eq!(
        operands("x [a], [a+4], [a+-4], [16], [a+4*2];"),
        [
            address(Some("a"), 0, vec![]),
            address(Some("a"), 4, vec![]),
            address(Some("a"), -4, vec![]),
            address(None, 16, vec![]),
            address(Some("a"), 8, vec![]),
        ]
    );
    let coordinates = || vector(vec![name("x"), int(0)]);
    assert_eq!(
        operands("x [m, {x, 0}], [m, {x, 0}, {x, 0}];"),
        [
            address(Some("m"), 0, vec![plain(coordinates())]),
            address(Some("m"), 0, vec![plain(coordinates()), plain(coordinates())]),
        ]
    );
}

#[test]
fn calls() {
    let list = |parts: Vec<OperandKind>| OperandKind::List(parts.into_iter().map(plain).collect());
    assert_eq!(
        operands("call (r), f, (a, (4+4)), proto;"),
        [list(vec![name("r")]), name("f"), list(vec![name("a"), int(8)]), name("proto")]
    );
    assert_eq!(operands("call.uni f;"), [name("f")]);
    assert_eq!(operands("call f, ();"), [name("f"), list(vec![])]);
}

#[test]
fn statements_share_lines_and_span_them() {
    let items = body("a; b %r1,\n%r2; { L: c; } L: .loc 1 2 3\n M: N: d;");
    assert_eq!(items.len(), 8);
    assert!(matches!(&items[2], Item::Scope(inner) if inner.len() == 2));
    assert_eq!(items[4], Item::Loc(SourceLine { file: 1, line: 2, column: 3 }));
}

#[test]
fn spans_are_those_of_the_text() {
    let text = ".version 8.0\n.target sm_90a\n.entry k() { @p add.s32 %r1, %r2 , 4 ; }";
    let module = parse(text).unwrap();
    let body = module.functions[0].body.as_ref().unwrap();
    let Item::Instruction(add) = &body[0] else { panic!() };
    let at = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(add.span), "@p add.s32 %r1, %r2 , 4 ;");
    assert_eq!(at(add.opcode_span), "add.s32");
    assert_eq!(add.operands.iter().map(|operand| at(operand.span)).collect::<Vec<_>>(), ["%r1", "%r2", "4"]);
    assert_eq!(at(module.functions[0].span), ".entry k()");
}

fn a_name() -> impl Strategy<Value = String> {
    "[a-z%$][a-z0-9_$]{1,6}".prop_map(|name| if name == "WARP_SZ" { "x".to_owned() } else { name })
}

fn a_constant() -> impl Strategy<Value = Constant> {
    prop_oneof![
        (any::<u64>(), any::<bool>()).prop_map(|(bits, unsigned)| Constant::Int { bits, unsigned }),
        Just(Constant::Int { bits: 1 << 63, unsigned: false }),
        any::<u32>().prop_map(Constant::F32),
        any::<u64>().prop_map(Constant::F64),
    ]
}

fn an_operand() -> impl Strategy<Value = Operand> {
    let simple = || {
        prop_oneof![
            a_name().prop_map(OperandKind::Name),
            (a_name(), any::<i64>()).prop_map(|(name, offset)| OperandKind::NameOffset(name, offset)),
            Just(OperandKind::Sink),
            a_constant().prop_map(OperandKind::Constant),
            (a_name(), a_name()).prop_map(|(a, b)| OperandKind::Pair(
                Box::new(plain(OperandKind::Name(a))),
                Box::new(plain(OperandKind::Name(b)))
            )),
            a_name().prop_map(|name| OperandKind::Not(Box::new(plain(OperandKind::Name(name))))),
        ]
        .prop_map(plain)
    };
    let named = |text: String| tidegate_ptx::ast::Name { text, span: Span::default() };
    simple().prop_recursive(3, 16, 4, move |inner| {
        let parts = proptest::collection::vec(inner, 1..4);
        prop_oneof![
            parts.clone().prop_map(OperandKind::Vector),
            (proptest::option::of(a_name()), any::<i64>(), parts, any::<bool>()).prop_map(
                move |(base, offset, rest, unified)| OperandKind::Address {
                    base: base.map(named),
                    offset,
                    rest,
                    unified
                }
            ),
        ]
        .prop_map(plain)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever instruction is printed reads back as itself.
    #[test]
    fn printed_instructions_read_back(
        opcode in "[a-z]{1,5}",
        parts in proptest::collection::vec("[a-z0-9]{1,4}(::[a-z]{1,3})?", 0..4),
        guard in proptest::option::of((a_name(), any::<bool>())),
        operands in proptest::collection::vec(an_operand(), 0..4),
    ) {
        prop_assume!(opcode != "call");
        let wanted = Instruction {
            guard: guard.map(|(text, negated)| tidegate_ptx::ast::Guard {
                negated,
                name: tidegate_ptx::ast::Name { text, span: Span::default() },
            }),
            opcode: std::iter::once(opcode).chain(parts).collect(),
            opcode_span: Span::default(),
            operands,
            span: Span::default(),
        };
        let text = wanted.to_string();
        prop_assert_eq!(instruction(&text), wanted, "{}", text);
    }

    /// Whatever initialiser is printed reads back as itself.
    #[test]
    fn printed_initialisers_read_back(
        dims in proptest::collection::vec(1_u64..5, 0..4),
        vector in prop_oneof![Just(1_u8), Just(2), Just(4)],
        picks in proptest::collection::vec((any::<bool>(), a_constant()), 500),
    ) {
        let mut module = read(".version 8.0\n.target sm_90a\n.global .u32 x;");
        let variable = &mut module.variables[0];
        variable.vector = vector;
        let total = dims.iter().product::<u64>() * u64::from(vector);
        // Only the innermost values can be left out at the end of their braces: leave out from there.
        let inner = if vector > 1 { u64::from(vector) } else { dims.last().copied().unwrap_or(1) };
        let mut init = Vec::new();
        for (index, (keep, constant)) in (0..total).zip(picks) {
            let gap = init.last().is_none_or(|(last, _)| *last + 1 != index);
            if keep && (index % inner == 0 || !gap) {
                init.push((index, Initial::Constant(constant)));
            }
        }
        if dims.is_empty() && vector == 1 {
            init.truncate(1);
        }
        variable.init = init;
        variable.dims = dims;
        let text = module.to_string();
        prop_assert_eq!(read(&text), module, "{}", text);
    }
}
