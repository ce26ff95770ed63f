//! Which kernels are being built.
//!
//! Handles are small and `Copy`: the number of a kernel and the id of a value in it. Operators on them (`k % 2`) have
//! no builder at hand, so the kernels of this thread that are being built are listed here. A builder takes its kernel
//! off the list when it finishes or is dropped; handles that outlive it do nothing.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use super::core::Core;
use crate::ir::Value;

/// Which kernel. Numbers are not used again within a thread.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(u64);

/// No kernel: what poison belongs to when none is being built.
impl Default for KernelId {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

pub(super) type Shared = Rc<RefCell<Core>>;

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
    static OPEN: RefCell<Vec<(KernelId, Shared)>> = const { RefCell::new(Vec::new()) };
}

/// Lists a kernel, made from its number.
pub(super) fn open(make: impl FnOnce(KernelId) -> Core) -> Shared {
    let id = KernelId(NEXT.get());
    NEXT.set(id.0 + 1);
    let core = Rc::new(RefCell::new(make(id)));
    OPEN.with_borrow_mut(|open| open.push((id, core.clone())));
    core
}

/// Takes a kernel off the list. Also called when a thread ends, after the list itself may be gone.
pub(super) fn close(id: KernelId) {
    let removed = OPEN.try_with(|open| {
        open.try_borrow_mut().ok().and_then(|mut open| {
            let index = open.iter().position(|entry| entry.0 == id)?;
            Some(open.swap_remove(index))
        })
    });
    drop(removed);
}

/// Runs `f` on a kernel that is being built. `None` when it is finished, or when it is in use further up the stack:
/// that does not happen, since no code of the user runs while a kernel is borrowed.
pub(super) fn with<R>(id: KernelId, f: impl FnOnce(&mut Core) -> R) -> Option<R> {
    let core =
        OPEN.try_with(|open| open.borrow().iter().find(|entry| entry.0 == id).map(|entry| entry.1.clone()));
    let core = core.ok().flatten()?;
    let mut core = core.try_borrow_mut().ok()?;
    Some(f(&mut core))
}

/// The kernel that was begun last and is being built still, for arithmetic among literals.
pub(super) fn latest() -> Option<KernelId> {
    OPEN.try_with(|open| open.borrow().iter().map(|entry| entry.0).max_by_key(|id| id.0)).ok().flatten()
}

/// The name of a kernel that is being built.
pub(super) fn name(id: KernelId) -> Option<String> {
    with(id, |core| core.name.clone())
}

/// A value of a kernel. Without a value it is *poison*: the outcome of an error already noted, of which nothing more
/// is said.
///
/// Not `Send`: the list of kernels is a thread's own.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Raw {
    pub(super) kernel: KernelId,
    pub(super) value: Option<Value>,
    not_send: PhantomData<*const ()>,
}

impl Raw {
    pub(super) fn new(kernel: KernelId, value: Option<Value>) -> Self {
        Self { kernel, value, not_send: PhantomData }
    }
    pub(super) fn poison(kernel: KernelId) -> Self {
        Self::new(kernel, None)
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(f, "{value:?} of kernel {}", self.kernel.0),
            None => write!(f, "poison of kernel {}", self.kernel.0),
        }
    }
}
