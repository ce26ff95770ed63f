//! The route over `Spec` and `RefHandle`: what typed handles make a compile error is an error value.

use tidegate::frontend::BuildErrorKind as K;
use tidegate::frontend::*;

fn handles(k: &KernelBuilder) -> [RefHandle; 3] {
    let specs: [Spec; 3] =
        [Smem::new([128], F32).into(), Barrier::new().into(), ClusterBarrier::new("c").into()];
    specs.map(|spec| k.scratch_dyn(&spec).unwrap())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, BuildError>, code: &str, text: &str) {
    let error = outcome.expect_err("refused");
    assert_eq!(error.code().id(), code);
    assert_eq!(error.to_string(), text);
    assert_eq!(error.site.file(), file!());
}

#[test]
fn specs_become_handles_of_their_kind() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let [buf, full, ready] = handles(&k);
    assert!(matches!(buf, RefHandle::Smem(_)) && !buf.is_barrier());
    assert!(matches!(full, RefHandle::Barrier(_)) && full.is_barrier());
    assert!(matches!(ready, RefHandle::ClusterBarrier(_)) && ready.is_barrier());
    let tmem = k.scratch_dyn(&Tmem::new([128, 64], F32).into()).unwrap();
    assert!(matches!(tmem, RefHandle::Tmem(_)));
    assert!(matches!(k.scratch_dyn(&Acc::new([64, 64], F32).into()), Ok(RefHandle::Acc(_))));
    assert!(buf.smem().is_ok() && full.barrier().is_ok());
}

#[test]
fn misuse_is_an_error_value_and_is_not_noted_twice() {
    let k = KernelBuilder::new("k").cluster([("c", 2)]);
    let x: RefHandle = k.input("x", [128], F32).into();
    let [buf, full, ready] = handles(&k);
    let one = "a reference to one barrier in shared memory";
    refused(
        k.load_dyn(full, ()),
        "TG0101",
        &format!(
            "{one} cannot be loaded: it is a barrier, a reference and never an array; wait for its phase with \
             `barrier_wait` and load what it guards"
        ),
    );
    refused(
        k.store_dyn(1.0, full, ()),
        "TG0102",
        &format!(
            "{one} cannot be written: it is a barrier, changed by arrivals and announced bytes only; arrive on it with \
             `barrier_arrive`"
        ),
    );
    let array = "a reference to an array in shared memory";
    refused(
        k.barrier_wait_dyn(buf, ()),
        "TG0106",
        &format!(
            "barrier_wait wants a barrier, and {array} is a reference to an array; no element type makes an array a \
             barrier: allocate a `Barrier`"
        ),
    );
    assert_eq!(k.barrier_arrive_dyn(x, ()).unwrap_err().code().id(), "TG0106");
    let copy = |from, to, on| k.copy_gmem_to_smem_dyn((from, vec![]), (to, vec![]), (on, vec![]));
    refused(
        copy(x, full, full),
        "TG0105",
        &format!("copy_gmem_to_smem wants a reference to an array, and {one} is a barrier"),
    );
    refused(
        copy(x, buf, ready),
        "TG0210",
        "copy_gmem_to_smem completes on a barrier of its own block, and a reference to one cluster barrier in shared \
         memory is a cluster barrier",
    );
    assert_eq!(copy(x, buf, buf).unwrap_err().code().id(), "TG0106");
    refused(
        copy(buf, buf, full),
        "TG0401",
        &format!("copy_gmem_to_smem wants global memory, and {array} is in shared memory"),
    );
    assert_eq!(copy(x, buf, full), Ok(()));
    assert_eq!(full.smem().unwrap_err().code().id(), "TG0105");
    assert_eq!(k.error_count(), 0, "what was returned is not noted as well");
    k.barrier_wait_dyn(full, ()).unwrap();
    k.barrier_arrive_dyn(ready, ()).unwrap();
    k.store_dyn(k.load_dyn(buf, ()).unwrap() + 1.0, x, ()).unwrap();
    assert!(k.finish().is_ok());
}

#[test]
fn specs_that_a_kernel_does_not_allocate_are_refused() {
    let k = KernelBuilder::new("k");
    let refused = |spec: Spec| k.scratch_dyn(&spec).unwrap_err();
    let gmem = refused(Gmem::new([8], F32).into());
    assert_eq!(gmem.code().id(), "TG0401");
    let text = "scratch memory is shared memory, tensor memory, an accumulator or a barrier, and this is a reference to \
                an array f32[8] in global memory; pass it as a parameter";
    assert_eq!(gmem.to_string(), text);
    assert_eq!(*refused(Semaphore::new().into()).kind, K::SemaphoreScratch);
    let union = RefUnion::new([Smem::new([8], F32).into()]);
    assert_eq!(refused(union.into()).code().id(), "TG0912");
    let union = RefUnion::new([Barrier::new().into()]);
    assert_eq!(refused(union.into()).code().id(), "TG0912");
    assert_eq!(k.error_count(), 0);
}
