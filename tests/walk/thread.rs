//! A thread of the walk: an explicit stack of the ops that it is in, so that it can stop at a wait and go on later.

use std::collections::HashMap;

use tidegate::ir::attr::AttrKind;
use tidegate::ir::ops::{ArithOp, IndexRef, Opcode, ScfOp, TgOp, VectorOp};
use tidegate::ir::types::TypeKind;
use tidegate::ir::{Block as IrBlock, Module, Op, Value};

use super::arith;
use super::array::Array;
use super::number::{Elem, Num};
use super::state::{Barrier, Dim, Memory, Root, Shared, View};

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// An array or a number.
    Array(Array),
    /// A part of memory, or some barriers of a group.
    View(View),
}

/// The region that a frame executes.
#[derive(Clone, Copy, Debug)]
enum Region {
    Kernel,
    Role,
    For {
        op: Op,
        at: i128,
        upper: i128,
        step: i128,
    },
    If(Op),
    /// The first region of `scf.while`.
    Before(Op),
    /// Its second.
    After(Op),
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    next: Option<Op>,
    region: Region,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An op was executed.
    Ran,
    /// The next op waits.
    Waits,
    /// The thread has ended.
    Ended,
}

/// A thread.
#[derive(Debug)]
pub(crate) struct Thread<'m> {
    module: &'m Module,
    /// Its block of the cluster.
    pub(crate) block: usize,
    /// The role it plays, and its index there (or in the kernel).
    role: Option<Op>,
    index: i64,
    values: HashMap<Value, Bound>,
    frames: Vec<Frame>,
    /// Completions of each barrier (of a block, a group, a number) that it has waited for.
    seen: HashMap<(usize, Op, usize), u64>,
    /// Where it waits for others.
    ticket: Option<u64>,
}

type Outcome<T = ()> = Result<T, String>;

impl<'m> Thread<'m> {
    pub(crate) fn new(
        module: &'m Module,
        kernel: Op,
        block: usize,
        role: Option<Op>,
        index: i64,
        values: HashMap<Value, Bound>,
    ) -> Self {
        let next = module.region_block(kernel, 0).and_then(|body| module.first_op(body));
        let frames = vec![Frame { next, region: Region::Kernel }];
        Self { module, block, role, index, values, frames, seen: HashMap::new(), ticket: None }
    }

    /// The op that it is at.
    pub(crate) fn at(&self) -> Option<Op> {
        self.frames.last().and_then(|frame| frame.next)
    }

    /// Executes the next op, or finds that it has to wait.
    pub(crate) fn step(&mut self, shared: &mut Shared<'_>) -> Outcome<Step> {
        let Some(frame) = self.frames.last().copied() else { return Ok(Step::Ended) };
        let Some(op) = frame.next else {
            self.end_region(shared, frame.region)?;
            return Ok(Step::Ran);
        };
        match self.execute(shared, op) {
            Ok(true) => Ok(Step::Ran),
            Ok(false) => Ok(Step::Waits),
            Err(error) => {
                let place = self.module.sources.describe(self.module.span(op));
                Err(format!("{place}: `{}` {error}", self.module.op_name(op)))
            }
        }
    }

    // ---- values ----

    fn array(&self, value: Value) -> Outcome<&Array> {
        match self.values.get(&value) {
            Some(Bound::Array(array)) => Ok(array),
            _ => Err("uses a value that was not computed".into()),
        }
    }
    fn view(&self, value: Value) -> Outcome<View> {
        match self.values.get(&value) {
            Some(Bound::View(view)) => Ok(view.clone()),
            _ => Err("uses a ref of unknown origin".into()),
        }
    }
    fn number(&self, value: Value) -> Outcome<i64> {
        Ok(self.array(value)?.number().i())
    }
    fn operand(&self, op: Op, name: &str) -> Outcome<Value> {
        self.module.operand_named(op, name).ok_or_else(|| format!("lacks its operand `{name}`"))
    }
    fn indices(&self, op: Op, name: &str) -> Outcome<Vec<i64>> {
        let list = self.module.index_list(op, name).into_iter();
        list.map(|index| match index {
            IndexRef::Const(number) => Ok(number),
            IndexRef::Value(value) => self.number(value),
        })
        .collect()
    }
    fn bind(&mut self, value: Value, array: Array) {
        self.values.insert(value, Bound::Array(array));
    }
    fn set(&mut self, op: Op, array: Array) {
        self.bind(self.module.result(op, 0), array);
    }
    fn set_number(&mut self, op: Op, number: i64) -> Outcome {
        let (_, elem) = self.type_of(self.module.result(op, 0))?;
        self.set(op, Array::scalar(elem, elem.int(number.into())));
        Ok(())
    }
    /// Shape and element type of a value.
    fn type_of(&self, value: Value) -> Outcome<(Vec<usize>, Elem)> {
        let types = &self.module.types;
        let (shape, elem) =
            types.as_value_array(self.module.ty(value)).ok_or("is about a value of another type")?;
        Ok((shape.iter().map(|&extent| extent as usize).collect(), Elem::of(self.module, elem)?))
    }
    /// Binds values to others, all at once.
    fn hand_on(&mut self, from: &[Value], to: &[Value]) -> Outcome {
        let values: Vec<Bound> = from
            .iter()
            .map(|value| self.values.get(value).cloned().ok_or("hands on a value that was not computed"))
            .collect::<Result<_, _>>()?;
        self.values.extend(to.iter().copied().zip(values));
        Ok(())
    }

    // ---- control ----

    fn advance(&mut self, op: Op) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = self.module.next_op(op);
        }
    }
    fn enter(&mut self, block: IrBlock, region: Region) {
        self.frames.push(Frame { next: self.module.first_op(block), region });
    }
    fn body(&self, op: Op, index: usize) -> Outcome<IrBlock> {
        self.module.region_block(op, index).ok_or_else(|| "lacks a region".into())
    }

    fn end_region(&mut self, _shared: &mut Shared<'_>, region: Region) -> Outcome {
        self.frames.pop();
        match region {
            Region::Kernel => self.frames.clear(),
            // The op itself is executed again: it waits there for the other roles.
            Region::Role => {}
            Region::For { .. } | Region::If(_) | Region::Before(_) | Region::After(_) => {
                return Err("a region ends without a terminator".into());
            }
        }
        Ok(())
    }

    fn scf(&mut self, shared: &mut Shared<'_>, scf: ScfOp, op: Op) -> Outcome {
        let module = self.module;
        let operands: Vec<Value> = module.operands(op).collect();
        let results: Vec<Value> = module.results(op).collect();
        match scf {
            ScfOp::For => {
                let bound = |value| -> Outcome<i128> {
                    let (_, elem) = self.type_of(value)?;
                    let number = i128::from(self.number(value)?);
                    let Elem::Int(width) = elem else { return Err("has bounds that are no integers".into()) };
                    let mask = u128::MAX >> (128 - width);
                    let unsigned = module.has_attr(op, "unsignedCmp");
                    Ok(if unsigned { (number as u128 & mask) as i128 } else { number })
                };
                let (at, upper, step) = (bound(operands[0])?, bound(operands[1])?, bound(operands[2])?);
                if step < 1 {
                    return Err("has a step below 1".into());
                }
                self.advance(op);
                if at >= upper {
                    return self.hand_on(&operands[3..], &results);
                }
                let body = self.body(op, 0)?;
                let args = module.block_args(body).to_vec();
                self.hand_on(&operands[3..], &args[1..])?;
                self.bind_count(args[0], at)?;
                self.enter(body, Region::For { op, at, upper, step });
            }
            ScfOp::If => {
                let holds = self.array(operands[0])?.number().is_true();
                self.advance(op);
                match (holds, module.region_block(op, 1)) {
                    (true, _) => self.enter(self.body(op, 0)?, Region::If(op)),
                    (false, Some(block)) if module.first_op(block).is_some() => {
                        self.enter(block, Region::If(op))
                    }
                    (false, _) => {}
                }
            }
            ScfOp::While => {
                self.advance(op);
                let before = self.body(op, 0)?;
                self.hand_on(&operands, module.block_args(before))?;
                self.enter(before, Region::Before(op));
            }
            ScfOp::Condition => {
                let Some(Frame { region: Region::Before(of), .. }) = self.frames.pop() else {
                    return Err("stands in no `scf.while`".into());
                };
                if self.array(operands[0])?.number().is_true() {
                    let after = self.body(of, 1)?;
                    self.hand_on(&operands[1..], module.block_args(after))?;
                    self.enter(after, Region::After(of));
                } else {
                    self.hand_on(&operands[1..], &module.results(of).collect::<Vec<_>>())?;
                }
            }
            ScfOp::Yield => match self.frames.pop().map(|frame| frame.region) {
                Some(Region::If(of)) => self.hand_on(&operands, &module.results(of).collect::<Vec<_>>())?,
                Some(Region::For { op: of, at, upper, step }) => {
                    let at = at + step;
                    if at >= upper {
                        return self.hand_on(&operands, &module.results(of).collect::<Vec<_>>());
                    }
                    let body = self.body(of, 0)?;
                    let args = module.block_args(body).to_vec();
                    self.hand_on(&operands, &args[1..])?;
                    self.bind_count(args[0], at)?;
                    self.enter(body, Region::For { op: of, at, upper, step });
                }
                Some(Region::After(of)) => {
                    let before = self.body(of, 0)?;
                    self.hand_on(&operands, module.block_args(before))?;
                    self.enter(before, Region::Before(of));
                }
                Some(region @ (Region::Kernel | Region::Role | Region::Before(_))) => {
                    return self.end_region(shared, region);
                }
                None => return Err("stands in no region".into()),
            },
        }
        Ok(())
    }

    fn bind_count(&mut self, value: Value, at: i128) -> Outcome {
        let (_, elem) = self.type_of(value)?;
        self.bind(value, Array::scalar(elem, elem.int(at)));
        Ok(())
    }

    // ---- ops ----

    /// Executes `op`; `false` when it has to wait.
    fn execute(&mut self, shared: &mut Shared<'_>, op: Op) -> Outcome<bool> {
        match self.module.opcode(op) {
            Opcode::Scf(scf) => return self.scf(shared, scf, op).map(|()| true),
            Opcode::Arith(arith) => self.arith(arith, op)?,
            Opcode::Math(math) => {
                let (shape, elem) = self.type_of(self.module.result(op, 0))?;
                let args: Vec<Array> = self
                    .module
                    .operands(op)
                    .map(|value| self.array(value).cloned())
                    .collect::<Result<_, _>>()?;
                let count = args[0].data.len();
                let data = (0..count).map(|index| {
                    let numbers: Vec<Num> = args.iter().map(|array| array.data[index]).collect();
                    arith::math(math, elem, &numbers)
                });
                let data = data.collect::<Result<_, _>>()?;
                self.set(op, Array::new(&shape, elem, data));
            }
            Opcode::Vector(vector) => self.vector(vector, op)?,
            Opcode::Tg(tg) => return self.tg(shared, tg, op),
            Opcode::Builtin(_) | Opcode::Opaque(_) => return Err("is not known to the walk".into()),
        }
        self.advance(op);
        Ok(true)
    }

    fn arith(&mut self, arith: ArithOp, op: Op) -> Outcome {
        let module = self.module;
        let result = module.result(op, 0);
        let operands: Vec<Value> = module.operands(op).collect();
        let data: Vec<Num> = match arith {
            ArithOp::Constant => return self.constant(op),
            ArithOp::Select => {
                let (condition, yes, no) =
                    (self.array(operands[0])?, self.values.get(&operands[1]), self.values.get(&operands[2]));
                let (Some(Bound::Array(yes)), Some(Bound::Array(no))) = (yes, no) else {
                    return Err("chooses between refs, which the walk does not do".into());
                };
                let chosen = |index: usize| {
                    let which = if condition.shape.is_empty() { 0 } else { index };
                    if condition.data[which].is_true() { yes.data[index] } else { no.data[index] }
                };
                (0..yes.data.len()).map(chosen).collect()
            }
            ArithOp::CmpI | ArithOp::CmpF => {
                let predicate = module.attr_i64(op, "predicate").unwrap_or(-1);
                let (a, b) = (self.array(operands[0])?, self.array(operands[1])?);
                let pairs = a.data.iter().zip(b.data.iter());
                pairs
                    .map(|(&x, &y)| arith::compare(arith, predicate, a.elem, x, y))
                    .collect::<Result<_, _>>()?
            }
            ArithOp::NegF => {
                let a = self.array(operands[0])?;
                a.data.iter().map(|x| a.elem.float(-x.f())).collect()
            }
            ArithOp::AddUIExtended | ArithOp::MulSIExtended | ArithOp::MulUIExtended => {
                return self.extended(arith, op);
            }
            _ if operands.len() == 1 => {
                if module.attr_i64(op, "roundingmode").is_some_and(|mode| mode != 0) {
                    return Err("rounds in a way that the walk does not know".into());
                }
                let (_, to) = self.type_of(result)?;
                let a = self.array(operands[0])?;
                a.data.iter().map(|&x| arith::convert(arith, a.elem, to, x)).collect::<Result<_, _>>()?
            }
            _ => {
                let (a, b) = (self.array(operands[0])?, self.array(operands[1])?);
                let pairs = a.data.iter().zip(b.data.iter());
                pairs.map(|(&x, &y)| arith::binary(arith, a.elem, x, y)).collect::<Result<_, _>>()?
            }
        };
        let (shape, elem) = self.type_of(result)?;
        self.set(op, Array::new(&shape, elem, data));
        Ok(())
    }

    fn extended(&mut self, arith: ArithOp, op: Op) -> Outcome {
        let operands: Vec<Value> = self.module.operands(op).collect();
        let (a, b) = (self.array(operands[0])?, self.array(operands[1])?);
        let (shape, elem) = (a.shape.clone(), a.elem);
        let Elem::Int(width) = elem else { return Err("is about integers".into()) };
        let mask = u128::MAX >> (128 - width);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (x, y) in a.data.iter().zip(b.data.iter()) {
            let (x, y) = (i128::from(x.i()), i128::from(y.i()));
            let (ux, uy) = (x as u128 & mask, y as u128 & mask);
            let (low, high) = match arith {
                ArithOp::AddUIExtended => (elem.int(x + y), Num::I(i64::from(ux + uy > mask))),
                ArithOp::MulSIExtended => (elem.int(x * y), elem.int((x * y) >> width)),
                _ => (elem.int((ux * uy) as i128), elem.int(((ux * uy) >> width) as i128)),
            };
            first.push(low);
            second.push(high);
        }
        let high_elem = if arith == ArithOp::AddUIExtended { Elem::Int(1) } else { elem };
        self.bind(self.module.result(op, 0), Array::new(&shape, elem, first));
        self.bind(self.module.result(op, 1), Array::new(&shape, high_elem, second));
        Ok(())
    }

    fn constant(&mut self, op: Op) -> Outcome {
        let (shape, elem) = self.type_of(self.module.result(op, 0))?;
        let attrs = &self.module.attrs;
        let value = self.module.attr(op, "value").ok_or("lacks its value")?;
        let value = match attrs.kind(value) {
            AttrKind::Splat { value, .. } => *value,
            _ => value,
        };
        let number = match attrs.kind(value) {
            AttrKind::Int { value, .. } => elem.int(*value),
            AttrKind::Bool(value) => elem.int(i128::from(*value)),
            AttrKind::Float { bits, .. } => arith::constant(f64::from_bits(*bits), elem),
            _ => return Err("has a value that the walk does not know".into()),
        };
        let count = shape.iter().product();
        self.set(op, Array::new(&shape, elem, vec![number; count]));
        Ok(())
    }

    fn vector(&mut self, vector: VectorOp, op: Op) -> Outcome {
        let module = self.module;
        let (shape, _) = self.type_of(module.result(op, 0))?;
        let source = self.array(module.operand(op, 0))?;
        let dims = |name: &str| -> Vec<usize> {
            module.attr_ints(op, name).unwrap_or_default().iter().map(|&dim| dim as usize).collect()
        };
        let kind = module.attr(op, "kind").map(|attr| match module.attrs.kind(attr) {
            AttrKind::Opaque(text) | AttrKind::Str(text) => {
                let inner = text.split_once('<').map_or(&**text, |(_, rest)| rest);
                inner.trim_end_matches('>').to_owned()
            }
            _ => String::new(),
        });
        let kind = kind.unwrap_or_default();
        let acc = module.get_operand(op, 1).map(|value| self.array(value)).transpose()?;
        let array = match vector {
            VectorOp::Broadcast => source.broadcast(&shape),
            VectorOp::ShapeCast => source.cast(&shape),
            VectorOp::Transpose => source.transpose(&dims("permutation")),
            VectorOp::Reduction => source.reduce(&kind, &[0], acc)?,
            VectorOp::MultiReduction => source.reduce(&kind, &dims("reduction_dims"), acc)?,
        };
        self.set(op, array);
        Ok(())
    }

    // ---- tg ----

    fn tg(&mut self, shared: &mut Shared<'_>, tg: TgOp, op: Op) -> Outcome<bool> {
        let module = self.module;
        match tg {
            TgOp::Return => {
                let region = self.frames.last().map(|frame| frame.region).ok_or("ends nothing")?;
                self.end_region(shared, region)?;
                return Ok(true);
            }
            TgOp::WarpSpecialize => return self.specialize(shared, op),
            TgOp::AxisIndex => {
                let axis = module.attr_str(op, "axis").unwrap_or_default();
                let block = &shared.blocks[self.block];
                let index = block.axes.get(axis).copied().unwrap_or(self.index);
                self.set_number(op, index)?;
            }
            TgOp::Dim => {
                let view = self.view(self.operand(op, "source")?)?;
                let dim = usize::try_from(module.attr_i64(op, "dimension").unwrap_or(0)).unwrap_or(0);
                self.set_number(op, view.dims[dim].extent)?;
            }
            TgOp::Alloc => self.alloc(shared, op)?,
            TgOp::AllocBarrier => {
                let result = module.result(op, 0);
                let group = module.types.as_barrier(module.ty(result)).ok_or("allocates no barrier")?;
                let alive = !module.has_attr(op, "uninitialized");
                let axes = &shared.blocks[self.block].axes;
                let arrivals = group.arrivals * self.arriving_blocks(op, axes)?;
                let count = usize::try_from(group.num_barriers()).unwrap_or(0);
                let barriers = &mut shared.blocks[self.block].barriers;
                barriers.entry(op).or_insert_with(|| vec![Barrier::new(arrivals, alive); count]);
                let view = View::whole(Root::Alloc(op), &group.shape);
                self.values.insert(result, Bound::View(view));
            }
            TgOp::InitBarrier | TgOp::InvalBarrier => {
                let view = self.view(self.operand(op, "barrier")?)?.behind(&self.indices(op, "indices")?);
                for at in super::array::positions(&view.shape()) {
                    let (group, number) = self.barrier_number(&view, &at)?;
                    let barriers =
                        shared.blocks[self.block].barriers.get_mut(&group).ok_or("lost its barriers")?;
                    let barrier = barriers.get_mut(number).ok_or("picks a barrier that does not exist")?;
                    if tg == TgOp::InitBarrier { barrier.init() } else { barrier.end() }
                }
            }
            TgOp::At => {
                let view = self.view(self.operand(op, "source")?)?.behind(&self.indices(op, "indices")?);
                self.values.insert(module.result(op, 0), Bound::View(view));
            }
            TgOp::Subview => {
                let mut view = self.view(self.operand(op, "source")?)?.moved(&self.indices(op, "offsets")?);
                let sizes = module.attr_ints(op, "sizes").unwrap_or_default();
                let steps = module.attr_ints(op, "strides").unwrap_or_default();
                for (index, dim) in view.dims.iter_mut().enumerate() {
                    let Dim { step, extent, .. } = dim;
                    *extent = sizes.get(index).copied().unwrap_or(*extent);
                    *step *= steps.get(index).copied().unwrap_or(1);
                }
                self.values.insert(module.result(op, 0), Bound::View(view));
            }
            TgOp::Load => {
                let result = module.result(op, 0);
                let (shape, elem) = self.type_of(result)?;
                let view = self.access(op, "source", "indices", &shape)?;
                let data = shared.read(self.block, &view, false)?;
                self.bind(result, Array::new(&shape, elem, data));
            }
            TgOp::Store => {
                let array = self.array(self.operand(op, "value")?)?.clone();
                let view = self.access(op, "dest", "indices", &array.shape)?;
                shared.write(self.block, &view, &array.data, false)?;
            }
            TgOp::BarrierArrive | TgOp::BarrierArriveExpectTx | TgOp::BarrierExpectTx => {
                self.arrive(shared, tg, op)?;
            }
            TgOp::BarrierWait => {
                let (block, group, number) = self.barrier(op, "indices")?;
                let completed = live(shared, block, group, number)?.completed;
                let seen = self.seen.entry((block, group, number)).or_default();
                if completed <= *seen {
                    return Ok(false);
                }
                *seen += 1;
            }
            TgOp::BarrierWaitParity => {
                let (block, group, number) = self.barrier(op, "indices")?;
                let parity = self.array(self.operand(op, "parity")?)?.number().is_true();
                if !live(shared, block, group, number)?.has_passed(parity) {
                    return Ok(false);
                }
            }
            TgOp::BarrierTest => {
                let (block, group, number) = self.barrier(op, "indices")?;
                let parity = self.array(self.operand(op, "parity")?)?.number().is_true();
                let passed = live(shared, block, group, number)?.has_passed(parity);
                self.set_number(op, i64::from(passed))?;
            }
            TgOp::CopyGmemToSmem => self.copy_in(shared, op)?,
            TgOp::CopySmemToGmem => {
                if self.is_meant(op)? {
                    let from =
                        self.view(self.operand(op, "source")?)?.behind(&self.indices(op, "source_indices")?);
                    let to = self.access(op, "dest", "dest_indices", &from.shape())?;
                    let data = shared.read(self.block, &from, false)?;
                    shared.write(self.block, &to, &data, true)?;
                }
            }
            // Copies happen at once, lanes run together, and registers are not counted.
            TgOp::CommitGroup
            | TgOp::WaitSmemToGmem
            | TgOp::CommitSmem
            | TgOp::ThreadSync
            | TgOp::SetMaxRegisters => {}
            TgOp::BlockSync => {
                let all = shared.threads;
                self.ticket = shared.blocks[self.block].sync.meet(self.ticket, all);
                if self.ticket.is_some() {
                    return Ok(false);
                }
            }
            TgOp::ClusterSync => {
                let all = shared.threads * shared.blocks.len();
                self.ticket = shared.sync.meet(self.ticket, all);
                if self.ticket.is_some() {
                    return Ok(false);
                }
            }
            TgOp::DebugPrint => {
                shared.told.push(module.attr_str(op, "format").unwrap_or_default().to_owned())
            }
            TgOp::Assert => {
                if !self.array(self.operand(op, "condition")?)?.number().is_true() {
                    return Err(format!("fails: {}", module.attr_str(op, "message").unwrap_or_default()));
                }
            }
            TgOp::Kernel | TgOp::Role => return Err("is not executed".into()),
        }
        self.advance(op);
        Ok(true)
    }

    /// Runs the thread's role; waits behind it for those of the others.
    fn specialize(&mut self, shared: &mut Shared<'_>, op: Op) -> Outcome<bool> {
        if let Some(role) = self.role.take() {
            let body = self.body(role, 0)?;
            self.enter(body, Region::Role);
            return Ok(true);
        }
        let all = shared.threads;
        self.ticket = shared.blocks[self.block].roles_end.meet(self.ticket, all);
        if self.ticket.is_some() {
            return Ok(false);
        }
        self.advance(op);
        Ok(true)
    }

    fn alloc(&mut self, shared: &mut Shared<'_>, op: Op) -> Outcome {
        let result = self.module.result(op, 0);
        let TypeKind::Ref(reference) = self.module.types.kind(self.module.ty(result)) else {
            return Err("allocates something that the walk does not know".into());
        };
        if reference.space != tidegate::ir::types::Space::Smem {
            return Err(format!("allocates {}, which the walk does not know", reference.space.long_name()));
        }
        let elem = Elem::of(self.module, reference.elem)?;
        // Tiles and swizzles say where an element lies, and nothing about its value.
        let memories = &mut shared.blocks[self.block].memories;
        memories.entry(op).or_insert_with(|| Memory::new(elem, &reference.shape, None));
        self.values.insert(result, Bound::View(View::whole(Root::Alloc(op), &reference.shape)));
        Ok(())
    }

    /// The place of an access with the shape of the other side.
    fn access(&self, op: Op, name: &str, list: &str, shape: &[usize]) -> Outcome<View> {
        let extents: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        let view = self.view(self.operand(op, name)?)?;
        let lead = view.dims.len().saturating_sub(extents.len());
        let indices = self.indices(op, list)?;
        let extra = extents.len().saturating_sub(view.dims.len());
        let whole = view.dims.iter().enumerate().skip(indices.len());
        for (dim, of_view) in whole {
            let wanted = dim.checked_sub(lead).map_or(1, |dim| extents[dim + extra]);
            if wanted != of_view.extent {
                return Err(format!(
                    "takes {wanted} of {} elements along dimension {dim} without an index",
                    of_view.extent
                ));
            }
        }
        Ok(view.access(&indices, &extents))
    }

    fn is_meant(&self, op: Op) -> Outcome<bool> {
        match self.module.operand_named(op, "predicate") {
            Some(value) => Ok(self.array(value)?.number().is_true()),
            None => Ok(true),
        }
    }

    // ---- barriers ----

    fn barrier_number(&self, view: &View, at: &[usize]) -> Outcome<(Op, usize)> {
        let Root::Alloc(group) = view.root else { return Err("uses a barrier of unknown origin".into()) };
        let shape = self.module.types.as_barrier(self.module.ty(self.module.result(group, 0)));
        let shape = &shape.ok_or("uses something that is no barrier")?.shape;
        let place = view.locate(at);
        let mut number = 0;
        for (&at, &extent) in place.iter().zip(shape.iter()) {
            if !(0..extent).contains(&at) {
                return Err(format!("picks barrier {place:?}, which does not exist"));
            }
            number = number * extent + at;
        }
        Ok((group, usize::try_from(number).unwrap_or(usize::MAX)))
    }

    /// The barrier that `op` is about: the block, the group and the number.
    fn barrier(&self, op: Op, list: &str) -> Outcome<(usize, Op, usize)> {
        let view = self.view(self.operand(op, "barrier")?)?.behind(&self.indices(op, list)?);
        let first = vec![0; view.dims.len()];
        let (group, number) = self.barrier_number(&view, &first)?;
        let peer = self.module.operand_named(op, "peer").map(|value| self.number(value)).transpose()?;
        let block = peer.map_or(self.block, |rank| usize::try_from(rank).unwrap_or(usize::MAX));
        Ok((block, group, number))
    }

    fn arrive(&mut self, shared: &mut Shared<'_>, tg: TgOp, op: Op) -> Outcome {
        let (block, group, number) = self.barrier(op, "indices")?;
        let count = match tg {
            TgOp::BarrierExpectTx => 0,
            _ => self.module.attr_i64(op, "count").unwrap_or(1),
        };
        let bytes = self.module.attr_i64(op, "bytes").unwrap_or(0);
        let mut reached = vec![block];
        if let Some(axes) = self.cluster_axes(group) {
            reached = (0..shared.blocks.len())
                .filter(|&other| reaches(&axes, &shared.blocks[self.block].axes, &shared.blocks[other].axes))
                .collect();
        }
        for block in reached {
            live(shared, block, group, number)?.count(count, bytes)?;
        }
        Ok(())
    }

    /// The axes of a cluster barrier.
    fn cluster_axes(&self, group: Op) -> Option<Axes> {
        let barrier = self.module.types.as_barrier(self.module.ty(self.module.result(group, 0)))?;
        let scope = barrier.cluster.as_ref()?;
        let axes = scope.axes.iter().map(|axes| axes.names().map(str::to_owned).collect());
        let kernel =
            self.module.ancestors(group).find(|&op| self.module.opcode(op) == Opcode::Tg(TgOp::Kernel))?;
        let names = self.module.attr_strs(kernel, "cluster_names").unwrap_or_default();
        Some(Axes {
            sets: axes.collect(),
            all: names.into_iter().map(str::to_owned).collect(),
            leader: scope.leader_tracked,
        })
    }

    /// How many blocks arrive on each barrier of a group.
    fn arriving_blocks(&self, group: Op, own: &HashMap<String, i64>) -> Outcome<i64> {
        let Some(axes) = self.cluster_axes(group) else { return Ok(1) };
        let kernel =
            self.module.ancestors(group).find(|&op| self.module.opcode(op) == Opcode::Tg(TgOp::Kernel));
        let extents = kernel.and_then(|kernel| self.module.attr_ints(kernel, "cluster")).unwrap_or_default();
        let shape: Vec<usize> = extents.iter().map(|&extent| extent as usize).collect();
        // All blocks of the cluster that reach this one.
        let count = super::array::positions(&shape).filter(|at| {
            let other = axes.all.iter().cloned().zip(at.iter().map(|&at| at as i64)).collect();
            reaches(&axes, &other, own)
        });
        Ok((count.count() as i64).max(1))
    }

    fn copy_in(&mut self, shared: &mut Shared<'_>, op: Op) -> Outcome {
        if !self.is_meant(op)? {
            return Ok(());
        }
        let module = self.module;
        let to = self.view(self.operand(op, "dest")?)?.behind(&self.indices(op, "dest_indices")?);
        let from = self.access(op, "source", "source_indices", &to.shape())?;
        let data = shared.read(self.block, &from, true)?;
        let (_, group, number) = self.barrier(op, "barrier_indices")?;
        let bytes = (data.len() * shared.memory(self.block, to.root)?.elem.bytes()) as i64;
        // A collective copy gives each block that executes it the whole box; who fetches which part makes no difference.
        let ranks =
            module.attr_ints(op, "multicast").map(|ranks| ranks.iter().map(|&rank| rank as usize).collect());
        let blocks: Vec<usize> = ranks.unwrap_or_else(|| vec![self.block]);
        for &block in &blocks {
            shared.write(block, &to, &data, false)?;
        }
        if !module.has_attr(op, "raw") {
            let paid = if blocks.contains(&self.block) { bytes } else { 0 };
            live(shared, self.block, group, number)?.count(1, bytes - paid)?;
        }
        for &block in &blocks {
            if module.has_attr(op, "raw") || block != self.block {
                live(shared, block, group, number)?.count(0, -bytes)?;
            }
        }
        Ok(())
    }
}

/// The axes along which arrivals on a cluster barrier reach.
#[derive(Debug)]
struct Axes {
    /// Sets of axes that count as one.
    sets: Vec<Vec<String>>,
    /// All axes of the cluster.
    all: Vec<String>,
    /// Whether only the leader's barrier counts.
    leader: bool,
}

/// Whether an arrival of the block at `from` reaches the block at `to`: they differ along the axes of one set only. The
/// barrier of a leader, which is at 0 on all axes, is reached along all of them together, and no other is.
fn reaches(axes: &Axes, from: &HashMap<String, i64>, to: &HashMap<String, i64>) -> bool {
    let at = |of: &HashMap<String, i64>, axis: &String| of.get(axis).copied().unwrap_or(0);
    let along = |set: &[String]| {
        let mut elsewhere = axes.all.iter().filter(|axis| !set.contains(axis));
        elsewhere.all(|axis| at(from, axis) == at(to, axis))
    };
    if axes.leader {
        let all: Vec<String> = axes.sets.iter().flatten().cloned().collect();
        return along(&all) && all.iter().all(|axis| at(to, axis) == 0);
    }
    axes.sets.iter().any(|set| along(set))
}

fn live<'s>(shared: &'s mut Shared<'_>, block: usize, group: Op, number: usize) -> Outcome<&'s mut Barrier> {
    let block = shared.blocks.get_mut(block).ok_or("names a block that the cluster does not have")?;
    let barriers =
        block.barriers.get_mut(&group).ok_or("reaches a block that has not got its barriers yet")?;
    barriers.get_mut(number).ok_or("picks a barrier that does not exist")?.alive()
}
