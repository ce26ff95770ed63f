//! Where arrays, barriers and scratch lie in a block's shared memory.
//!
//! One function, two users: the verifier says by it whether a kernel fits, `allocate-smem` writes its offsets down. So
//! the number that is checked is the number that the launch asks for.
//!
//! Order: what has an `offset` already stays there. The rest is placed by falling alignment, then in the order of the
//! program: arrays, then scratch, then barriers, 8 bytes each. Since every place starts at a multiple of what follows
//! it needs, padding is rare. Barriers never share bytes with anything: they live from their initialisation to the end
//! of the kernel, also where nobody uses them. Arrays share bytes only where the caller's liveness says they may.
//!
//! | array | alignment |
//! |---|---|
//! | with a swizzle of 128, 64, 32 bytes | 1024, 512, 256 |
//! | source or destination of an asynchronous copy | 128 |
//! | any other | 16 |
//! | with `align n` | n, when that is more |

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;
use tidegate_ir::ops::{Opcode, TgOp};
use tidegate_ir::types::Space;
use tidegate_ir::{Module, Op, Value};

use super::scratch::{SCRATCH_ALIGNMENT, scope_of, scratch_bytes};
use super::threads::scope_threads;
use crate::target::tma;

/// Bytes of an mbarrier, and their alignment.
pub const BARRIER_BYTES: i64 = 8;
/// Alignment of arrays that only ordinary loads and stores reach.
pub const ARRAY_ALIGNMENT: i64 = 16;

/// What takes shared memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SmemItem {
    /// An array: its `tg.alloc`.
    Array(Op),
    /// A barrier group: its `tg.alloc_barrier`.
    Barriers(Op),
    /// Scratch of the compiler, for all threads of this role or kernel.
    Scratch(Op),
}

/// What has to be placed.
#[derive(Copy, Clone, Debug)]
pub struct SmemRequest {
    /// What it is.
    pub item: SmemItem,
    /// Its size.
    pub bytes: i64,
    /// Its alignment, a power of two.
    pub alignment: i64,
    /// Its place, when that is decided.
    pub offset: Option<i64>,
}

/// What was placed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SmemEntry {
    /// What it is.
    pub item: SmemItem,
    /// Where it begins.
    pub offset: i64,
    /// Its size.
    pub bytes: i64,
    /// Its alignment.
    pub alignment: i64,
}

/// The shared memory of a block.
#[derive(Clone, Debug, Default)]
pub struct SmemLayout {
    /// Everything in it, by its offset.
    pub entries: Vec<SmemEntry>,
    /// The bytes that the launch asks for.
    pub total: i64,
    /// How many of them nothing takes.
    pub padding: i64,
}

impl SmemLayout {
    /// The entry of an allocation.
    pub fn offset_of(&self, item: SmemItem) -> Option<i64> {
        self.entries.iter().find(|entry| entry.item == item).map(|entry| entry.offset)
    }
}

/// Says of two arrays (their `tg.alloc`) whether they may share bytes, since they are never live together.
pub type MayShare<'a> = &'a dyn Fn(Op, Op) -> bool;

/// The layout of `kernel`. Without `may_share` every array has bytes of its own.
pub fn smem_layout(module: &Module, kernel: Op, may_share: Option<MayShare<'_>>) -> SmemLayout {
    place(&requests(module, kernel), may_share)
}

/// What `kernel` needs: its arrays, scratch and barriers, in the order of the program.
pub fn requests(module: &Module, kernel: Op) -> Vec<SmemRequest> {
    let mut arrays = Vec::new();
    let mut barriers = Vec::new();
    let mut scratch: Vec<(Op, i64)> = Vec::new();
    let mut scopes: FxHashMap<Op, usize> = FxHashMap::default();
    let empty = module.attrs.empty_dict();
    let _: ControlFlow<()> = module.visit(kernel, &mut |op| {
        match module.opcode(op) {
            Opcode::Tg(TgOp::Alloc) => arrays.extend(array_request(module, op)),
            Opcode::Tg(TgOp::AllocBarrier) => barriers.extend(barrier_request(module, op)),
            opcode => {
                // Only array ops, and ops whose operands were given layouts, move elements between lanes.
                let may_need = matches!(opcode, Opcode::Vector(_)) || module.discardable(op) != empty;
                let bytes = if may_need { scratch_bytes(module, op) } else { 0 };
                if bytes > 0
                    && let Some(scope) = scope_of(module, op)
                {
                    let index = *scopes.entry(scope).or_insert_with(|| {
                        scratch.push((scope, 0));
                        scratch.len() - 1
                    });
                    scratch[index].1 = scratch[index].1.max(bytes);
                }
            }
        }
        ControlFlow::Continue(true)
    });
    arrays.extend(scratch.into_iter().map(|(scope, bytes)| SmemRequest {
        item: SmemItem::Scratch(scope),
        bytes: round_up(bytes, SCRATCH_ALIGNMENT).saturating_mul(scope_threads(module, scope)),
        alignment: SCRATCH_ALIGNMENT,
        offset: module.attr_i64(scope, "scratch_offset").filter(|&offset| offset >= 0),
    }));
    arrays.extend(barriers);
    arrays
}

fn array_request(module: &Module, op: Op) -> Option<SmemRequest> {
    let value = module.results(op).next()?;
    module.types.as_ref(module.ty(value)).filter(|reference| reference.space == Space::Smem)?;
    Some(SmemRequest {
        item: SmemItem::Array(op),
        bytes: module.types.ref_bytes(module.ty(value)).unwrap_or(i64::MAX / 4),
        alignment: array_alignment(module, op),
        offset: module.attr_i64(op, "offset").filter(|&offset| offset >= 0),
    })
}

fn barrier_request(module: &Module, op: Op) -> Option<SmemRequest> {
    let value = module.results(op).next()?;
    let group = module.types.as_barrier(module.ty(value))?;
    Some(SmemRequest {
        item: SmemItem::Barriers(op),
        bytes: group.num_barriers().saturating_mul(BARRIER_BYTES),
        alignment: BARRIER_BYTES,
        offset: module.attr_i64(op, "offset").filter(|&offset| offset >= 0),
    })
}

/// The alignment that the array of a `tg.alloc` needs.
pub fn array_alignment(module: &Module, alloc: Op) -> i64 {
    let Some(value) = module.results(alloc).next() else { return ARRAY_ALIGNMENT };
    let asked = module.attr_i64(alloc, "alignment").filter(|n| *n > 0 && n & (n - 1) == 0).unwrap_or(1);
    let swizzle = module.types.as_ref(module.ty(value)).and_then(|reference| reference.swizzle);
    let needed = match swizzle {
        Some(span) => tma::swizzle_atom(span),
        None if is_copied(module, value) => tma::SMEM_ALIGNMENT,
        None => ARRAY_ALIGNMENT,
    };
    asked.max(needed)
}

/// Whether an asynchronous copy reads or writes the array behind `value`.
fn is_copied(module: &Module, value: Value) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        for used in module.uses(value) {
            match module.opcode(used.op) {
                Opcode::Tg(TgOp::CopyGmemToSmem | TgOp::CopySmemToGmem) => return true,
                Opcode::Tg(TgOp::At | TgOp::Subview) if used.index == 0 => {
                    stack.extend(module.results(used.op))
                }
                _ => {}
            }
        }
    }
    false
}

/// Places all of `requests`.
pub fn place(requests: &[SmemRequest], may_share: Option<MayShare<'_>>) -> SmemLayout {
    let entry = |request: &SmemRequest, offset: i64| SmemEntry {
        item: request.item,
        offset,
        bytes: request.bytes,
        alignment: request.alignment,
    };
    let mut entries: Vec<SmemEntry> =
        requests.iter().filter_map(|request| request.offset.map(|offset| entry(request, offset))).collect();
    entries.sort_by_key(|entry| entry.offset);
    let mut open: Vec<&SmemRequest> = requests.iter().filter(|request| request.offset.is_none()).collect();
    // Stable: what has one alignment keeps the order of `requests`.
    open.sort_by_key(|request| std::cmp::Reverse(request.alignment));
    match may_share.filter(|_| requests.len() <= MAX_SHARING || count_arrays(requests) <= MAX_SHARING) {
        None => place_apart(&mut entries, &open, &entry),
        Some(may_share) => {
            let (barriers, others): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|request| matches!(request.item, SmemItem::Barriers(_)));
            for request in others {
                let offset = first_fit(&entries, request, may_share);
                entries.push(entry(request, offset));
            }
            // Barriers share with nothing and come last, so one pass places them all.
            entries.sort_by_key(|entry| entry.offset);
            place_apart(&mut entries, &barriers, &entry);
        }
    }
    entries.sort_by_key(|entry| entry.offset);
    let mut total = 0i64;
    let mut used = 0i64;
    for entry in &entries {
        let end = entry.offset.saturating_add(entry.bytes);
        used = used.saturating_add((end - total.max(entry.offset)).max(0));
        total = total.max(end);
    }
    SmemLayout { entries, total, padding: total.saturating_sub(used) }
}

/// The most arrays that are tried against each other: each one against all before it. More than these do not fit into a
/// block anyhow, or are so small that sharing gains nothing.
const MAX_SHARING: usize = 4096;

fn count_arrays(requests: &[SmemRequest]) -> usize {
    requests.iter().filter(|request| matches!(request.item, SmemItem::Array(_))).count()
}

/// One behind the other, around what has its place already.
fn place_apart(
    entries: &mut Vec<SmemEntry>,
    open: &[&SmemRequest],
    entry: &dyn Fn(&SmemRequest, i64) -> SmemEntry,
) {
    let fixed = entries.len();
    let mut next_fixed = 0;
    let mut end = 0i64;
    for request in open {
        loop {
            let offset = round_up(end, request.alignment);
            match entries[..fixed].get(next_fixed) {
                Some(other) if other.offset < offset.saturating_add(request.bytes) => {
                    end = end.max(other.offset.saturating_add(other.bytes));
                    next_fixed += 1;
                }
                _ => {
                    entries.push(entry(request, offset));
                    end = offset.saturating_add(request.bytes);
                    break;
                }
            }
        }
    }
}

/// The lowest place where `request` overlaps only what it may share bytes with.
fn first_fit(entries: &[SmemEntry], request: &SmemRequest, may_share: MayShare<'_>) -> i64 {
    let mut others: Vec<&SmemEntry> = entries
        .iter()
        .filter(|entry| match (entry.item, request.item) {
            (SmemItem::Array(a), SmemItem::Array(b)) => !may_share(a, b),
            _ => true,
        })
        .collect();
    others.sort_by_key(|entry| entry.offset);
    let mut offset = 0i64;
    for other in others {
        if other.offset >= offset.saturating_add(request.bytes) {
            break;
        }
        offset = round_up(offset.max(other.offset.saturating_add(other.bytes)), request.alignment);
    }
    offset
}

/// `value` rounded up to a multiple of `to`.
pub fn round_up(value: i64, to: i64) -> i64 {
    let to = to.max(1);
    value.saturating_add(to - 1) / to * to
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidegate_ir::EntityId;

    fn array(index: usize, bytes: i64, alignment: i64) -> SmemRequest {
        SmemRequest { item: SmemItem::Array(Op::from_index(index)), bytes, alignment, offset: None }
    }

    fn barriers(index: usize, count: i64) -> SmemRequest {
        SmemRequest {
            item: SmemItem::Barriers(Op::from_index(index)),
            bytes: 8 * count,
            alignment: 8,
            offset: None,
        }
    }

    #[test]
    fn strict_alignments_come_first_and_barriers_last() {
        let layout = place(&[barriers(0, 3), array(1, 100, 16), array(2, 4096, 1024)], None);
        assert_eq!(layout.offset_of(SmemItem::Array(Op::from_index(2))), Some(0));
        assert_eq!(layout.offset_of(SmemItem::Array(Op::from_index(1))), Some(4096));
        assert_eq!(layout.offset_of(SmemItem::Barriers(Op::from_index(0))), Some(4200));
        assert_eq!((layout.total, layout.padding), (4224, 4));
    }

    #[test]
    fn fixed_places_are_kept_and_gone_around() {
        let fixed = SmemRequest { offset: Some(64), ..array(0, 64, 16) };
        let layout = place(&[fixed, array(1, 64, 16), array(2, 16, 16)], None);
        assert_eq!(layout.offset_of(SmemItem::Array(Op::from_index(1))), Some(0));
        assert_eq!(layout.offset_of(SmemItem::Array(Op::from_index(2))), Some(128));
        assert_eq!((layout.total, layout.padding), (144, 0));
    }

    #[test]
    fn arrays_share_bytes_only_where_they_may() {
        let [a, b, c] = [0, 1, 2].map(Op::from_index);
        let requests = [array(0, 256, 16), array(1, 128, 16), array(2, 128, 16), barriers(3, 1)];
        let may_share = |x: Op, y: Op| (x, y) == (a, b) || (x, y) == (b, a);
        let layout = place(&requests, Some(&may_share));
        assert_eq!(layout.offset_of(SmemItem::Array(b)), Some(0));
        assert_eq!(layout.offset_of(SmemItem::Array(c)), Some(256));
        assert_eq!(layout.total, 256 + 128 + 8);
    }
}
