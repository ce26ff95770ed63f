//! Decisions from a string of bytes. When the bytes run out every decision is the first one, so a shorter string
//! gives a smaller module, and proptest shrinks a failure by shortening the string.

pub(crate) struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }
    fn byte(&mut self) -> u8 {
        match self.bytes {
            [first, rest @ ..] => {
                self.bytes = rest;
                *first
            }
            [] => 0,
        }
    }
    /// Whether all further decisions are the first one.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// A number below `count`, which is at most 65,536.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        match count {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % count,
            _ => usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % count,
        }
    }
    /// True once in `rarity` times.
    pub(crate) fn once_in(&mut self, rarity: usize) -> bool {
        self.below(rarity) + 1 == rarity
    }
    pub(crate) fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }
    pub(crate) fn u128(&mut self) -> u128 {
        u128::from(self.u64()) << 64 | u128::from(self.u64())
    }
}
