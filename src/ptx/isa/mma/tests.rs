use crate::testing::snippet;
use tidegate_machine::matrix::fragments::{m8n8k4_a, m8n8k4_b, m8n8k4_c, mma_a, mma_b, mma_c, quad_pair};

fn a_value(row: u32, k: u32) -> i32 {
    (row * 3 + k * 5) as i32 % 7 - 3
}

fn b_value(k: u32, column: u32) -> i32 {
    (k * 2 + column * 11) as i32 % 5 - 2
}

/// The bits of a small whole number in a type.
fn encode(ty: &str, v: i32) -> u64 {
    let f8 = |one: [u64; 4]| one[v.unsigned_abs() as usize] | if v < 0 { 0x80 } else { 0 };
    match ty {
        "f16" => u64::from(half::f16::from_f32(v as f32).to_bits()),
        "bf16" => u64::from(half::bf16::from_f32(v as f32).to_bits()),
        "tf32" | "f32" => u64::from((v as f32).to_bits()),
        "f64" => f64::from(v).to_bits(),
        "e4m3" => f8([0, 0x38, 0x40, 0x44]),
        "e5m2" => f8([0, 0x3c, 0x40, 0x42]),
        "s8" | "u8" => u64::from(v as u8),
        "s4" | "u4" => u64::from(v as u8 & 15),
        "b1" => u64::from(v as u8 & 1),
        _ => u64::from(v as u32),
    }
}

fn decode(ty: &str, bits: u64) -> i32 {
    match ty {
        "f16" => half::f16::from_bits(bits as u16).to_f32() as i32,
        "f32" => f32::from_bits(bits as u32) as i32,
        "f64" => f64::from_bits(bits) as i32,
        _ => bits as u32 as i32,
    }
}

fn bits(ty: &str) -> u32 {
    match ty {
        "f16" | "bf16" => 16,
        "tf32" | "f32" | "s32" => 32,
        "f64" => 64,
        "s4" | "u4" => 4,
        "b1" => 1,
        _ => 8,
    }
}

/// What a value counts as.
fn seen(ty: &str, v: i32) -> i32 {
    match ty {
        "u8" => v & 255,
        "u4" => v & 15,
        "b1" => v & 1,
        _ => v,
    }
}

fn names(name: &str, n: u32) -> String {
    (0..n).map(|i| format!("%{name}{i}")).collect::<Vec<_>>().join(",")
}

fn check((m, k): (u32, u32), d: &str, a: &str, b: &str, sat: &str, tail: &str) {
    let wide = a == "f64";
    let w = if wide { 64 } else { 32 };
    let (na, nb, nc) = (m * k * bits(a) / 32 / w, 8 * k * bits(b) / 32 / w, m * 8 * bits(d) / 32 / w);
    let ty = if wide { "b64" } else { "b32" };
    let text = format!(
        ".reg .{ty} %a<{na}>, %b<{nb}>, %c<{nc}>, %d<{nc}>;
        mma.sync.aligned.m{m}n8k{k}.row.col{sat}.{d}.{a}.{b}.{d}{tail} {{{}}}, {{{}}}, {{{}}}, {{{}}};",
        names("d", nc),
        names("a", na),
        names("b", nb),
        names("c", nc)
    );
    let pack = |bits: u32, value: &dyn Fn(u32) -> u64| -> u128 {
        (0..w / bits.min(w)).fold(0, |all, e| all | u128::from(value(e)) << (bits * e))
    };
    let mut s = snippet(&text);
    for r in 0..na {
        s = s.each(&format!("%a{r}"), |lane| {
            pack(bits(a), &|e| {
                let (row, k) = mma_a(m, bits(a), lane as u32, r, e);
                encode(a, a_value(row, k))
            })
        });
    }
    for r in 0..nb {
        s = s.each(&format!("%b{r}"), |lane| {
            pack(bits(b), &|e| {
                let (k, column) = mma_b(bits(b), lane as u32, r, e);
                encode(b, b_value(k, column))
            })
        });
    }
    for r in 0..nc {
        s = s.each(&format!("%c{r}"), |lane| {
            pack(bits(d), &|e| {
                let (row, column) = mma_c(bits(d), lane as u32, r, e);
                encode(d, row as i32 - column as i32)
            })
        });
    }
    let after = s.run();
    after.clean();
    for r in 0..nc {
        for (lane, found) in after.get(&format!("%d{r}")).into_iter().enumerate() {
            for e in 0..w / bits(d).min(w) {
                let (row, column) = mma_c(bits(d), lane as u32, r, e);
                let one = |k| {
                    let (x, y) = (seen(a, a_value(row, k)), seen(b, b_value(k, column)));
                    if tail == ".xor.popc" { x ^ y } else { x * y }
                };
                let want = (0..k).map(one).sum::<i32>() + row as i32 - column as i32;
                let mask = if w == 64 { u64::MAX } else { (1u64 << bits(d)) - 1 };
                let got = decode(d, (found >> (bits(d) * e)) as u64 & mask);
                assert_eq!(got, want, "row {row} column {column}: {text}");
            }
        }
    }
}

#[test]
fn floating_point() {
    for d in ["f16", "f32"] {
        check((16, 8), d, "f16", "f16", "", "");
        check((16, 16), d, "f16", "f16", "", "");
        for (a, b) in [("e4m3", "e4m3"), ("e5m2", "e4m3")] {
            check((16, 16), d, a, b, "", "");
            check((16, 32), d, a, b, "", "");
        }
    }
    check((16, 8), "f32", "bf16", "bf16", "", "");
    check((16, 16), "f32", "bf16", "bf16", "", "");
    check((16, 4), "f32", "tf32", "tf32", "", "");
    check((16, 8), "f32", "tf32", "tf32", "", "");
    for shape in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        check(shape, "f64", "f64", "f64", "", "");
    }
}

#[test]
fn integers() {
    for sat in ["", ".satfinite"] {
        for (a, b) in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")] {
            for shape in [(8, 16), (16, 16), (16, 32)] {
                check(shape, "s32", a, b, sat, "");
            }
        }
        for (a, b) in [("s4", "s4"), ("u4", "s4"), ("u4", "u4")] {
            for shape in [(8, 32), (16, 32), (16, 64)] {
                check(shape, "s32", a, b, sat, "");
            }
        }
    }
    for tail in [".and.popc", ".xor.popc"] {
        for shape in [(8, 128), (16, 128), (16, 256)] {
            check(shape, "s32", "b1", "b1", "", tail);
        }
    }
}

/// Four products at once; A and B in both orders.
#[test]
fn quads() {
    for (a_layout, b_layout, d, c) in
        [("row", "col", "f32", "f32"), ("col", "row", "f16", "f16"), ("row", "row", "f32", "f16")]
    {
        let count = |ty: &str| if ty == "f16" { 4 } else { 8 };
        let text = format!(
            ".reg .b32 %a<2>, %b<2>, %c<8>, %d<8>;
            mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d}.f16.f16.{c} {{{}}}, {{%a0, %a1}}, {{%b0, %b1}}, {{{}}};",
            names("d", count(d)),
            names("c", count(c)),
        );
        // Each pair has another A.
        let a = |pair: u32, row, k| a_value(row + pair, k);
        let two = |f: &dyn Fn(u32) -> i32, r: u32| {
            u128::from(encode("f16", f(2 * r)) | encode("f16", f(2 * r + 1)) << 16)
        };
        let mut s = snippet(&text);
        for r in 0..2 {
            s = s.each(&format!("%a{r}"), |lane| {
                let lane = lane as u32;
                let of = |e| {
                    let (row, k) = m8n8k4_a(a_layout == "row", lane, e);
                    a(quad_pair(lane).0, row, k)
                };
                two(&of, r)
            });
            s = s.each(&format!("%b{r}"), |lane| {
                let of = |e| {
                    let (k, column) = m8n8k4_b(b_layout == "row", lane as u32, e);
                    b_value(k, column)
                };
                two(&of, r)
            });
        }
        for r in 0..count(c) {
            let one = encode(c, 1);
            s = s.all(&format!("%c{r}"), if c == "f16" { one | one << 16 } else { one });
        }
        let after = s.run();
        after.clean();
        for lane in 0..32u32 {
            for e in 0..8 {
                let (row, column) = m8n8k4_c(bits(d), lane, e);
                let pair = quad_pair(lane).0;
                let want = 1 + (0..4).map(|k| a(pair, row, k) * b_value(k, column)).sum::<i32>();
                let got = if d == "f16" {
                    decode(
                        d,
                        (after.get(&format!("%d{}", e / 2))[lane as usize] >> (16 * (e % 2))) as u64 & 0xffff,
                    )
                } else {
                    decode(d, after.get(&format!("%d{e}"))[lane as usize] as u64)
                };
                assert_eq!(got, want, "lane {lane} element {e}: {text}");
            }
        }
    }
}

/// Loads A, B and C from shared memory, multiplies, stores D: in both orders of memory, with strides longer than a row.
fn wmma(shape: (u32, u32, u32), d: &str, a: &str, orders: [&str; 3], counts: (u32, u32, u32), tail: &str) {
    let (m, n, k) = shape;
    let name = format!("m{m}n{n}k{k}");
    let wide = a == "f64";
    let ty = if wide { "b64" } else { "b32" };
    // Strides in elements: 16 more than a row.
    let stride = |order: &str, rows: u32, columns: u32, bits: u32| {
        (if order == "row" { columns } else { rows }) + if bits < 8 { 128 } else { 16 }
    };
    let (sa, sb, sc) = (
        stride(orders[0], m, k, bits(a)),
        stride(orders[1], k, n, bits(a)),
        stride(orders[2], m, n, bits(d)),
    );
    let types = if a == "f16" { format!("{d}.{d}") } else { format!("{d}.{a}.{a}.{d}") };
    let bit = if a == "b1" { ".xor.popc" } else { "" };
    let (at_b, at_c, at_d) = (8192, 16384, 24576);
    let text = format!(
        ".reg .{ty} %a<8>, %b<8>, %c<8>, %d<8>; .reg .b32 %p;
        wmma.load.a.sync.aligned.{}.{name}.shared.{a} {{{ra}}}, [%p], {sa};
        wmma.load.b.sync.aligned.{}.{name}.shared.{a} {{{rb}}}, [%p+{at_b}], {sb};
        wmma.load.c.sync.aligned.{}.{name}.shared.{d} {{{rc}}}, [%p+{at_c}], {sc};
        wmma.mma{bit}.sync.aligned.{}.{}.{name}.{types}{tail} {{{rd}}}, {{{ra}}}, {{{rb}}}, {{{rc}}};
        wmma.store.d.sync.aligned.{}.{name}.shared.{d} [%p+{at_d}], {{{rd}}}, {sc};",
        orders[0],
        orders[1],
        orders[2],
        orders[0],
        orders[1],
        orders[2],
        ra = names("a", counts.0),
        rb = names("b", counts.1),
        rc = names("c", counts.2),
        rd = names("d", counts.2),
    );
    let mut shared = vec![0u8; 32768];
    let offset = |order: &str, row: u32, column: u32, stride: u32| {
        if order == "row" { row * stride + column } else { column * stride + row }
    };
    let mut put = |at: u32, ty: &str, element: u32, v: i32| {
        let bit = (at * 8 + element * bits(ty)) as usize;
        let code = encode(ty, v);
        for i in 0..bits(ty) as usize {
            shared[(bit + i) / 8] |= ((code >> i & 1) as u8) << ((bit + i) % 8);
        }
    };
    for row in 0..m {
        for i in 0..k {
            put(0, a, offset(orders[0], row, i, sa), a_value(row, i));
        }
        for column in 0..n {
            put(at_c, d, offset(orders[2], row, column, sc), row as i32 - column as i32);
        }
    }
    for i in 0..k {
        for column in 0..n {
            put(at_b, a, offset(orders[1], i, column, sb), b_value(i, column));
        }
    }
    let after = snippet(&text).shared(shared).all("%p", 1024u32).run();
    after.clean();
    for row in 0..m {
        for column in 0..n {
            let one = |i| {
                let (x, y) = (seen(a, a_value(row, i)), seen(a, b_value(i, column)));
                if a == "b1" { x ^ y } else { x * y }
            };
            let want = (0..k).map(one).sum::<i32>() + row as i32 - column as i32;
            let bytes = (bits(d) / 8) as usize;
            let at = at_d as usize + offset(orders[2], row, column, sc) as usize * bytes;
            let mut code = [0; 8];
            code[..bytes].copy_from_slice(&after.shared[at..at + bytes]);
            assert_eq!(decode(d, u64::from_le_bytes(code)), want, "row {row} column {column}: {text}");
        }
    }
}

#[test]
fn fragments_of_wmma() {
    wmma((16, 16, 16), "f32", "f16", ["row", "col", "row"], (8, 8, 8), "");
    wmma((32, 8, 16), "f16", "f16", ["col", "row", "col"], (8, 8, 4), "");
    wmma((8, 32, 16), "f32", "bf16", ["row", "row", "row"], (2, 8, 8), "");
    wmma((32, 8, 16), "f32", "bf16", ["col", "col", "col"], (8, 2, 8), "");
    wmma((16, 16, 8), "f32", "tf32", ["row", "col", "row"], (4, 4, 8), "");
    wmma((8, 8, 4), "f64", "f64", ["col", "col", "row"], (1, 1, 2), ".rn");
    wmma((16, 16, 16), "s32", "s8", ["row", "col", "col"], (2, 2, 8), "");
    wmma((8, 32, 16), "s32", "u8", ["col", "row", "row"], (1, 4, 8), ".satfinite");
    wmma((8, 8, 32), "s32", "s4", ["row", "col", "row"], (1, 1, 2), "");
    wmma((8, 8, 128), "s32", "b1", ["row", "col", "row"], (1, 1, 2), "");
}

#[test]
fn what_does_not_exist_is_refused() {
    let refused = |op: &str, wanted: &str| {
        let text = snippet(&format!(".reg .b32 %r<8>; {op}")).module_text();
        let errors = crate::launch::Module::from_text(&text).unwrap_err();
        assert!(errors[0].message.contains(wanted), "{errors:?}");
    };
    let (d4, a4, b2) = ("{%r0,%r1,%r2,%r3}", "{%r0,%r1,%r2,%r3}", "{%r0,%r1}");
    refused(&format!("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {d4}, {a4}, {b2}, {d4};"), "unknown");
    refused(
        &format!("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {d4}, {a4}, {b2}, {d4};"),
        "unknown",
    );
    refused(&format!("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 {d4}, {a4}, {b2}, {d4};"), "unknown");
    refused(
        &format!("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d4}, {a4}, {b2}, {d4};"),
        "2 registers",
    );
    refused(
        &format!("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d4}, {a4}, {b2}, {d4};"),
        "sparse",
    );
    refused("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e2m1.f32 %r0, %r0, %r0, %r0;", ".kind");
    refused("wmma.load.a.sync.aligned.col.m8n8k32.shared.s4 {%r0}, [%r1], 32;", "`.row` only");
    refused("wmma.load.a.sync.aligned.row.m16n16k8.shared.f16 {%r0}, [%r1], 32;", "unknown");
}
