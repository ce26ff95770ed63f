//! Interning: equal things get equal ids, so that comparing types, attributes and strings is comparing integers.
//! Ids are handed out in order of first appearance, which keeps every output stable from run to run.

use std::hash::Hash;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::entity::{EntityId, Name};

/// A set of unique values with ids.
#[derive(Clone, Debug)]
pub struct Interner<K, V> {
    set: IndexSet<V, FxBuildHasher>,
    key: std::marker::PhantomData<K>,
}

impl<K: EntityId, V: Eq + Hash> Interner<K, V> {
    /// An empty interner.
    pub fn new() -> Self {
        Self { set: IndexSet::default(), key: std::marker::PhantomData }
    }
    /// The id of `value`, which is added when it is new.
    pub fn intern(&mut self, value: V) -> K {
        K::from_index(self.set.insert_full(value).0)
    }
    /// The id of `value` when it is known.
    pub fn find(&self, value: &V) -> Option<K> {
        self.set.get_index_of(value).map(K::from_index)
    }
    /// The value of `key`.
    ///
    /// # Panics
    /// When `key` was made by another interner and names nothing here.
    #[inline]
    pub fn get(&self, key: K) -> &V {
        &self.set[key.index()]
    }
    /// The number of values.
    pub fn len(&self) -> usize {
        self.set.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}

impl<K: EntityId, V: Eq + Hash> Default for Interner<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Interned strings.
#[derive(Clone, Debug, Default)]
pub struct Names {
    set: IndexSet<Box<str>, FxBuildHasher>,
}

impl Names {
    /// The id of `text`.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(index) = self.set.get_index_of(text) {
            return Name::from_index(index);
        }
        Name::from_index(self.set.insert_full(text.into()).0)
    }
    /// The id of `text` when it is known.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.set.get_index_of(text).map(Name::from_index)
    }
    /// The text of `name`.
    #[inline]
    pub fn get(&self, name: Name) -> &str {
        &self.set[name.index()]
    }
}
