//! The typed IR of tidegate: types, ops, module, builder, text form and diagnostics. No LLVM.
//!
//! # Structure
//!
//! A [`Module`] holds ops in regions and blocks, as MLIR does. Each op is a row of a table ([`ops`]); each value has
//! a [`Type`](types) and one definition. Entities are named by ids ([`entity`]).
//!
//! # What is a barrier
//!
//! A value of type `!tg.barrier_ref<4, arrivals = 2>` is a *reference* to four mbarriers in shared memory. It can be
//! indexed, waited for, arrived on, handed to an asynchronous copy and to an inner region. It has no elements: there
//! is no type "array of barriers", and no op that takes an array takes a barrier.
//!
//! An mbarrier counts pending arrivals and outstanding bytes. A *phase* completes when both are zero, and the counts
//! are re-armed at once for the next one. A wait names the parity of the phase it waits for: it passes when the
//! current phase has the other parity. So on a fresh barrier, whose phase 0 is current, a wait for parity 1 passes at
//! once, and a wait for parity 0 passes after the first completion.
//!
//! # Text
//!
//! The short form is for people, the generic form is valid MLIR; [`text`] reads and prints both, in any mixture.

pub mod attr;
pub mod builder;
pub mod diag;
pub mod entity;
pub mod intern;
pub mod loc;
mod module;
pub mod ops;
pub mod text;
pub mod types;

pub use entity::{Attr, Block, EntityId, Loc, Name, Op, Region, Type, Value};
pub use module::{CloneMap, Difference, InsertionPoint, Module, OpSpec, StillUsed, Use, ValueDef};
