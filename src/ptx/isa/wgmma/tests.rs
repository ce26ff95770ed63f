use crate::testing::{After, Snippet, snippet};
use tidegate_machine::finding::Code;

/// Small whole numbers.
fn a_value(row: usize, k: usize) -> i32 {
    (row * 3 + k * 5) as i32 % 7 - 3
}

fn b_value(k: usize, column: usize) -> i32 {
    (k * 2 + column * 11) as i32 % 5 - 2
}

fn encode(ty: &str, v: i32) -> Vec<u8> {
    let f8 = |one: [u8; 4]| one[v.unsigned_abs() as usize] | if v < 0 { 0x80 } else { 0 };
    match ty {
        "f16" => half::f16::from_f32(v as f32).to_bits().to_le_bytes().to_vec(),
        "bf16" => half::bf16::from_f32(v as f32).to_bits().to_le_bytes().to_vec(),
        "tf32" => (v as f32).to_le_bytes().to_vec(),
        "e4m3" => vec![f8([0, 0x38, 0x40, 0x44])],
        "e5m2" => vec![f8([0, 0x3c, 0x40, 0x42])],
        "s8" => vec![v as i8 as u8],
        "u8" => vec![v as u8],
        _ => panic!("{ty}"),
    }
}

/// The layout of an operand: byte of an element, by the pictures of ISA 9.7.15.5.1, and the descriptor.
#[derive(Clone, Copy)]
enum Layout {
    /// K-major, no swizzle: core matrices of 8 rows of 16 bytes, those of the second 16 bytes `leading` on, the next
    /// 8 rows 256 bytes on.
    Plain,
    /// K-major, rows of 128 bytes, chunks exchanged by the row.
    Swizzled,
    /// MN-major, 64 of M or N in 128 bytes, chunks exchanged by k.
    Transposed,
}

const A_AT: usize = 0;
const B_AT: usize = 16384;

impl Layout {
    fn byte(self, mn: usize, k: usize, size: usize) -> usize {
        match self {
            Layout::Plain => mn / 8 * 256 + k * size / 16 * 128 + mn % 8 * 16 + k * size % 16,
            Layout::Swizzled => mn * 128 + ((k * size / 16) ^ (mn % 8)) * 16 + k * size % 16,
            Layout::Transposed => {
                mn / 64 * 2048 + k / 8 * 1024 + k % 8 * 128 + ((mn % 64 / 8) ^ (k % 8)) * 16 + mn % 8 * 2
            }
        }
    }

    fn descriptor(self, at: usize) -> u64 {
        let field = |bytes: u64, shift: u32| (bytes / 16) << shift;
        let start = field(1024 + at as u64, 0);
        match self {
            Layout::Plain => start | field(128, 16) | field(256, 32),
            Layout::Swizzled => start | field(1024, 32) | 1 << 62,
            Layout::Transposed => start | field(2048, 16) | field(1024, 32) | 1 << 62,
        }
    }

    fn transposed(self) -> bool {
        matches!(self, Layout::Transposed)
    }
}

struct Case {
    d: &'static str,
    a: &'static str,
    b: &'static str,
    n: usize,
    layouts: (Layout, Layout),
    /// A in registers.
    registers: bool,
    tail: &'static str,
}

impl Case {
    fn k(&self) -> usize {
        32 / encode(self.a, 0).len()
    }

    fn count(&self) -> usize {
        if self.d == "f16" { self.n / 4 } else { self.n / 2 }
    }

    fn text(&self) -> String {
        let list = |name: &str, n: usize| (0..n).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(",");
        let a = if self.registers { format!("{{{}}}", list("a", 4)) } else { "%da".to_owned() };
        format!(
            ".reg .b32 %d<{n}>; .reg .b32 %a<4>; .reg .b64 %da, %db; .reg .pred %p;\n\
             wgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.m64n{columns}k{k}.{d}.{ta}.{tb} {{{list}}}, {a}, %db, %p{tail};\n\
             wgmma.commit_group.sync.aligned;\n\
             wgmma.wait_group.sync.aligned 0;",
            n = self.count(),
            columns = self.n,
            k = self.k(),
            d = self.d,
            ta = self.a,
            tb = self.b,
            list = list("d", self.count()),
            tail = self.tail,
        )
    }

    /// Runs it as warp `warp`; D was `before` everywhere.
    fn run(&self, warp: u32, accumulate: bool, before: i32) -> Vec<Vec<i32>> {
        let mut shared = vec![0u8; 49152];
        let size = 32 / self.k();
        let (la, lb) = self.layouts;
        for k in 0..self.k() {
            for row in 0..64 {
                let at = A_AT + la.byte(row, k, size);
                shared[at..at + size].copy_from_slice(&encode(self.a, a_value(row, k)));
            }
            for column in 0..self.n {
                let at = B_AT + lb.byte(column, k, size);
                shared[at..at + size].copy_from_slice(&encode(self.b, b_value(k, column)));
            }
        }
        let mut s = snippet(&self.text()).warp(warp).shared(shared);
        s = s.all("%db", lb.descriptor(B_AT)).all("%p", u128::from(accumulate));
        if !self.registers {
            s = s.all("%da", la.descriptor(A_AT));
        } else {
            for r in 0..4u128 {
                s = s.each(&format!("%a{r}"), |lane| {
                    let row = lane / 4 + 8 * (r & 1) + 16 * u128::from(warp);
                    let first = (lane % 4 * 4 + r / 2 * 16) as usize / size;
                    let bytes: Vec<u8> = (first..first + 4 / size)
                        .flat_map(|k| encode(self.a, a_value(row as usize, k)))
                        .collect();
                    u128::from(u32::from_le_bytes(bytes.try_into().unwrap()))
                });
            }
        }
        let bits = self.accumulator_bits(before);
        for r in 0..self.count() {
            s = s.all(&format!("%d{r}"), bits);
        }
        self.read(&s.run())
    }

    fn accumulator_bits(&self, v: i32) -> u128 {
        match self.d {
            "f32" => u128::from((v as f32).to_bits()),
            "f16" => u128::from(half::f16::from_f32(v as f32).to_bits()) * 0x1_0001,
            _ => u128::from(v as u32),
        }
    }

    fn read(&self, after: &After) -> Vec<Vec<i32>> {
        after.clean();
        let mut out = vec![vec![i32::MIN; self.n]; 16];
        for r in 0..self.count() {
            for (lane, v) in after.get(&format!("%d{r}")).into_iter().enumerate() {
                let (g, t) = (lane / 4, lane % 4);
                if self.d == "f16" {
                    for e in 0..2 {
                        let h = half::f16::from_bits((v >> (16 * e)) as u16).to_f32();
                        out[g + 8 * (r % 2)][r / 2 * 8 + 2 * t + e] = h as i32;
                    }
                } else {
                    let value =
                        if self.d == "f32" { f32::from_bits(v as u32) as i32 } else { v as u32 as i32 };
                    out[g + 8 * (r / 2 % 2)][r / 4 * 8 + 2 * t + r % 2] = value;
                }
            }
        }
        out
    }

    fn check(&self, warp: u32, accumulate: bool, sign: i32) {
        let out = self.run(warp, accumulate, 7);
        let value = |ty: &str, v: i32| if ty == "u8" { v & 255 } else { v };
        for (row, line) in out.iter().enumerate() {
            for (column, found) in line.iter().enumerate() {
                let products = (0..self.k()).map(|k| {
                    let a = value(self.a, a_value(row + 16 * warp as usize, k));
                    a * value(self.b, b_value(k, column))
                });
                let want = sign * products.sum::<i32>() + if accumulate { 7 } else { 0 };
                assert_eq!(*found, want, "row {row} column {column} of warp {warp}: {}", self.text());
            }
        }
    }
}

const HALF: Case = Case {
    d: "f32",
    a: "f16",
    b: "f16",
    n: 8,
    layouts: (Layout::Plain, Layout::Plain),
    registers: false,
    tail: ", 1, 1, 0, 0",
};

fn tail(a: Layout, b: Layout) -> &'static str {
    match (a.transposed(), b.transposed()) {
        (false, false) => ", 1, 1, 0, 0",
        (false, true) => ", 1, 1, 0, 1",
        (true, false) => ", 1, 1, 1, 0",
        (true, true) => ", 1, 1, 1, 1",
    }
}

#[test]
fn halves_in_every_layout() {
    use Layout::{Plain, Swizzled, Transposed};
    for (a, b) in [(Plain, Plain), (Swizzled, Swizzled), (Swizzled, Transposed), (Transposed, Plain)] {
        for n in [8, 72, 128] {
            for warp in [0, 3] {
                Case { n, layouts: (a, b), tail: tail(a, b), ..HALF }.check(warp, true, 1);
            }
        }
    }
}

#[test]
fn scales_of_operands_and_of_the_accumulator() {
    Case { tail: ", -1, 1, 0, 0", ..HALF }.check(0, true, -1);
    Case { tail: ", -1, -1, 0, 0", ..HALF }.check(1, false, 1);
    Case { a: "bf16", b: "bf16", tail: ", 1, -1, 0, 0", ..HALF }.check(2, true, -1);
}

#[test]
fn sums_of_f16() {
    Case { d: "f16", n: 24, ..HALF }.check(1, true, 1);
    Case { d: "f16", a: "e4m3", b: "e5m2", n: 16, tail: ", 1, 1", ..HALF }.check(1, true, 1);
}

#[test]
fn a_in_registers() {
    Case { registers: true, tail: ", 1, 1, 0", ..HALF }.check(2, true, 1);
    Case { registers: true, a: "e4m3", b: "e4m3", tail: ", 1, 1", ..HALF }.check(3, false, 1);
    Case { registers: true, a: "tf32", b: "tf32", tail: ", 1, 1", ..HALF }.check(0, false, 1);
    Case { registers: true, d: "s32", a: "u8", b: "s8", tail: "", ..HALF }.check(1, true, 1);
}

#[test]
fn every_type() {
    for (a, b) in [("tf32", "tf32"), ("e4m3", "e5m2"), ("e5m2", "e5m2")] {
        Case { a, b, n: 40, tail: ", 1, 1", ..HALF }.check(1, true, 1);
    }
    for (a, b) in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")] {
        Case { d: "s32", a, b, n: 32, layouts: (Layout::Swizzled, Layout::Plain), tail: "", ..HALF }
            .check(2, true, 1);
    }
}

/// One bit of A row 0 and column 0 of B, all of row 8.
#[test]
fn bits_are_counted() {
    let mut shared = vec![0u8; 49152];
    let (plain, row8) = (Layout::Plain, 256);
    shared[A_AT] = 0x13;
    shared[A_AT + row8..A_AT + row8 + 16].fill(255);
    shared[A_AT + row8 + 128..A_AT + row8 + 144].fill(255);
    shared[B_AT] = 0x11;
    shared[B_AT + 128 + 15] = 0x80;
    let text = ".reg .b32 %d<4>; .reg .b64 %da, %db; wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%d0, %d1, %d2, %d3}, %da, %db, 1;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    let s =
        snippet(text).shared(shared).all("%da", plain.descriptor(A_AT)).all("%db", plain.descriptor(B_AT));
    let after = s.all("%d0", 5u32).run();
    after.clean();
    assert_eq!((after.first("%d0"), after.first("%d1"), after.first("%d2")), (7, 0, 3));
}

#[test]
fn integers_are_clamped_when_asked() {
    for (satfinite, want) in [(".satfinite", i32::MAX as u32), ("", (i32::MAX as u32).wrapping_add(32))] {
        let text = format!(
            ".reg .b32 %d<4>; .reg .b64 %da, %db; wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8{satfinite} {{%d0, %d1, %d2, %d3}}, %da, %db, 1;
            wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
        );
        let s = snippet(&text).shared(vec![1; 49152]).all("%d0", i32::MAX as u32);
        let d = Layout::Plain.descriptor(0);
        assert_eq!(s.all("%da", d).all("%db", d).get("%d0"), vec![u128::from(want); 32]);
    }
}

/// Two products of 8 columns, on registers of one's choice, with something before and between.
fn two(before: &str, between: &str, second: &str) -> Snippet {
    let text = format!(
        ".reg .b32 %d<8>; .reg .b32 %a<4>; .reg .b64 %da, %db;\n{before}
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, %da, %db, 1, 1, 1, 0, 0;
        {between}
        wgmma.mma_async.sync.aligned.m64n8k16.{second}, %db, 1, 1, 1{};
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        wgmma.fence.sync.aligned;",
        if second.contains("%da") { ", 0, 0" } else { ", 0" }
    );
    let d = Layout::Plain.descriptor(0);
    snippet(&text).shared(vec![0; 49152]).all("%da", d).all("%db", d)
}

const FENCE: &str = "wgmma.fence.sync.aligned;";
const SAME: &str = "f32.f16.f16 {%d0, %d1, %d2, %d3}, %da";

#[test]
fn products_of_one_shape_follow_each_other() {
    two(FENCE, "", SAME).run().clean();
    two(FENCE, "", "f32.f16.f16 {%d4, %d5, %d6, %d7}, %da").run().clean();
}

#[test]
fn registers_in_flight() {
    for second in [
        "f32.f16.f16 {%d2, %d3, %d4, %d5}, %da",
        "f16.f16.f16 {%d0, %d1}, %da",
        "f32.f16.f16 {%d4, %d5, %d6, %d7}, {%d0, %d1, %d2, %d3}",
    ] {
        let finding = two(FENCE, "", second).finds(Code::RegistersInFlight);
        assert!(finding.message.contains("f32 sums"), "{finding}");
    }
    let wait = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    two(FENCE, wait, "f16.f16.f16 {%d0, %d1}, %da").run().clean();
    // The first group is waited for, the second may be pending.
    let one = format!("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; {FENCE}");
    two(FENCE, &one, "f16.f16.f16 {%d0, %d1}, %da").finds(Code::RegistersInFlight);
}

#[test]
fn a_fence_comes_first() {
    let finding = two("", "", SAME).finds(Code::MissingFence);
    assert!(finding.message.contains("before any wgmma.fence"), "{finding}");
}

#[test]
fn registers_written_after_the_fence() {
    let wait = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    let written = format!("{wait} mov.b32 %d1, 7;");
    let finding = two(FENCE, &written, SAME).finds(Code::MissingFence);
    assert!(finding.message.contains("`%d1` of the accumulator"), "{finding}");
    two(FENCE, &format!("{written} {FENCE}"), SAME).run().clean();
    let finding = two(FENCE, "mov.b32 %a2, 7;", "f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}")
        .finds(Code::MissingFence);
    assert!(finding.message.contains("`%a2` of A"), "{finding}");
    two(FENCE, "mov.b32 %d1, 7;", SAME).finds(Code::RegistersInFlight);
    two(FENCE, "mov.b32 %a0, %d1;", SAME).finds(Code::RegistersInFlight);
}

#[test]
fn descriptors_outside() {
    let d = Layout::Plain.descriptor(0);
    for (bad, code) in
        [(0, Code::Descriptor), (d | 0x3fff, Code::Descriptor), (d | 0x3fff << 16, Code::OutOfBounds)]
    {
        let finding = two(FENCE, "", SAME).all("%db", bad).finds(code);
        assert!(!finding.message.is_empty());
    }
    let s = two(FENCE, "", SAME).each("%da", |lane| u128::from(d) + lane / 31);
    s.finds(Code::Descriptor);
}

#[test]
fn what_does_not_exist_is_refused() {
    let refused = |text: &str, target: &'static str, wanted: &str| {
        let regs = ".reg .b32 %d<8>; .reg .b64 %da, %db;\n";
        let text = snippet(&format!("{regs}{text}")).target(target).module_text();
        let errors = crate::launch::Module::from_text(&text).unwrap_err();
        assert!(errors[0].message.contains(wanted), "{errors:?}");
    };
    let mma = |shape: &str, rest: &str| {
        format!("wgmma.mma_async.sync.aligned.{shape} {{%d0,%d1,%d2,%d3}}, {rest};")
    };
    refused(FENCE, "sm_90", "sm_90a");
    refused(FENCE, "sm_100a", "sm_90a");
    refused(&mma("m64n8k16.f32.f16.f16", "%da, %db, 1, 1, 1"), "sm_90a", "takes 8 operands");
    refused(&mma("m64n8k16.f32.f16.f16", "%da, %db, 1, 2, 1, 0, 0"), "sm_90a", "1 or -1");
    refused(&mma("m64n8k16.f32.f16.bf16", "%da, %db, 1, 1, 1, 0, 0"), "sm_90a", "unknown instruction");
    refused(&mma("m64n40k32.s32.s8.s8", "%da, %db, 1"), "sm_90a", "has no shape");
    refused(&mma("m64n8k8.f32.f16.f16", "%da, %db, 1, 1, 1, 0, 0"), "sm_90a", "has no shape");
    refused(&mma("m64n16k16.f32.f16.f16", "%da, %db, 1, 1, 1, 0, 0"), "sm_90a", "takes 8 registers");
    refused("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%d0}, %da;", "sm_90a", "sparse");
}
