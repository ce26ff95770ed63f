//! Loops and branches.
//!
//! Regions are closures. What a loop carries and what a branch hands on are values: arrays, numbers, indices, and
//! tuples or vectors of them. A barrier is none; carry its index.

use super::array::Array;
use super::body::{Body, condition};
use super::core::{Core, Number, Region};
use super::index::{Idx, Repr};
use super::math::{self, Arg};
use super::registry::Raw;
use super::scalar::{IntoScalar, Numeric, Scalar};
use crate::frontend::INDEX;
use crate::frontend::error::{BuildErrorKind, Site};
use crate::ir::ops::ScfOp;
use crate::ir::{Block, OpSpec, Type, Value};

/// What loops carry and branches hand on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried by a loop or handed on by a branch",
    label = "an array, a number, an index, or a tuple of them is wanted",
    note = "who waits on which barrier is decided when the kernel is compiled: use the barrier inside, and carry the index of its slot"
)]
pub trait Carry: Sized {
    /// The values.
    #[doc(hidden)]
    fn args(&self, out: &mut Vec<Arg>);
    /// The same structure with other values.
    #[doc(hidden)]
    fn rebuild(&self, next: &mut dyn FnMut() -> Raw) -> Self;
}

#[diagnostic::do_not_recommend]
impl Carry for () {
    fn args(&self, _: &mut Vec<Arg>) {}
    fn rebuild(&self, _: &mut dyn FnMut() -> Raw) -> Self {}
}

macro_rules! carried_values {
    ($($Type:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Carry for $Type {
            fn args(&self, out: &mut Vec<Arg>) {
                out.push(Numeric::arg(*self));
            }
            fn rebuild(&self, next: &mut dyn FnMut() -> Raw) -> Self {
                Numeric::from_raw(next())
            }
        }
    )*};
}
carried_values!(Array Scalar Idx);

#[diagnostic::do_not_recommend]
impl<T: Carry> Carry for Vec<T> {
    fn args(&self, out: &mut Vec<Arg>) {
        self.iter().for_each(|item| item.args(out));
    }
    fn rebuild(&self, next: &mut dyn FnMut() -> Raw) -> Self {
        self.iter().map(|item| item.rebuild(next)).collect()
    }
}
#[diagnostic::do_not_recommend]
impl<T: Carry, const N: usize> Carry for [T; N] {
    fn args(&self, out: &mut Vec<Arg>) {
        self.iter().for_each(|item| item.args(out));
    }
    fn rebuild(&self, next: &mut dyn FnMut() -> Raw) -> Self {
        self.each_ref().map(|item| item.rebuild(next))
    }
}

macro_rules! carried_tuples {
    ($(($($T:ident $index:tt),+);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($T: Carry),+> Carry for ($($T,)+) {
            fn args(&self, out: &mut Vec<Arg>) {
                $(self.$index.args(out);)+
            }
            fn rebuild(&self, next: &mut dyn FnMut() -> Raw) -> Self {
                ($(self.$index.rebuild(next),)+)
            }
        }
    )*};
}
carried_tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
}

/// A structure like `like` with these values, poison where they run out.
fn rebuild<C: Carry>(like: &C, body: &Body, values: &[Value]) -> C {
    let mut values = values.iter();
    like.rebuild(&mut || Raw::new(body.id, values.next().copied()))
}

/// The values of a carried structure; `None` when one is poison.
fn values<C: Carry>(core: &mut Core, carried: &C, site: Site) -> Option<Vec<Value>> {
    let mut args = Vec::new();
    carried.args(&mut args);
    let values: Vec<Option<Value>> = args.into_iter().map(|arg| math::resolve(core, arg, site)).collect();
    values.into_iter().collect()
}

impl Body {
    /// Runs `inside` with the insertion point in `block`.
    fn in_block<R>(&self, block: Option<Block>, region: Region, inside: impl FnOnce() -> R) -> R {
        if let Some(block) = block {
            self.with(|core| core.enter(block, region, None));
        }
        let made = inside();
        if block.is_some() {
            self.with(Core::leave);
        }
        made
    }
    /// Ends `block` with a yield of `carried`, whose types must be `expected`.
    fn yields<C: Carry>(
        &self,
        op: &'static str,
        block: Option<Block>,
        carried: &C,
        expected: &[Type],
        site: Site,
    ) {
        self.with(|core| {
            let values = self.checked(core, op, block, carried, expected, site).unwrap_or_default();
            let block = block?;
            core.enter(block, Region::Branch, None);
            let made = core.op(site, ScfOp::Yield, |b| b.scf_yield(&values));
            core.leave();
            made
        });
    }
    fn checked<C: Carry>(
        &self,
        core: &mut Core,
        op: &'static str,
        block: Option<Block>,
        carried: &C,
        expected: &[Type],
        site: Site,
    ) -> Option<Vec<Value>> {
        core.enter(block?, Region::Branch, None);
        let values = values(core, carried, site);
        core.leave();
        let values = values?;
        if values.len() != expected.len() {
            core.error(
                BuildErrorKind::CarriedCount { op, expected: expected.len(), found: values.len() },
                site,
            );
            return None;
        }
        for (index, (&value, &expected)) in values.iter().zip(expected).enumerate() {
            let found = core.module.ty(value);
            if found != expected {
                let types = &core.module.types;
                let (expected, found) = (types.display(expected), types.display(found));
                core.error(BuildErrorKind::CarriedType { op, index, expected, found }, site);
                return None;
            }
        }
        Some(values)
    }

    /// Counts from `lower` to `upper`, which is not reached, in steps of `step`.
    #[track_caller]
    pub fn for_range(
        &self,
        lower: impl Into<Idx>,
        upper: impl Into<Idx>,
        step: impl Into<Idx>,
        body: impl FnOnce(&Self, Idx),
    ) {
        self.for_carry(lower, upper, step, (), |b, index, ()| body(b, index));
    }

    /// Counts from `lower` to `upper`, which is not reached, and carries values from one pass to the next; those of
    /// the last pass are returned, or `init` when there is none.
    #[track_caller]
    pub fn for_carry<C: Carry>(
        &self,
        lower: impl Into<Idx>,
        upper: impl Into<Idx>,
        step: impl Into<Idx>,
        init: C,
        body: impl FnOnce(&Self, Idx, C) -> C,
    ) -> C {
        let site = Site::here();
        let (lower, upper, step) = (lower.into(), upper.into(), step.into());
        let begun = self.with(|core| {
            if let Some(found) = step.known().filter(|&step| step < 1) {
                core.error(BuildErrorKind::Step { found }, site);
            }
            let bounds = [lower, upper, step].map(|bound| bound.value(core, site));
            let inits = values(core, &init, site);
            // After an error the body is still gone through, for the errors in it.
            let zero = core.constant(Number::Int(0), INDEX, site)?;
            let [lower, upper, step] = bounds.map(|bound| bound.unwrap_or(zero));
            let inits = inits.unwrap_or_default();
            let types: Vec<Type> = inits.iter().map(|&value| core.module.ty(value)).collect();
            let op = core.op(site, ScfOp::For, |b| b.scf_for(lower, upper, step, &inits, None, &types))?;
            let block = core.at(site, |b| {
                let args: Vec<Type> =
                    std::iter::once(b.module.types.index()).chain(types.iter().copied()).collect();
                b.body(op, 0, &args)
            });
            let args = core.module.block_args(block).to_vec();
            Some((op, block, args, types))
        });
        let begun = begun.flatten();
        let (block, args, types) = match &begun {
            Some((_, block, args, types)) => (Some(*block), args.as_slice(), types.as_slice()),
            None => (None, [].as_slice(), [].as_slice()),
        };
        let (index, carried) = args.split_first().map_or((None, [].as_slice()), |(i, rest)| (Some(*i), rest));
        let index = Idx(Repr::Value(Raw::new(self.id, index)));
        let given = rebuild(&init, self, carried);
        let mut handed_on = None;
        self.in_block(block, Region::Loop, || {
            handed_on = Some(body(self, index, given));
            if let Some(carried) = &handed_on {
                self.yields("the loop's body", block, carried, types, site);
            }
        });
        let results =
            begun.and_then(|(op, ..)| self.with(|core| core.module.results(op).collect::<Vec<_>>()));
        rebuild(&init, self, &results.unwrap_or_default())
    }

    /// Runs `then` when the condition holds.
    #[track_caller]
    pub fn when(&self, holds: impl IntoScalar, then: impl FnOnce(&Self)) {
        let (site, holds) = (Site::here(), holds.into_arg());
        let block = self.with(|core| {
            let holds = self.condition_or_true(core, "when", holds, site)?;
            let op = core.op(site, ScfOp::If, |b| b.scf_if(holds, &[]))?;
            Some(core.at(site, |b| b.body(op, 0, &[])))
        });
        let block = block.flatten();
        self.in_block(block, Region::Branch, || {
            then(self);
            self.yields("the branch", block, &(), &[], site);
        });
    }

    /// Runs one of two branches and returns what it hands on; both hand on values of the same types.
    #[track_caller]
    pub fn if_else<C: Carry>(
        &self,
        holds: impl IntoScalar,
        then: impl FnOnce(&Self) -> C,
        otherwise: impl FnOnce(&Self) -> C,
    ) -> C {
        let (site, holds) = (Site::here(), holds.into_arg());
        let begun = self.with(|core| {
            let holds = self.condition_or_true(core, "if_else", holds, site)?;
            let regions = [core.module.create_region(), core.module.create_region()];
            let blocks = regions.map(|region| core.module.append_block(region));
            Some((holds, regions, blocks))
        });
        let begun = begun.flatten();
        let [then_block, else_block] = begun.map_or([None; 2], |(_, _, blocks)| blocks.map(Some));
        let mut types: Vec<Type> = Vec::new();
        let first = self.in_block(then_block, Region::Branch, || {
            let first = then(self);
            self.with(|core| {
                let values = values(core, &first, site).unwrap_or_default();
                types = values.iter().map(|&value| core.module.ty(value)).collect();
            });
            self.yields("the first branch", then_block, &first, &types, site);
            first
        });
        self.in_block(else_block, Region::Branch, || {
            let second = otherwise(self);
            self.yields("the second branch", else_block, &second, &types, site);
        });
        let results = self.with(|core| {
            let (holds, regions, _) = begun?;
            let op = core.op(site, ScfOp::If, |b| {
                b.insert(OpSpec::new(ScfOp::If).operands([holds]).results(types.iter().copied()))
            })?;
            core.module.adopt_regions(op, &regions);
            Some(core.module.results(op).collect::<Vec<_>>())
        });
        rebuild(&first, self, &results.flatten().unwrap_or_default())
    }

    /// Runs `body` while `holds` says so, carrying values from one pass to the next; returns the last ones.
    #[track_caller]
    pub fn while_loop<C: Carry, S: IntoScalar>(
        &self,
        init: C,
        holds: impl FnOnce(&Self, &C) -> S,
        body: impl FnOnce(&Self, C) -> C,
    ) -> C {
        let site = Site::here();
        let begun = self.with(|core| {
            let inits = values(core, &init, site).unwrap_or_default();
            let types: Vec<Type> = inits.iter().map(|&value| core.module.ty(value)).collect();
            let op = core.op(site, ScfOp::While, |b| b.scf_while(&inits, &types))?;
            let blocks = [0, 1].map(|region| core.at(site, |b| b.body(op, region, &types)));
            let args = blocks.map(|block| core.module.block_args(block).to_vec());
            Some((op, blocks, args, types))
        });
        let begun = begun.flatten();
        let [before, after] = begun.as_ref().map_or([None; 2], |(_, blocks, ..)| blocks.map(Some));
        let args =
            begun.as_ref().map_or([[].as_slice(); 2], |(_, _, args, _)| args.each_ref().map(Vec::as_slice));
        let types = begun.as_ref().map_or([].as_slice(), |(.., types)| types.as_slice());
        let given = rebuild(&init, self, args[0]);
        self.in_block(before, Region::Loop, || {
            let goes_on = holds(self, &given).into_arg();
            self.with(|core| {
                let goes_on = self.condition_or_true(core, "while_loop", goes_on, site)?;
                before?;
                core.op(site, ScfOp::Condition, |b| b.scf_condition(goes_on, args[0]))
            });
        });
        self.in_block(after, Region::Loop, || {
            let carried = body(self, rebuild(&init, self, args[1]));
            self.yields("the loop's body", after, &carried, types, site);
        });
        let results =
            begun.and_then(|(op, ..)| self.with(|core| core.module.results(op).collect::<Vec<_>>()));
        rebuild(&init, self, &results.unwrap_or_default())
    }

    /// A condition's value, or after an error `true`, so that what depends on it is still gone through.
    fn condition_or_true(&self, core: &mut Core, op: &'static str, holds: Arg, site: Site) -> Option<Value> {
        condition(core, op, holds, site).or_else(|| core.constant(Number::Int(1), crate::frontend::I1, site))
    }
}
