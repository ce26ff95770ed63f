//! Typed ids. Every entity of a [`Module`](crate::Module) is named by a 32-bit id into an arena that the module
//! owns: ids copy freely, need no lifetimes, print stably and index side tables.
//!
//! Ids are never used again within a module: erasing an entity leaves a hole. `Option<Id>` takes four bytes.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// What all ids have in common.
pub trait EntityId: Copy + Eq {
    /// The id of the arena's `index`-th element.
    ///
    /// # Panics
    /// When `index` is 2³² − 1 or more; an arena of that size cannot be built in memory.
    fn from_index(index: usize) -> Self;
    /// The position in the arena.
    fn index(self) -> usize;
}

macro_rules! entity_ids {
    ($($(#[$doc:meta])* $name:ident($prefix:literal);)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(NonZeroU32);

        impl EntityId for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
                Self(raw.expect("more than 2^32 - 2 entities of one kind"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.index())
            }
        }
    )*};
}

entity_ids! {
    /// An operation.
    Op("op");
    /// An SSA value: a result of an op or an argument of a block.
    Value("v");
    /// A block: arguments and a list of ops.
    Block("bb");
    /// A region: a list of blocks that belongs to an op.
    Region("region");
    /// An interned type.
    Type("type");
    /// An interned attribute.
    Attr("attr");
    /// An interned location.
    Loc("loc");
    /// An interned string.
    Name("name");
}

/// A vector indexed by an id.
#[derive(Clone, Debug)]
pub struct Arena<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: EntityId, V> Arena<K, V> {
    /// An empty arena.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Adds an element and returns its id.
    #[inline]
    pub fn push(&mut self, value: V) -> K {
        let id = K::from_index(self.items.len());
        self.items.push(value);
        id
    }
    /// Makes room for so many more elements.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
    }
    /// The number of elements, erased ones included.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Whether `key` names an element of this arena.
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.items.len()
    }
    /// All ids in order of creation.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }
}

impl<K: EntityId, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityId, V> Index<K> for Arena<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: EntityId, V> IndexMut<K> for Arena<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

/// A side table: data about ids that grows on demand and answers `V::default()` for ids it has not seen.
#[derive(Clone, Debug)]
pub struct SideTable<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: EntityId, V: Clone + Default> SideTable<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        Self { items: Vec::new(), default: V::default(), key: PhantomData }
    }
    /// Sets the entry of `key`.
    pub fn set(&mut self, key: K, value: V) {
        *self.get_mut(key) = value;
    }
    /// The entry of `key`, made when it is missing.
    pub fn get_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, V::default());
        }
        &mut self.items[index]
    }
}

impl<K: EntityId, V: Clone + Default> Default for SideTable<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityId, V> Index<K> for SideTable<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_ids_take_four_bytes() {
        assert_eq!(size_of::<Option<Op>>(), 4);
        assert_eq!(size_of::<Option<Value>>(), 4);
    }

    #[test]
    fn side_tables_answer_the_default_for_unseen_ids() {
        let mut table = SideTable::<Op, u32>::new();
        table.set(Op::from_index(3), 7);
        assert_eq!(table[Op::from_index(3)], 7);
        assert_eq!(table[Op::from_index(0)], 0);
        assert_eq!(table[Op::from_index(100)], 0);
    }
}
