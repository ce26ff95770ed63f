//! Arrays that share their memory.

use super::{RefSpec, Spec};
use crate::frontend::aval::RefAval;
use crate::frontend::error::SpecErrorKind;

/// Arrays of which one is live at a time, in the same memory.
///
/// Barriers are refused: an ordinary write over a live mbarrier destroys it.
#[derive(Clone, Debug, PartialEq)]
pub struct RefUnion {
    /// The members.
    pub members: Vec<Spec>,
}

impl RefUnion {
    /// A union of these specs.
    pub fn new(members: impl IntoIterator<Item = Spec>) -> Self {
        Self { members: members.into_iter().collect() }
    }
}

impl RefSpec for RefUnion {
    fn check(&self) -> Result<RefAval, SpecErrorKind> {
        let mut avals: Vec<RefAval> = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let aval = member.check()?;
            if let RefAval::Barrier(aval) = aval {
                return Err(SpecErrorKind::BarrierInUnion { index, aval });
            }
            // Arrays only, and all of them in the memory of the first.
            let space = match (&aval, avals.first()) {
                (RefAval::Array(array), None) => array.space,
                (_, Some(RefAval::Array(first))) => first.space,
                _ => crate::ir::types::Space::Smem,
            };
            if !matches!(&aval, RefAval::Array(array) if array.space == space) {
                return Err(SpecErrorKind::UnionSpace { index, found: aval.describe(), space });
            }
            avals.push(aval);
        }
        if avals.is_empty() { Err(SpecErrorKind::EmptyUnion) } else { Ok(RefAval::Union(avals)) }
    }
}
