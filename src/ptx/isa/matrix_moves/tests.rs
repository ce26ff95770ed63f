use crate::testing::snippet;
use tidegate_machine::finding::Code;

/// Halves 0, 1, 2, ... in rows of 8: rows of matrix i are rows 8i on.
fn numbers() -> Vec<u8> {
    (0..256u16).flat_map(u16::to_le_bytes).collect()
}

fn run(op: &str) -> crate::testing::After {
    let text = format!(".reg .b32 %a, %r<4>; {op}");
    let after = snippet(&text).shared(numbers()).each("%a", |lane| 1024 + 16 * lane).run();
    after.clean();
    after
}

#[test]
fn rows_of_four_matrices() {
    let after = run("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%a];");
    // Lane 5: row 1, columns 2 and 3; matrix 2 begins at 128.
    assert_eq!(after.get("%r0")[5], 11 << 16 | 10);
    assert_eq!(after.get("%r2")[5], 139 << 16 | 138);
    assert_eq!(after.get("%r3")[31], 255 << 16 | 254);
}

#[test]
fn transposed() {
    let after = run("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r0, %r1}, [%a];");
    // Lane 5: column 1 of rows 2 and 3.
    assert_eq!(after.get("%r0")[5], 25 << 16 | 17);
    assert_eq!(after.get("%r1")[0], 72 << 16 | 64);
    let after = run(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r0, [%a]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;",
    );
    assert_eq!(after.get("%r1")[5], 25 << 16 | 17);
}

#[test]
fn generic_addresses() {
    let text = ".reg .b64 %a; .reg .b32 %r; ldmatrix.sync.aligned.m8n8.x1.b16 {%r}, [%a];";
    let s = snippet(text).shared(numbers());
    let got =
        s.each("%a", |lane| u128::from(tidegate_machine::memory::SHARED_WINDOW) + 1024 + 16 * lane).get("%r");
    assert_eq!(got[31], 63 << 16 | 62);
    snippet(text).each("%a", |lane| 0x10_0000_0000 + 16 * lane).finds(Code::OutOfBounds);
}

#[test]
fn stores_are_loads_backwards() {
    for trans in ["", ".trans"] {
        let text = format!(
            ".reg .b32 %a, %b, %r<4>;
            ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r0, %r1, %r2, %r3}}, [%a];
            stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%b+512], {{%r0, %r1, %r2, %r3}};"
        );
        let mut shared = numbers();
        shared.resize(1024, 0);
        let after = snippet(&text)
            .shared(shared)
            .each("%a", |lane| 1024 + 16 * lane)
            .each("%b", |lane| 1024 + 16 * lane)
            .run();
        after.clean();
        assert_eq!(after.shared[512..1024], numbers());
    }
}

#[test]
fn bytes_and_narrow_numbers() {
    let text = ".reg .b32 %a, %r<4>; ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%a];";
    let shared = || (0..=255u8).collect::<Vec<u8>>();
    let s = snippet(text).target("sm_100a").shared(shared()).each("%a", |lane| 1024 + 16 * lane);
    let after = s.run();
    after.clean();
    // Lane 5 (g 1, t 1): columns 1 and 9 of rows 4 and 5, then of 6 and 7.
    assert_eq!(after.get("%r0")[5], u128::from(u32::from_le_bytes([65, 81, 73, 89])));
    assert_eq!(after.get("%r1")[5], u128::from(u32::from_le_bytes([97, 113, 105, 121])));
    for (format, bytes, want) in [
        ("b4x16_p64", vec![0x21, 0x43], [1, 2, 3, 4]),
        ("b6x16_p32", vec![0b1100_0001, 0b1111_0000, 0b0001_0101], [1, 3, 31, 5]),
    ] {
        let text =
            format!(".reg .b32 %a, %r; ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.{format} {{%r}}, [%a];");
        let s = snippet(&text).target("sm_100a").shared(bytes).each("%a", |lane| 1024 + 16 * lane);
        assert_eq!(s.get("%r")[0], u128::from(u32::from_le_bytes(want)));
    }
    assert!(crate::launch::Module::from_text(&snippet(text).module_text()).is_err());
}

#[test]
fn a_row_has_sixteen_bytes() {
    let text = ".reg .b32 %a, %r; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, [%a];";
    snippet(text).each("%a", |lane| 1024 + 8 * lane).finds(Code::Misaligned);
}
