//! Modules that no text can say: malformed ones from a builder, deep ones, large ones.
//!
//! What a kernel's text gets told is in `tests/verify` of the root package.

use std::time::{Duration, Instant};

use tidegate_ir::attr::AttrKind;
use tidegate_ir::builder::OpBuilder;
use tidegate_ir::diag::Diagnostics;
use tidegate_ir::ops::{ArithOp, Opcode, ScfOp, TgOp};
use tidegate_ir::types::{
    BarrierRefType, ClusterAxes, ClusterScope, DYNAMIC, FloatKind, RefType, Space, TypeKind,
};
use tidegate_ir::{Attr, Block, InsertionPoint, Module, OpSpec, Type, Value};

use super::verify;
use crate::target::SM_90A;

fn kernel(module: &mut Module) -> Block {
    let body = module.body();
    let name = module.attrs.str("k");
    let mut b = OpBuilder::at_end(module, body);
    let op = b.tg_kernel(name, None, None, None, None, None, None, None);
    b.body(op, 0, &[])
}

fn finish(module: &mut Module, block: Block) {
    OpBuilder::at_end(module, block).tg_return(&[]);
}

fn codes(module: &Module) -> Vec<&'static str> {
    let mut diags = Diagnostics::unlimited();
    let _ = verify(module, Some(&SM_90A), &mut diags);
    diags.iter().map(|diagnostic| diagnostic.code.id()).collect()
}

#[test]
fn an_empty_module_is_fine() {
    assert_eq!(codes(&Module::new()), [""; 0]);
}

#[test]
fn a_constant_that_does_not_fit_is_refused() {
    let mut module = Module::new();
    let block = kernel(&mut module);
    let i8 = module.types.int(8);
    let number = module.attrs.int(300, i8);
    OpBuilder::at_end(&mut module, block).arith_constant(number, i8);
    finish(&mut module, block);
    assert_eq!(codes(&module), ["TG0304"]);
}

#[test]
fn built_ops_say_which_line_made_them() {
    let mut module = Module::new();
    let block = kernel(&mut module);
    let barrier = module.types.intern(TypeKind::BarrierRef(BarrierRefType::new(&[3], 1))).unwrap();
    let mut b = OpBuilder::at_end(&mut module, block);
    let op = b.tg_alloc_barrier(None, None, barrier);
    let barrier = b.module.result(op, 0);
    b.tg_barrier_wait(barrier, &[], None, None);
    finish(&mut module, block);
    let mut diags = Diagnostics::new();
    assert!(verify(&module, None, &mut diags).is_err());
    let found: Vec<_> = diags.iter().collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].notes.iter().any(|note| note.contains("verify/tests.rs:")), "{:?}", found[0].notes);
}

#[test]
fn values_from_elsewhere_are_refused() {
    // A value of a role used in another, of an inner block used outside, of an op that is in no block.
    let mut module = Module::new();
    let block = kernel(&mut module);
    let index = module.types.index();
    let one = module.attrs.int(1, index);
    let mut b = OpBuilder::at_end(&mut module, block);
    let split = b.tg_warp_specialize();
    let roles = b.body(split, 0, &[]);
    let mut values = Vec::new();
    for name in ["a", "b"] {
        let name = module.attrs.str(name);
        let mut b = OpBuilder::at_end(&mut module, roles);
        let role = b.tg_role(name, None, None, None, None);
        let body = b.body(role, 0, &[]);
        let mut b = OpBuilder::at_end(&mut module, body);
        if let Some(&other) = values.first() {
            b.arith_addi(other, other, None);
        }
        let op = b.arith_constant(one, index);
        values.push(module.result(op, 0));
        finish(&mut module, body);
    }
    OpBuilder::at_end(&mut module, block).arith_addi(values[0], values[0], None);
    let lost = module.create(OpSpec::new(ArithOp::Constant).results([index]));
    let lost = module.result(lost, 0);
    OpBuilder::at_end(&mut module, block).arith_addi(lost, lost, None);
    finish(&mut module, block);
    assert_eq!(codes(&module), ["TG0301", "TG0301"]);
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let mut module = Module::new();
    let mut block = kernel(&mut module);
    let i1 = module.types.i1();
    let yes = module.attrs.int(1, i1);
    let op = OpBuilder::at_end(&mut module, block).arith_constant(yes, i1);
    let condition = module.result(op, 0);
    let mut blocks = vec![block];
    for _ in 0..20_000 {
        let mut b = OpBuilder::at_end(&mut module, block);
        let op = b.scf_if(condition, &[]);
        block = b.body(op, 0, &[]);
        blocks.push(block);
    }
    OpBuilder::at_end(&mut module, block).tg_block_sync();
    for &block in &blocks[1..] {
        OpBuilder::at_end(&mut module, block).scf_yield(&[]);
    }
    finish(&mut module, blocks[0]);
    assert_eq!(codes(&module), [""; 0]);
}

/// Straight code and loops with loads, stores, arithmetic and barriers.
fn large(ops: usize) -> Module {
    let mut module = Module::new();
    let block = kernel(&mut module);
    let f32 = module.types.float(FloatKind::F32);
    let array = module.types.vector(&[128], f32).unwrap();
    let buf = module.types.intern(TypeKind::Ref(RefType::new(&[4, 128], f32, Space::Smem))).unwrap();
    let barrier = module.types.intern(TypeKind::BarrierRef(BarrierRefType::new(&[4], 1))).unwrap();
    let zero = module.i64s_attr(&[0]);
    let mut b = OpBuilder::at_end(&mut module, block);
    let op = b.tg_alloc(None, None, buf);
    let buf = b.module.result(op, 0);
    let op = b.tg_alloc_barrier(None, None, barrier);
    let barrier = b.module.result(op, 0);
    let (low, high, step) = (b.index(0), b.index(8), b.index(1));
    while b.module.num_ops() < ops {
        let looped = b.scf_for(low, high, step, &[], None, &[]);
        let index = b.module.types.index();
        let body = b.body(looped, 0, &[index]);
        let outside = b.set_insertion_point(InsertionPoint::End(body));
        for _ in 0..10 {
            b.tg_barrier_arrive(barrier, &[], None, Some(zero), None);
            b.tg_barrier_wait(barrier, &[], None, Some(zero));
            let op = b.tg_load(buf, &[], Some(zero), array);
            let mut value = b.module.result(op, 0);
            for _ in 0..12 {
                let op = b.arith_addf(value, value, None);
                value = b.module.result(op, 0);
            }
            b.tg_store(value, buf, &[], Some(zero));
        }
        b.scf_yield(&[]);
        b.set_insertion_point(outside);
    }
    finish(&mut module, block);
    module
}

#[test]
fn time_is_linear() {
    let time = |ops: usize| {
        let module = large(ops);
        let best = (0..3).map(|_| {
            let start = Instant::now();
            assert_eq!(codes(&module), [""; 0]);
            start.elapsed()
        });
        best.min().unwrap()
    };
    let (small, big) = (time(20_000), time(200_000));
    // Far above what it takes, since tests are not optimised and machines are shared; quadratic would be a hundredfold.
    assert!(big < small * 60 + Duration::from_millis(200), "{small:?} for 20,000 ops, {big:?} for 200,000");
    if !cfg!(debug_assertions) {
        assert!(big < Duration::from_secs(1), "{big:?} for 200,000 ops");
    }
    println!("200,000 ops: {big:?}");
}

// ---- anything that a builder can make ----

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const NUMBERS: &[i64] =
    &[0, 1, 2, 3, -1, 4, 8, 16, 64, 128, 255, 256, 1 << 20, i64::MAX, i64::MIN, i64::MAX / 2, DYNAMIC];

fn some_types(module: &mut Module) -> Vec<Type> {
    let (i1, i32, i64, index) =
        (module.types.i1(), module.types.int(32), module.types.int(64), module.types.index());
    let f16 = module.types.float(FloatKind::F16);
    let f32 = module.types.float(FloatKind::F32);
    let mut kinds = vec![
        TypeKind::Vector { shape: [128].into(), elem: f32 },
        TypeKind::Vector { shape: [4, 8].into(), elem: f32 },
        TypeKind::Vector { shape: [1 << 50].into(), elem: i1 },
        TypeKind::Acc { shape: [64, 64], elem: f32 },
        TypeKind::SemaphoreRef { shape: [4].into() },
        TypeKind::Opaque("!llvm.ptr".into()),
        TypeKind::Function { inputs: [i1].into(), results: [].into() },
        TypeKind::None,
        TypeKind::Ref(RefType::new(&[], f32, Space::Smem)),
        TypeKind::Ref(RefType::new(&[1 << 50], f32, Space::Smem)),
        TypeKind::Ref(RefType::new(&[64, 64], f16, Space::Gmem)),
        TypeKind::Ref(RefType::new(&[DYNAMIC, DYNAMIC], f16, Space::Gmem)),
        TypeKind::Ref(RefType::new(&[128, 512], f32, Space::Tmem)),
        TypeKind::Ref(RefType {
            tile: Some([8, 64].into()),
            swizzle: Some(128),
            ..RefType::new(&[2, 64, 128], f16, Space::Smem)
        }),
        TypeKind::Ref(RefType {
            strides: Some([i64::MAX, 0].into()),
            ..RefType::new(&[64, 64], f16, Space::Smem)
        }),
        TypeKind::BarrierRef(BarrierRefType::new(&[], 1)),
        TypeKind::BarrierRef(BarrierRefType::new(&[2, 4], 3)),
        TypeKind::BarrierRef(BarrierRefType::new(&[20_000], 1)),
    ];
    kinds.push(TypeKind::BarrierRef(BarrierRefType {
        cluster: Some(ClusterScope { axes: [ClusterAxes::One("c".into())].into(), leader_tracked: true }),
        orders_tensor_core: true,
        ..BarrierRefType::new(&[2], 1)
    }));
    let made = kinds.into_iter().map(|kind| module.types.intern(kind).unwrap());
    made.chain([i1, i32, i64, index, f16, f32]).collect()
}

fn some_attr(module: &mut Module, random: &mut Random, types: &[Type]) -> Attr {
    let list: Vec<i64> = (0..random.below(8)).map(|_| random.pick(NUMBERS)).collect();
    let (i32, i64) = (module.types.int(32), module.types.int(64));
    let (number, ty) = (i128::from(random.pick(NUMBERS)), random.pick(types));
    match random.below(14) {
        0 => module.attrs.unit(),
        1 => module.attrs.str(""),
        2 => module.attrs.str("{} {} c"),
        3 => module.i64_attr(random.pick(NUMBERS)),
        4 => module.i64s_attr(&list),
        5 => module.i32s_attr(&list),
        6 => module.strs_attr(["c", "i", "c"]),
        7 => module.strs_attr(["c"]),
        8 => module.attrs.int(number, ty),
        9 => module.attrs.intern(AttrKind::Type(ty)),
        10 => {
            let value = module.attrs.int(number, i32);
            module.attrs.intern(AttrKind::Splat { value, ty })
        }
        11 => module.attrs.intern(AttrKind::Opaque("#vector.kind<add>".into())),
        12 => module.attrs.str("c"),
        _ => module.attrs.int(number, i64),
    }
}

/// An op with operands, attributes and regions that are sometimes right.
fn some_op(
    module: &mut Module,
    random: &mut Random,
    block: Block,
    types: &[Type],
    values: &mut Vec<Value>,
    depth: usize,
) {
    let all: Vec<Opcode> = Opcode::all().collect();
    let opcode = random.pick(&all);
    let def = opcode.def().unwrap();
    let mut entries = Vec::new();
    for attr in def.attrs {
        if attr.required && random.below(8) != 0 || random.below(3) == 0 {
            let value = some_attr(module, random, types);
            entries.push((module.names.intern(attr.name), value));
        }
    }
    let mut operands = Vec::new();
    let mut sizes = Vec::new();
    for operand in def.operands {
        let count = if random.below(10) == 0 { random.below(4) } else { 1 };
        // Mostly a value that fits, so that the later checks are reached too.
        for _ in 0..count {
            let fitting: Vec<Value> = values
                .iter()
                .copied()
                .filter(|&value| {
                    super::constraints::accepts(&module.types, operand.constraint, module.ty(value))
                })
                .collect();
            operands.push(if fitting.is_empty() || random.below(6) == 0 {
                random.pick(values)
            } else {
                random.pick(&fitting)
            });
        }
        sizes.push(i64::try_from(count).unwrap());
    }
    if def.has_segments() {
        if random.below(12) == 0 {
            sizes = vec![random.pick(NUMBERS), random.pick(NUMBERS), 1];
        }
        let sizes = module.i32s_attr(&sizes);
        entries.push((module.names.intern("operandSegmentSizes"), sizes));
    }
    let results: Vec<Type> = def.results.iter().map(|_| random.pick(types)).collect();
    let inherent = module.attrs.dict(&module.names, entries);
    let regions = if random.below(16) == 0 { random.below(4) } else { def.regions.len() };
    let spec = OpSpec::new(opcode).operands(operands).results(results).inherent(inherent).regions(regions);
    let op = module.insert(InsertionPoint::End(block), spec);
    let before = values.len();
    for region in module.regions(op).to_vec() {
        if depth == 0 {
            break;
        }
        for _ in 0..if random.below(10) == 0 { random.below(3) } else { 1 } {
            let inner = module.append_block(region);
            for _ in 0..random.below(3) {
                let ty = random.pick(types);
                values.push(module.append_arg(inner, ty));
            }
            for _ in 0..random.below(8) {
                some_op(module, random, inner, types, values, depth - 1);
            }
            let end = match opcode {
                Opcode::Scf(ScfOp::While) if random.below(2) == 0 => Opcode::Scf(ScfOp::Condition),
                Opcode::Scf(_) => Opcode::Scf(ScfOp::Yield),
                _ => Opcode::Tg(TgOp::Return),
            };
            if random.below(10) != 0 {
                module.insert(InsertionPoint::End(inner), OpSpec::new(end));
            }
        }
    }
    if random.below(10) != 0 {
        values.truncate(before);
    }
    values.extend(module.results(op));
}

#[test]
fn no_module_makes_it_panic() {
    for seed in 1..400u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut module = Module::new();
        let types = some_types(&mut module);
        let body = kernel(&mut module);
        let mut values: Vec<Value> = types.iter().map(|&ty| module.append_arg(body, ty)).collect();
        if seed % 2 == 0 {
            // A kernel whose header is right, so that what is inside is looked at.
            let names = module.strs_attr(["c"]);
            let sizes = module.i64s_attr(&[2]);
            let op = module.block_parent(body).unwrap();
            module.set_attr(op, "cluster_names", names);
            module.set_attr(op, "cluster", sizes);
            let good = |module: &Module, ty: Type| matches!(module.types.as_ref(ty), Some(reference) if reference.space == Space::Gmem);
            let body = kernel(&mut module);
            let mut own: Vec<Value> = Vec::new();
            for &ty in types.iter().filter(|&&ty| good(&module, ty)).collect::<Vec<_>>() {
                own.push(module.append_arg(body, ty));
            }
            for &ty in &types {
                let kind = match module.types.kind(ty) {
                    TypeKind::Ref(reference) if reference.space != Space::Gmem => TgOp::Alloc,
                    TypeKind::BarrierRef(_) => TgOp::AllocBarrier,
                    _ => continue,
                };
                let op = module.insert(InsertionPoint::End(body), OpSpec::new(kind).results([ty]));
                own.push(module.result(op, 0));
            }
            for _ in 0..40 {
                some_op(&mut module, &mut random, body, &types, &mut own, 3);
            }
            finish(&mut module, body);
        }
        for _ in 0..40 {
            some_op(&mut module, &mut random, body, &types, &mut values, 3);
        }
        finish(&mut module, body);
        let _ = codes(&module);
    }
}

#[test]
fn all_codes_that_the_list_names_exist() {
    let text = include_str!("mod.rs");
    let mut numbers = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("//! | ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Ok(number) = cells[0].parse::<usize>() else { continue };
        numbers.push(number);
        for code in cells[2].split(", ") {
            assert!(tidegate_ir::diag::Code::lookup(code).is_some(), "{code} in row {number}");
        }
    }
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
}
