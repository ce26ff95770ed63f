//! Memories: global (shared by all blocks), shared (one per block), and which of their bytes were ever written.
//!
//! # Addresses
//!
//! A shared address is 32 bits: the rank of its block in the cluster in bits 24 and up, the offset in the block's
//! window below. The hardware does the same, and kernels rely on it (CUTLASS clears bit 24 to name the even block
//! of a pair). The first [`RESERVED`] bytes of a window belong to the system, as on Hopper and Blackwell.
//! A generic address of shared memory is [`SHARED_WINDOW`] plus the shared address. Global addresses start at
//! [`GLOBAL_BASE`]; between two allocations there is a gap, so that an access past the end of one is not taken for
//! an access to the next.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of shared memory at the start of each block's window that kernels cannot use.
pub const RESERVED: u32 = 1024;
/// The generic address of shared address 0.
pub const SHARED_WINDOW: u64 = 0x7f00_0000_0000;
/// Where global allocations start.
pub const GLOBAL_BASE: u64 = 0x0010_0000_0000;
/// Between two allocations there are at least these many bytes of nothing.
pub const GAP: u64 = 4096;

/// The shared address of an offset in the window of a block of the cluster.
pub fn shared_address(rank: u32, offset: u32) -> u32 {
    rank << 24 | offset
}

/// The rank of the block and the offset in its window.
pub fn split_shared(address: u32) -> (u32, u32) {
    (address >> 24, address & 0x00ff_ffff)
}

/// One bit a byte: written or not.
#[derive(Clone, Debug, Default)]
pub struct Written {
    words: Vec<u64>,
}

impl Written {
    /// Nothing of these many bytes.
    pub fn new(bytes: usize) -> Written {
        Written { words: vec![0; bytes.div_ceil(64)] }
    }

    fn masks(offset: usize, len: usize) -> impl Iterator<Item = (usize, u64)> {
        let end = offset + len;
        (offset / 64..end.div_ceil(64)).map(move |w| {
            let from = offset.max(w * 64) - w * 64;
            let to = end.min(w * 64 + 64) - w * 64;
            let high = if to == 64 { u64::MAX } else { (1 << to) - 1 };
            (w, high & !((1u64 << from) - 1))
        })
    }

    /// Bytes are written now.
    pub fn set(&mut self, offset: usize, len: usize) {
        for (w, mask) in Written::masks(offset, len) {
            if let Some(word) = self.words.get_mut(w) {
                *word |= mask;
            }
        }
    }

    /// Bytes are not written any more: their memory is another's now.
    pub fn unset(&mut self, offset: usize, len: usize) {
        for (w, mask) in Written::masks(offset, len) {
            if let Some(word) = self.words.get_mut(w) {
                *word &= !mask;
            }
        }
    }

    /// The first byte of the range that was never written.
    pub fn first_missing(&self, offset: usize, len: usize) -> Option<usize> {
        Written::masks(offset, len).find_map(|(w, mask)| {
            let missing = mask & !self.words.get(w).copied().unwrap_or(0);
            (missing != 0).then(|| w * 64 + missing.trailing_zeros() as usize)
        })
    }
}

/// The shared memory of a block.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The bytes of the window, the reserved ones included.
    pub bytes: Vec<u8>,
    /// Which were written.
    pub written: Written,
}

impl Shared {
    /// A window of the reserved bytes and these many of the kernel's.
    pub fn new(kernel_bytes: u32) -> Shared {
        let len = (RESERVED + kernel_bytes) as usize;
        Shared { bytes: vec![0; len], written: Written::new(len) }
    }

    /// The bytes of a range, or nothing when it is not in the kernel's part of the window.
    pub fn get(&self, offset: u32, len: u32) -> Option<&[u8]> {
        let end = offset.checked_add(len)?;
        if offset < RESERVED { None } else { self.bytes.get(offset as usize..end as usize) }
    }

    /// The same, to write to; they count as written.
    pub fn get_mut(&mut self, offset: u32, len: u32) -> Option<&mut [u8]> {
        let end = offset.checked_add(len)?;
        if offset < RESERVED || end as usize > self.bytes.len() {
            return None;
        }
        self.written.set(offset as usize, len as usize);
        self.bytes.get_mut(offset as usize..end as usize)
    }
}

/// An allocation in global memory. Words are atomic, since blocks on several cores touch them; what that means for
/// the program is decided by the order of its accesses, not here.
#[derive(Debug)]
pub struct Allocation {
    /// What it is called: the operand or variable.
    pub name: String,
    /// The address of its first byte: a multiple of 512.
    pub base: u64,
    /// Bytes.
    pub len: u64,
    /// Kernels may only read it (`.const`, parameters).
    pub read_only: bool,
    words: Box<[AtomicU64]>,
    written: Box<[AtomicU64]>,
}

impl Allocation {
    fn new(name: String, base: u64, len: u64) -> Allocation {
        let zeros = |n: u64| (0..n).map(|_| AtomicU64::new(0)).collect();
        Allocation {
            name,
            base,
            len,
            read_only: false,
            words: zeros(len.div_ceil(8)),
            written: zeros(len.div_ceil(64)),
        }
    }

    /// Reads bytes. The range must lie in the allocation; bytes beyond it are left alone.
    pub fn read(&self, offset: u64, out: &mut [u8]) {
        if offset.is_multiple_of(8) && out.len().is_multiple_of(8) {
            let first = (offset / 8) as usize;
            for (chunk, word) in out.chunks_exact_mut(8).zip(self.words.get(first..).unwrap_or(&[])) {
                chunk.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
            }
            return;
        }
        let mut done = 0;
        while done < out.len() {
            let at = offset as usize + done;
            let n = (8 - at % 8).min(out.len() - done);
            let Some(word) = self.words.get(at / 8) else { return };
            let bytes = word.load(Ordering::Relaxed).to_le_bytes();
            out[done..done + n].copy_from_slice(&bytes[at % 8..at % 8 + n]);
            done += n;
        }
    }

    /// Writes bytes; they count as written.
    pub fn write(&self, offset: u64, data: &[u8]) {
        for (w, mask) in Written::masks(offset as usize, data.len()) {
            if let Some(word) = self.written.get(w)
                && word.load(Ordering::Relaxed) & mask != mask
            {
                word.fetch_or(mask, Ordering::Relaxed);
            }
        }
        let mut done = 0;
        while done < data.len() {
            let at = offset as usize + done;
            let n = (8 - at % 8).min(data.len() - done);
            let Some(word) = self.words.get(at / 8) else { return };
            if n == 8 {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&data[done..done + 8]);
                word.store(u64::from_le_bytes(bytes), Ordering::Relaxed);
            } else {
                let mut value = [0u8; 8];
                let mut mask = [0u8; 8];
                value[at % 8..at % 8 + n].copy_from_slice(&data[done..done + n]);
                mask[at % 8..at % 8 + n].fill(0xff);
                let (value, mask) = (u64::from_le_bytes(value), u64::from_le_bytes(mask));
                let update = |old: u64| Some(old & !mask | value);
                let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
            }
            done += n;
        }
    }

    /// Changes up to 8 bytes within one aligned word as one atomic step; returns the bytes before.
    pub fn update(&self, offset: u64, len: u32, change: &mut dyn FnMut(u64) -> u64) -> u64 {
        let shift = offset % 8 * 8;
        let ones = if len >= 8 { u64::MAX } else { (1u64 << (len * 8)) - 1 };
        let Some(word) = self.words.get((offset / 8) as usize) else { return 0 };
        let mut step = |old: u64| {
            let new = change(old >> shift & ones) & ones;
            Some(old & !(ones << shift) | new << shift)
        };
        let old = match word.fetch_update(Ordering::SeqCst, Ordering::SeqCst, &mut step) {
            Ok(old) | Err(old) => old,
        };
        for (w, mask) in Written::masks(offset as usize, len as usize) {
            if let Some(word) = self.written.get(w) {
                word.fetch_or(mask, Ordering::Relaxed);
            }
        }
        old >> shift & ones
    }

    /// The first byte of the range that was never written.
    pub fn first_missing(&self, offset: u64, len: u64) -> Option<u64> {
        Written::masks(offset as usize, len as usize).find_map(|(w, mask)| {
            let missing = mask & !self.written.get(w).map_or(0, |word| word.load(Ordering::Relaxed));
            (missing != 0).then(|| w as u64 * 64 + u64::from(missing.trailing_zeros()))
        })
    }

    /// Marks all as written, whatever it holds.
    pub fn mark_written(&self) {
        for word in &self.written {
            word.store(u64::MAX, Ordering::Relaxed);
        }
    }

    /// A copy of all bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.len.div_ceil(8) as usize * 8];
        self.read(0, &mut out);
        out.truncate(self.len as usize);
        out
    }
}

/// Global memory.
#[derive(Debug, Default)]
pub struct Global {
    allocations: Vec<Allocation>,
}

impl Global {
    /// Empty.
    pub fn new() -> Global {
        Global::default()
    }

    /// Reserves bytes that nobody has written; returns the index of the allocation.
    pub fn allocate(&mut self, name: impl Into<String>, len: u64) -> usize {
        let base =
            self.allocations.last().map_or(GLOBAL_BASE, |a| (a.base + a.len + GAP).next_multiple_of(512));
        self.allocations.push(Allocation::new(name.into(), base, len));
        self.allocations.len() - 1
    }

    /// Makes an allocation readable only.
    pub fn protect(&mut self, index: usize) {
        if let Some(a) = self.allocations.get_mut(index) {
            a.read_only = true;
        }
    }

    /// All allocations, by address.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// The allocation that holds the range, its index, and the offset in it.
    #[inline]
    pub fn find(&self, address: u64, len: u64) -> Option<(usize, &Allocation, u64)> {
        let index = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        let a = &self.allocations[index];
        let offset = address - a.base;
        (offset.checked_add(len)? <= a.len).then_some((index, a, offset))
    }

    /// The allocation nearest to an address, for messages: "72 bytes past the end of x (...)".
    pub fn describe(&self, address: u64) -> String {
        let after = self.allocations.partition_point(|a| a.base <= address);
        let below = after.checked_sub(1).map(|i| &self.allocations[i]);
        let above = self.allocations.get(after);
        if address < 4096 {
            return format!("{address:#x} is a null pointer, or near one");
        }
        match (below, above) {
            (Some(b), _) if address < b.base + b.len => {
                format!(
                    "{address:#x} is byte {} of `{}`, which has {} bytes",
                    address - b.base,
                    b.name,
                    b.len
                )
            }
            (Some(b), a) if a.is_none_or(|a| address - (b.base + b.len) <= a.base - address) => {
                let past = address - (b.base + b.len);
                format!(
                    "{address:#x} is {past} bytes past the end of `{}`, which has {} bytes",
                    b.name, b.len
                )
            }
            (_, Some(a)) => {
                format!(
                    "{address:#x} is {} bytes before `{}`, which has {} bytes",
                    a.base - address,
                    a.name,
                    a.len
                )
            }
            (Some(_), None) | (None, None) => format!("{address:#x} is in no allocation; there is none near"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_written_are_known_one_by_one() {
        let mut w = Written::new(200);
        w.set(3, 125);
        assert_eq!(w.first_missing(3, 125), None);
        assert_eq!(w.first_missing(0, 10), Some(0));
        assert_eq!(w.first_missing(100, 40), Some(128));
    }

    #[test]
    fn global_memory_reads_back_what_was_written() {
        let mut g = Global::new();
        let a = g.allocate("x", 100);
        let b = g.allocate("y", 8);
        let (ia, alloc, at) = g.find(g.allocations()[a].base + 3, 20).unwrap();
        assert_eq!((ia, at), (a, 3));
        let data: Vec<u8> = (0..20).collect();
        alloc.write(at, &data);
        let mut back = [0; 22];
        alloc.read(2, &mut back);
        assert_eq!(back[1..21], data[..]);
        assert_eq!((back[0], back[21]), (0, 0));
        assert_eq!(alloc.first_missing(0, 100), Some(0));
        assert_eq!(alloc.first_missing(3, 20), None);
        assert_eq!(g.allocations()[b].update(4, 4, &mut |v| v + 7), 0);
        assert_eq!(g.allocations()[b].update(4, 4, &mut |v| v + 7), 7);
        assert!(g.find(alloc.base + 90, 11).is_none());
        assert!(g.describe(alloc.base + 104).contains("4 bytes past the end of `x`"));
        assert!(g.describe(8).contains("null"));
    }
}
