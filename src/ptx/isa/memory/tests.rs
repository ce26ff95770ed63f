//! Loads and stores on a warp.

use crate::launch::Module;
use crate::testing::snippet;
use tidegate_machine::finding::Code;

const HEAD: &str = ".shared .align 16 .b8 s[1024]; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b16 %h<4>; .reg .b128 %q<2>; .reg .pred %p;\n";

fn error(body: &str) -> String {
    let text = snippet(&format!("{HEAD}{body}")).module_text();
    Module::from_text(&text).unwrap_err()[0].message.clone()
}

#[test]
fn words_go_to_shared_memory_and_come_back_extended() {
    let after = snippet(&format!(
        "{HEAD} st.shared.u32 [%r0+1024], %r1; bar.warp.sync -1; ld.shared.s8 %r2, [%r0+1024]; ld.shared.u8 %d1, [%r0+1024];
         ld.shared.s16 %d2, [%r0+1024]; ld.shared.s8 %h1, [%r0+1024]; ld.shared.b32 %d3, [%r0+1024];"
    ).replace("bar.warp.sync -1;", ""))
    .each("%r0", |lane| lane * 4)
    .each("%r1", |lane| 0xffff_ff80 + lane)
    .run();
    after.clean();
    assert_eq!(after.get("%r2")[1], 0xffff_ff81);
    assert_eq!(after.get("%d1")[1], 0x81);
    assert_eq!(after.get("%d2")[2], 0xffff_ffff_ffff_ff82);
    assert_eq!(after.get("%h1")[3], 0xff83);
    assert_eq!(after.get("%d3")[3], 0xffff_ff83);
}

#[test]
fn vectors_and_128_bits() {
    let after = snippet(&format!(
        "{HEAD} st.shared.v4.b32 [%r0+1024], {{%r0, %r1, 7, %r0}}; ld.shared.b128 %q0, [%r0+1024];
         ld.shared.v2.b64 {{%d0, %d1}}, [%r0+1024]; ld.shared.v4.u8 {{%r2, %r3, %r4, %r5}}, [%r0+1024];"
    ))
    .each("%r0", |lane| lane * 16)
    .all("%r1", 0x0102_0304u32)
    .run();
    after.clean();
    assert_eq!(after.get("%q0")[2], 0x20_0000_0007_0102_0304_0000_0020);
    assert_eq!(after.get("%d1")[2], 0x20_0000_0007);
    assert_eq!(after.get("%r2")[2], 0x20);
}

#[test]
fn one_register_may_stand_in_braces() {
    let after =
        snippet(&format!("{HEAD} st.shared.b32 [%r0+1024], {{ %r1 }}; ld.shared.b32 {{ %r2 }}, [%r0+1024];"))
            .each("%r0", |lane| lane * 4)
            .each("%r1", |lane| lane + 5)
            .run();
    after.clean();
    assert_eq!(after.get("%r2")[3], 8);
    assert!(error("ld.shared.b32 {%r1, %r2}, [%r0];").contains("1 registers are wanted, found 2"));
    assert!(error("st.shared.v2.b32 [%r0], %r1;").contains("2 values are wanted, found 1"));
}

#[test]
fn predicated_lanes_and_low_bits() {
    let after =
        snippet(&format!("{HEAD} @%p st.shared.u8 [%r0+1024], %r1; @%p ld.shared.u8 %r2, [%r0+1024];"))
            .each("%r0", |lane| lane)
            .each("%p", |lane| lane & 1)
            .all("%r1", 0x1234u32)
            .all("%r2", 99u32)
            .run();
    after.clean();
    assert_eq!(after.get("%r2")[..4], [99, 0x34, 99, 0x34]);
    assert_eq!(after.shared[..4], [0, 0x34, 0, 0x34]);
}

#[test]
fn generic_addresses_name_their_memory() {
    let after = snippet(&format!(
        "{HEAD} .local .align 8 .b8 l[64]; cvta.shared.u64 %d0, %d1; st.u32 [%d0], %r1; ld.u32 %r2, [%d0];
         cvta.local.u64 %d2, %d3; st.v2.u32 [%d2+8], {{%r1, %r1}}; ld.local.u32 %r3, [l+12]; isspacep.local %p, %d2;
         cvta.to.local.u64 %d4, %d2;"
    ))
    .each("%d1", |lane| 1024 + lane * 8)
    .each("%r1", |lane| lane + 5)
    .all("%d3", 0u32)
    .run();
    after.clean();
    assert_eq!(after.get("%r2")[4], 9);
    assert_eq!(after.get("%r3")[31], 36);
    assert_eq!(after.get("%p")[0], 1);
    assert_eq!(after.get("%d4")[0], 0);
}

#[test]
fn faults_are_findings() {
    let run = |body: &str| snippet(&format!("{HEAD} .local .b32 l[4]; {body}"));
    run("ld.shared.u32 %r1, [%r0+8];").finds(Code::OutOfBounds);
    run("ld.shared.u32 %r1, [%r0+1026];").finds(Code::Misaligned);
    run("ld.shared.u32 %r1, [%r0+16778240];").finds(Code::InvalidOperand);
    run("ld.global.u32 %r1, [%d0];").finds(Code::OutOfBounds);
    run("ld.local.u32 %r1, [l+16];").finds(Code::OutOfBounds);
    run("st.local.v2.u32 [l+4], {%r0, %r1};").finds(Code::Misaligned);
}

#[test]
fn modifiers_are_checked() {
    assert!(error("ld.shared.f16 %h0, [%r0];").contains("unknown"));
    assert!(error("ld.relaxed.global.u32 %r0, [%d0];").contains("scope"));
    assert!(error("ld.global.v4.b64 {%d0, %d1, %d2, %d3}, [%d0];").contains("256 bits"));
    assert!(error("ld.global.v8.b16 {%h0,%h0,%h0,%h0,%h0,%h0,%h0,%h0}, [%d0];").contains("too large"));
    assert!(error("ld.global.u64 %r0, [%d0];").contains("64 bits"));
    assert!(error("ld.release.gpu.global.u32 %r0, [%d0];").contains("unknown"));
    assert!(error("st.global.wb.wt.u32 [%d0], %r0;").contains("two cache operators"));
    assert!(error("st.const.u32 [%d0], %r0;").contains("unknown"));
    assert!(error("ld.global.frob.u32 %r0, [%d0];").contains("unknown"));
    assert!(error("ld.global.L2::cache_hint.u32 %r0, [%d0];").contains("operands"));
    assert!(error("cvta.to.global.u32 %r0, %r0;").contains("64 bits"));
    assert!(error("ld.global.u32 %r0, [s];").contains("state space"));
}

#[test]
fn a_load_that_sees_the_same_for_ever_is_a_hang() {
    let found = snippet(&format!("{HEAD} L: ld.volatile.shared.u32 %r1, [%r0+1024]; bra L;")).run();
    assert!(!found.findings.is_empty() || found.outcome == tidegate_machine::cluster::Outcome::Polling);
}
