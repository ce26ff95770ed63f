//! Tests of tcgen05: decoding, and what a warp does with its own lanes. What the tensor core computes is tested in the machine.

use crate::testing::{Snippet, snippet};
use tidegate_machine::finding::Code;

const HEAD: &str = ".reg .b32 %r<40>; .reg .b64 %d<4>; .reg .pred %p; .shared .align 16 .b32 s[64];
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 64;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;";
const TAIL: &str = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 64;";

fn run(body: &str) -> Snippet {
    snippet(&format!("{HEAD}\n{body}\n{TAIL}")).target("sm_100a").all("%r0", 0u32)
}

fn error(body: &str) -> String {
    let text = run(body).module_text();
    crate::launch::Module::from_text(&text).err().map(|e| e[0].message.clone()).unwrap_or_default()
}

/// `{%r10, %r11, ...}`
fn vector(first: u32, count: u32) -> String {
    let list: Vec<_> = (first..first + count).map(|r| format!("%r{r}")).collect();
    format!("{{{}}}", list.join(", "))
}

#[test]
fn stores_and_loads_by_shape() {
    // Each lane stores its number plus 100 times the column.
    let store = format!(
        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r0 + 8], {}; tcgen05.wait::st.sync.aligned;",
        vector(10, 8)
    );
    let with = |load: &str| {
        let mut s = run(&format!("{store} {load} tcgen05.wait::ld.sync.aligned;"));
        for c in 0..8u128 {
            s = s.each(&format!("%r{}", 10 + c), move |lane| lane + 100 * c);
        }
        s
    };
    let out = with(&format!("tcgen05.ld.sync.aligned.32x32b.x4.b32 {}, [%r0 + 12];", vector(20, 4))).run();
    out.clean();
    assert_eq!(out.get("%r21")[..3], [500, 501, 502]);
    // 16x64b: thread 5 has lane 1 + 8, columns 0 and 2; thread 6 lane 1, columns 1 and 3.
    let out = with(&format!("tcgen05.ld.sync.aligned.16x64b.x2.b32 {}, [%r0 + 8];", vector(20, 2))).run();
    out.clean();
    assert_eq!([out.get("%r20")[5], out.get("%r21")[5], out.get("%r21")[6]], [9, 209, 301]);
    let out = with(&format!("tcgen05.ld.sync.aligned.16x256b.x1.b32 {}, [%r0 + 8];", vector(20, 4))).run();
    out.clean();
    assert_eq!([out.get("%r20")[5], out.get("%r21")[5], out.get("%r22")[5]], [201, 301, 209]);
    let out =
        with(&format!("tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {}, [%r0 + 8], 4;", vector(20, 2))).run();
    out.clean();
    assert_eq!([out.get("%r21")[3], out.get("%r21")[19]], [103, 503]);
    // Two columns in a register.
    let out = with("tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r20}, [%r0 + 9];").run();
    out.clean();
    assert_eq!(out.get("%r20")[7], 107 | 207 << 16);
}

#[test]
fn unpacking_stores() {
    let body =
        "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%r0], {%r1}; tcgen05.wait::st.sync.aligned;
        tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2, %r3}, [%r0]; tcgen05.wait::ld.sync.aligned;";
    let out = run(body).all("%r1", 0x0005_0003u32).run();
    out.clean();
    assert_eq!((out.first("%r2"), out.first("%r3")), (3, 5));
}

#[test]
fn registers_of_a_load_wait_for_it() {
    let body = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {%r1}; tcgen05.wait::st.sync.aligned;
        tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r0]; nanosleep.u32 %r2; add.u32 %r3, %r2, 1;";
    run(body).finds(Code::RegistersInFlight);
    // Hardware waits for the registers: so does the run, with one finding.
    let out = run(body).all("%r1", 4u32).run();
    assert_eq!(out.first("%r3"), 5);
}

#[test]
fn what_is_missing_is_found() {
    // Races of a load with a store that was not waited for; cells that nobody wrote; another warp's lanes.
    let st = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {%r1};";
    let ld = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r0]; tcgen05.wait::ld.sync.aligned;";
    run(&format!("{st} {ld}")).finds(Code::Race);
    run(st).all("%r0", 32u32 << 16).finds(Code::TensorMemory);
    run(st).all("%r0", 64u32).finds(Code::TensorMemory);
    run(st).each("%r0", |lane| lane).finds(Code::InvalidOperand);
    let leak = format!("{HEAD} {st}");
    snippet(&leak).target("sm_100a").all("%r0", 0u32).finds(Code::TensorMemory);
}

#[test]
fn forms_that_exist_and_that_do_not() {
    for good in [
        "tcgen05.mma.cta_group::1.kind::f16 [%r0 + 0], %d0, %d1, %r1, %p;",
        "tcgen05.mma.cta_group::2.kind::tf32.collector::a::lastuse [%r0], [%r1 + 8], %d1, %r1, !%p, 3;",
        "tcgen05.mma.cta_group::1.kind::i8 [%r0], %d0, %d1, %r1, {%r2, %r3, %r4, %r5}, %p;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r0], %d0, %d1, %r1, [%r2], [%r3], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r0], %d0, %d1, %r1, [%r2], [%r3], %p;",
        "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r0], %d0;",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d0];",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r0], %r1;",
        "tcgen05.fence::before_thread_sync; tcgen05.fence::after_thread_sync;",
        "tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r2, _}, [%r0];",
    ] {
        assert_eq!(error(good), "", "{good}");
    }
    for (bad, says) in [
        ("tcgen05.mma.cta_group::1.kind::f16.foo [%r0], %d0, %d1, %r1, %p;", "unknown instruction"),
        ("tcgen05.mma.sp.cta_group::1.kind::f16 [%r0], %d0, %d1, [%r2], %r1, %p;", "sparse"),
        ("tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %d0, %d1, %r1, %p;", ".ws"),
        ("tcgen05.mma.cta_group::1.kind::i8 [%r0], %d0, %d1, %r1, %p, 3;", "scale-input-d"),
        ("tcgen05.mma.cta_group::1.kind::f16 [%r0], %d0, %d1, %r1, {%r2}, %p;", "4 registers"),
        ("tcgen05.mma.cta_group::1.kind::mxf4 [%r0], %d0, %d1, %r1, [%r2], [%r3], %p;", "block_scale"),
        ("tcgen05.cp.cta_group::1.4x256b [%r0], %d0;", "not modelled"),
        ("tcgen05.shift.cta_group::1.down [%r0];", "not modelled"),
        ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 48;", "power of two"),
        ("tcgen05.alloc.sync.aligned.shared::cta.b32 [s], 64;", "cta_group"),
        ("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2}, [%r0];", "takes 2 registers, found 1"),
        ("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r2}, [%r0];", "repeated"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.unpack::16b.b32 {%r2}, [%r0];", "unknown instruction"),
        ("tcgen05.wait::ld.sync;", "unknown instruction"),
    ] {
        assert!(error(bad).contains(says), "{bad}: {}", error(bad));
    }
    let old = snippet("tcgen05.fence::before_thread_sync;").module_text();
    assert!(crate::launch::Module::from_text(&old).unwrap_err()[0].message.contains("sm_100a"));
}
