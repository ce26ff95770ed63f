//! Allocation by both blocks of a pair (`cta_group::2`): who comes first waits for the other, and both get the same.

use super::{Allocation, Request, TensorMemory};
use crate::finding::{Code, Finding};
use crate::hardware::{Actor, Hardware, Stop};

/// The first columns that are free in both.
fn common_run(a: &TensorMemory, b: &TensorMemory, columns: u32) -> Option<u32> {
    (0..super::COLUMNS)
        .step_by(super::UNIT as usize)
        .find(|&first| a.is_free(first, columns) && b.is_free(first, columns))
}

impl Hardware {
    /// The tensor memories of both blocks of the pair, the given rank's first.
    fn tensor_pair(&mut self, rank: u32) -> Option<(&mut TensorMemory, &mut TensorMemory)> {
        let both = self.blocks.get_mut((rank & !1) as usize..=(rank | 1) as usize)?;
        let [even, odd] = both else { return None };
        let even = even.tensor.get_or_insert_default().as_mut();
        let odd = odd.tensor.get_or_insert_default().as_mut();
        Some(if rank & 1 == 0 { (even, odd) } else { (odd, even) })
    }

    pub(super) fn tensor_alloc_pair(&mut self, actor: Actor, columns: u32) -> Result<Option<u32>, Stop> {
        let rank = self.agent(actor.agent).rank;
        let place = actor.place;
        let mut news = false;
        let Some((own, peer)) = self.tensor_pair(rank) else { return Ok(None) };
        match own.request {
            Some(r) if r.agent != actor.agent => return Ok(None),
            Some(Request { granted: Some(first), .. }) => {
                own.request = None;
                return Ok(Some(first));
            }
            Some(_) => {}
            None => {
                own.request = Some(Request { agent: actor.agent, place, columns, granted: None });
                news = true;
            }
        }
        let theirs = peer.request.filter(|r| r.granted.is_none());
        if let Some(r) = theirs
            && r.columns != columns
        {
            let message = format!(
                "the blocks of a pair allocate {columns} and {} columns of tensor memory: with cta_group::2 they allocate together, the same",
                r.columns
            );
            let finding = Finding::new(Code::TensorMemory, message)
                .at(place, format!("{columns} columns here"))
                .at(r.place, format!("{} columns here", r.columns));
            return self.fail(finding);
        }
        let first = theirs.and_then(|_| common_run(own, peer, columns));
        if let (Some(first), Some(r)) = (first, theirs) {
            own.allocations.push(Allocation { first, columns, place });
            peer.allocations.push(Allocation { first, columns, place: r.place });
            own.request = None;
            peer.request = Some(Request { granted: Some(first), ..r });
            news = true;
        }
        self.version += u64::from(news);
        Ok(first)
    }

    /// Whether both blocks have asked for columns that are free in both.
    pub(super) fn tensor_pair_ready(&self, rank: usize, columns: u32) -> bool {
        let tensor = |rank: usize| self.blocks.get(rank).and_then(|b| b.tensor.as_deref());
        let (Some(own), Some(peer)) = (tensor(rank), tensor(rank ^ 1)) else { return false };
        peer.request.is_some_and(|r| r.granted.is_none()) && common_run(own, peer, columns).is_some()
    }
}
