//! Dialect `vector`: what moves elements between lanes goes through scratch in shared memory, which `allocate-smem` has
//! set aside.

use melior::ir::{Type as MlirType, Value as Mlir, ValueLike};
use tidegate_ir::ops::VectorOp;
use tidegate_ir::{Op, Value};

use super::{
    Lower, Lowering,
    index::Expr,
    memory::zero,
    unsupported,
    value::{Array, Form, Low},
};
use crate::{
    analysis::layout::Layout,
    lower::{
        mlir::emit::{Comparison, Emitter, GepIndex, LoopForm, Space},
        plan::needs_pass,
    },
};

/// How elements are combined.
#[derive(Clone, Copy, Debug)]
struct Combine<'n> {
    kind: &'n str,
}

impl<'c, 'a> Lowering<'_, 'c, 'a> {
    /// An op of dialect `vector`.
    pub(super) fn vector(&mut self, vector: VectorOp, op: Op) -> Lower<()> {
        match vector {
            VectorOp::Broadcast => self.broadcast(op),
            VectorOp::ShapeCast => self.shape_cast(op),
            VectorOp::Transpose => self.transpose(op),
            VectorOp::Reduction => self.reduction(op),
            VectorOp::MultiReduction => self.multi_reduction(op),
        }
    }

    fn source(&self, op: Op) -> Lower<Value> {
        let source = self.module().get_operand(op, 0);
        source.ok_or_else(|| unsupported(self.module(), op, "lacks an operand").into())
    }

    fn shape_of(&self, value: Value) -> Vec<i64> {
        let shape = self.module().types.as_vector(self.module().ty(value)).map(|(shape, _)| shape.to_vec());
        shape.unwrap_or_default()
    }

    /// Elements in row-major order stay where they are.
    fn shape_cast(&mut self, op: Op) -> Lower<()> {
        let source = self.source(op)?;
        let form = self.form(op, self.module().result(op, 0))?;
        let chunks = match form.layout {
            Layout::Splat => match self.low(op, source)? {
                Low::Number(number) => vec![number],
                Low::Array(array) => array.chunks,
            },
            Layout::Strided { .. } => self.chunks(op, source, &form)?,
        };
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }

    fn broadcast(&mut self, op: Op) -> Lower<()> {
        let source = self.source(op)?;
        let result = self.module().result(op, 0);
        let form = self.form(op, result)?;
        let array = match self.low(op, source)? {
            Low::Number(number) => Array { layout: Layout::Splat, chunks: vec![number] },
            Low::Array(array) => array,
        };
        let chunks = match (array.layout, form.layout) {
            (Layout::Splat, Layout::Splat) => array.chunks,
            (Layout::Splat, Layout::Strided { .. }) => {
                let Some(&number) = array.chunks.first() else { return Ok(()) };
                let chunk = match form.vec {
                    1 => number,
                    _ => self.e.value("vector.broadcast", &[number], form.chunk, &[])?,
                };
                vec![chunk; usize::try_from(form.rounds).unwrap_or_default()]
            }
            (Layout::Strided { .. }, _) => {
                let (from, to) = (self.shape_of(source), self.shape_of(result));
                self.gather(op, source, &array, &form, &|this, element| {
                    let coordinates = coordinates(&this.e, element, &to)?;
                    let skipped = to.len() - from.len().min(to.len());
                    let mut number = Expr::number(0);
                    for (&extent, coordinate) in from.iter().zip(&coordinates[skipped..]) {
                        number = number.mul(&this.e, extent)?;
                        if extent != 1 {
                            number = number.add(&this.e, *coordinate)?;
                        }
                    }
                    Ok(number)
                })?
            }
        };
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }

    fn transpose(&mut self, op: Op) -> Lower<()> {
        let source = self.source(op)?;
        let result = self.module().result(op, 0);
        let form = self.form(op, result)?;
        let Low::Array(array) = self.low(op, source)? else {
            return Err(unsupported(self.module(), op, "transposes a number").into());
        };
        if array.layout == Layout::Splat {
            self.set_array(op, array);
            return Ok(());
        }
        let permutation = self.module().attr_ints(op, "permutation").unwrap_or_default().to_vec();
        let (from, to) = (self.shape_of(source), self.shape_of(result));
        let chunks = self.gather(op, source, &array, &form, &|this, element| {
            let coordinates = coordinates(&this.e, element, &to)?;
            // Dimension i of the result is dimension permutation[i] of the source.
            let mut number = Expr::number(0);
            for (dim, &extent) in (0..).zip(&from) {
                let at = permutation.iter().position(|&source| source == dim);
                number = number.mul(&this.e, extent)?;
                if let Some(coordinate) = at.and_then(|at| coordinates.get(at)) {
                    number = number.add(&this.e, *coordinate)?;
                }
            }
            Ok(number)
        })?;
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }

    // ---- scratch ----

    /// The start of the thread's scratch.
    fn scratch(&self, op: Op) -> Lower<Mlir<'c, 'a>> {
        let module = self.module();
        let crew = self.crew().op;
        let parts = (module.attr_i64(crew, "scratch_offset"), module.attr_i64(crew, "scratch_bytes"));
        let ((Some(offset), Some(bytes)), Some(smem)) = (parts, self.prologue.smem) else {
            return Err(needs_pass(module, op, "allocate-smem", "needs scratch in shared memory").into());
        };
        let e = self.e;
        let mut place = Expr::number(offset);
        if let Some(index) = self.thread.index {
            let threads = i64::from(self.crew().threads);
            place = place.add(&e, Expr::value(index, threads - 1, 1).mul(&e, bytes)?)?;
        }
        let place = place.materialize(&e)?;
        Ok(e.offset_bytes(smem, Space::Shared, GepIndex::Value(place))?)
    }

    /// Bytes of an element in scratch.
    fn scratch_element(&self, ty: MlirType<'c>, op: Op, value: Value) -> Lower<(MlirType<'c>, i64)> {
        let module = self.module();
        let elem = module.types.elem_of(module.ty(value));
        let bytes = module.types.bytes_of(elem, 1);
        let bytes =
            bytes.ok_or_else(|| unsupported(module, op, "moves elements that have no memory form"))?;
        Ok((if ty == self.e.types().i1 { self.e.types().i8 } else { ty }, bytes))
    }

    /// Writes `array` to scratch in row-major order, joins the lanes, and gives the start.
    fn spill(&mut self, op: Op, value: Value, array: &Array<'c, 'a>) -> Lower<Mlir<'c, 'a>> {
        self.close()?;
        let form = self.form_with(op, value, array.layout)?;
        let (in_memory, bytes) = self.scratch_element(form.elem, op, value)?;
        let start = self.scratch(op)?;
        let e = self.e;
        let lane =
            Expr::value(self.thread.lane, form.lanes - 1, 1).mul(&e, form.vec * bytes)?.materialize(&e)?;
        let own = e.offset_bytes(start, Space::Shared, GepIndex::Value(lane))?;
        let alignment = u32::try_from((form.vec * bytes).min(16)).unwrap_or(1);
        for (round, &chunk) in (0..form.rounds).zip(&array.chunks) {
            let offset = i32::try_from(round * form.round() * bytes).unwrap_or(i32::MAX);
            let store = |e: &Emitter<'c, 'a>| -> Lower<()> {
                let to = e.offset_bytes(own, Space::Shared, GepIndex::Constant(offset))?;
                let chunk = match in_memory == form.elem {
                    true => chunk,
                    false => e.convert("arith.extui", chunk, self.chunk_type(in_memory, form.vec)?)?,
                };
                Ok(e.store(chunk, to, alignment)?)
            };
            if form.is_full(round) {
                store(&e)?;
            } else {
                let inside = e.if_then(self.is_inside(&e, &form, round)?)?;
                store(&inside)?;
                inside.yield_values(&[])?;
            }
        }
        self.join()?;
        Ok(start)
    }

    /// Loads element `number` of what was spilled.
    fn fetch(
        &self,
        e: &Emitter<'c, 'a>,
        start: Mlir<'c, 'a>,
        number: Expr<'c, 'a>,
        elem: MlirType<'c>,
        (in_memory, bytes): (MlirType<'c>, i64),
    ) -> Lower<Mlir<'c, 'a>> {
        let offset = number.mul(e, bytes)?.materialize(e)?;
        let from = e.offset_bytes(start, Space::Shared, GepIndex::Value(offset))?;
        let loaded = e.load(from, in_memory, u32::try_from(bytes).unwrap_or(1))?;
        match in_memory == elem {
            true => Ok(loaded),
            false => Ok(e.convert("arith.trunci", loaded, elem)?),
        }
    }

    /// An array of form `form` whose element `i` is element `which(i)` of `value`.
    fn gather(
        &mut self,
        op: Op,
        value: Value,
        array: &Array<'c, 'a>,
        form: &Form<'c>,
        which: &dyn Fn(&Self, Expr<'c, 'a>) -> Lower<Expr<'c, 'a>>,
    ) -> Lower<Vec<Mlir<'c, 'a>>> {
        let start = self.spill(op, value, array)?;
        let memory = self.scratch_element(form.elem, op, value)?;
        let lane = Expr::value(self.thread.lane, form.lanes - 1, 1).mul(&self.e, form.vec)?;
        let mut chunks = Vec::new();
        for round in 0..form.rounds {
            let outer = self.e;
            let choice = match form.is_full(round) {
                true => None,
                false => Some(outer.if_else(self.is_inside(&outer, form, round)?, &[form.chunk])?),
            };
            if let Some(choice) = &choice {
                self.e = choice.then;
            }
            let elements = (0..form.vec)
                .map(|place| {
                    let element = Expr { constant: round * form.round() + place, ..lane };
                    let number = which(self, element)?;
                    self.fetch(&self.e, start, number, form.elem, memory)
                })
                .collect::<Lower<Vec<_>>>()?;
            let chunk = self.chunk_of(&elements, form)?;
            self.e = outer;
            chunks.push(match choice {
                None => chunk,
                Some(choice) => {
                    choice.then.yield_values(&[chunk])?;
                    choice.otherwise.yield_values(&[zero(&choice.otherwise, form)?])?;
                    choice.results.first().copied().unwrap_or(chunk)
                }
            });
        }
        Ok(chunks)
    }

    /// The same elements in another layout.
    pub(super) fn move_through_scratch(
        &mut self,
        op: Op,
        value: Value,
        array: &Array<'c, 'a>,
        form: &Form<'c>,
    ) -> Lower<Vec<Mlir<'c, 'a>>> {
        self.gather(op, value, array, form, &|_, element| Ok(element))
    }

    // ---- reductions ----

    fn combine_of(&self, op: Op) -> Combine<'_> {
        let module = self.module();
        let kind = module.attr(op, "kind").map(|attr| module.attrs.kind(attr));
        let kind = match kind {
            Some(tidegate_ir::attr::AttrKind::Opaque(text) | tidegate_ir::attr::AttrKind::Str(text)) => {
                &**text
            }
            _ => "add",
        };
        let kind = kind.split_once('<').map_or(kind, |(_, rest)| rest.trim_end_matches('>'));
        Combine { kind }
    }

    /// `a` combined with `b`.
    fn combine(
        &self,
        e: &Emitter<'c, 'a>,
        how: Combine<'_>,
        is_float: bool,
        a: Mlir<'c, 'a>,
        b: Mlir<'c, 'a>,
    ) -> Lower<Mlir<'c, 'a>> {
        let name = match (how.kind, is_float) {
            ("add", true) => "arith.addf",
            ("add", false) => "arith.addi",
            ("mul", true) => "arith.mulf",
            ("mul", false) => "arith.muli",
            ("minui", _) => "arith.minui",
            ("minsi", _) => "arith.minsi",
            ("maxui", _) => "arith.maxui",
            ("maxsi", _) => "arith.maxsi",
            ("and", _) => "arith.andi",
            ("or", _) => "arith.ori",
            ("xor", _) => "arith.xori",
            ("maximumf", _) => "arith.maximumf",
            ("minimumf", _) => "arith.minimumf",
            ("maxnumf", _) => "llvm.intr.maxnum",
            _ => "llvm.intr.minnum",
        };
        Ok(e.binary(name, a, b)?)
    }

    /// What combines with anything to that.
    fn neutral(
        &self,
        e: &Emitter<'c, 'a>,
        how: Combine<'_>,
        is_float: bool,
        ty: MlirType<'c>,
        bits: u32,
    ) -> Lower<Mlir<'c, 'a>> {
        let ones = -1;
        let least = if bits >= 64 { i64::MIN } else { -(1i64 << (bits - 1)) };
        let most = if bits >= 64 { i64::MAX } else { (1i64 << (bits - 1)) - 1 };
        Ok(match (how.kind, is_float) {
            ("add", true) => e.float(ty, -0.0)?,
            ("mul", true) => e.float(ty, 1.0)?,
            ("maximumf" | "maxnumf", _) => e.float(ty, f64::NEG_INFINITY)?,
            ("minimumf" | "minnumf", _) => e.float(ty, f64::INFINITY)?,
            ("mul", false) => e.integer(ty, 1)?,
            ("and" | "minui", _) => e.integer(ty, ones)?,
            ("minsi", _) => e.integer(ty, most)?,
            ("maxsi", _) => e.integer(ty, least)?,
            _ => e.integer(ty, 0)?,
        })
    }

    /// `vector.reduction`.
    fn reduction(&mut self, op: Op) -> Lower<()> {
        let source = self.source(op)?;
        let acc = self.module().operand_named(op, "acc");
        let acc = acc.map(|acc| self.number(op, acc)).transpose()?;
        let total = self.reduce_all(op, source)?;
        let (is_float, _) = self.element_kind(source);
        let total = match acc {
            Some(acc) => self.combine(&self.e, self.combine_of(op), is_float, acc, total)?,
            None => total,
        };
        let result = self.module().result(op, 0);
        let ty = self.type_of_number(op, result)?;
        let total = if total.r#type() == ty { total } else { self.e.to_integer(total, ty)? };
        self.set_number(op, total);
        Ok(())
    }

    /// Whether the elements are floats, and their bits.
    fn element_kind(&self, value: Value) -> (bool, u32) {
        let module = self.module();
        let elem = module.types.elem_of(module.ty(value));
        let is_float = matches!(module.types.kind(elem), tidegate_ir::types::TypeKind::Float(_));
        (is_float, module.types.bit_width(elem).unwrap_or(32))
    }

    /// All elements of `source` combined, in every lane.
    fn reduce_all(&mut self, op: Op, source: Value) -> Lower<Mlir<'c, 'a>> {
        self.close()?;
        let layout = match self.low(op, source)? {
            Low::Array(Array { layout: Layout::Splat, .. }) | Low::Number(_) => Layout::Strided { vec: 1 },
            Low::Array(array) => array.layout,
        };
        let form = self.form_with(op, source, layout)?;
        let chunks = self.chunks(op, source, &form)?;
        let (is_float, bits) = self.element_kind(source);
        let e = self.e;
        let how = self.combine_of(op);
        let kind = how.kind.to_owned();
        let how = Combine { kind: &kind };
        // The lane's own elements.
        let mut own: Option<Mlir<'c, 'a>> = None;
        for (round, &chunk) in (0..form.rounds).zip(&chunks) {
            let mut part: Option<Mlir<'c, 'a>> = None;
            for element in self.elements_of(chunk, &form)? {
                part = Some(match part {
                    Some(part) => self.combine(&e, how, is_float, part, element)?,
                    None => element,
                });
            }
            let Some(mut part) = part else { continue };
            if !form.is_full(round) {
                let inside = self.is_inside(&e, &form, round)?;
                part = e.select(inside, part, self.neutral(&e, how, is_float, form.elem, bits)?)?;
            }
            own = Some(match own {
                Some(own) => self.combine(&e, how, is_float, own, part)?,
                None => part,
            });
        }
        let Some(mut total) = own else {
            return Err(unsupported(self.module(), op, "reduces an array without elements").into());
        };
        // The lanes of the warp.
        for distance in [16, 8, 4, 2, 1] {
            let other = self.shuffle(&e, total, distance, is_float, bits)?;
            total = self.combine(&e, how, is_float, total, other)?;
        }
        let warps = form.lanes / 32;
        if warps <= 1 {
            return Ok(total);
        }
        // The warps of the thread.
        let start = self.scratch(op)?;
        let (in_memory, bytes) = self.scratch_element(form.elem, op, source)?;
        let widened =
            if in_memory == form.elem { total } else { e.convert("arith.extui", total, in_memory)? };
        let (warp, lane) = Expr::value(self.thread.lane, form.lanes - 1, 1).div_rem(&e, 32)?;
        let first = e.if_then(e.compare(Comparison::Equal, lane.materialize(&e)?, e.i32(0)?)?)?;
        let place = warp.mul(&first, bytes)?.materialize(&first)?;
        let to = first.offset_bytes(start, Space::Shared, GepIndex::Value(place))?;
        first.store(widened, to, u32::try_from(bytes).unwrap_or(1))?;
        first.yield_values(&[])?;
        self.join()?;
        let e = self.e;
        let mut total: Option<Mlir<'c, 'a>> = None;
        for warp in 0..warps {
            let part = self.fetch(&e, start, Expr::number(warp), form.elem, (in_memory, bytes))?;
            total = Some(match total {
                Some(total) => self.combine(&e, how, is_float, total, part)?,
                None => part,
            });
        }
        total.ok_or_else(|| unsupported(self.module(), op, "is executed by no warp").into())
    }

    /// What the lane at that distance has. The instruction moves 32 bits.
    fn shuffle(
        &self,
        e: &Emitter<'c, 'a>,
        value: Mlir<'c, 'a>,
        distance: u32,
        is_float: bool,
        bits: u32,
    ) -> Lower<Mlir<'c, 'a>> {
        let ty = value.r#type();
        let (word, wide) = (e.types().i32, e.types().i64);
        if bits == 32 {
            return Ok(e.shuffle_xor(value, distance)?);
        }
        let integer = self.e.parse_type(&format!("i{bits}"))?;
        let as_bits = if is_float { e.convert("arith.bitcast", value, integer)? } else { value };
        let moved = if bits < 32 {
            let moved = e.shuffle_xor(e.convert("arith.extui", as_bits, word)?, distance)?;
            e.convert("arith.trunci", moved, integer)?
        } else {
            let shift = e.integer(wide, 32)?;
            let high = e.binary("arith.shrui", as_bits, shift)?;
            let low = e.shuffle_xor(e.convert("arith.trunci", as_bits, word)?, distance)?;
            let high = e.shuffle_xor(e.convert("arith.trunci", high, word)?, distance)?;
            let high = e.binary("arith.shli", e.convert("arith.extui", high, wide)?, shift)?;
            e.binary("arith.ori", high, e.convert("arith.extui", low, wide)?)?
        };
        Ok(if is_float { e.convert("arith.bitcast", moved, ty)? } else { moved })
    }

    /// `vector.multi_reduction`.
    fn multi_reduction(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let source = self.source(op)?;
        let acc = module.operand_named(op, "acc");
        let acc = acc.ok_or_else(|| unsupported(module, op, "lacks an accumulator"))?;
        let result = module.result(op, 0);
        let (is_float, _) = self.element_kind(source);
        let kind = self.combine_of(op).kind.to_owned();
        if module.types.as_vector(module.ty(result)).is_none() {
            let total = self.reduce_all(op, source)?;
            let acc = self.number(op, acc)?;
            let total = self.combine(&self.e, Combine { kind: &kind }, is_float, acc, total)?;
            self.set_number(op, total);
            return Ok(());
        }
        let reduced = module.attr_ints(op, "reduction_dims").unwrap_or_default().to_vec();
        let from = self.shape_of(source);
        let to = self.shape_of(result);
        let form = self.form(op, result)?;
        let form = match form.layout {
            Layout::Splat => self.form_with(op, result, Layout::Strided { vec: 1 })?,
            Layout::Strided { .. } => form,
        };
        let accs = self.chunks(op, acc, &form)?;
        let array = match self.low(op, source)? {
            Low::Array(array) if array.layout != Layout::Splat => array,
            _ => {
                let spread = self.form_with(op, source, Layout::Strided { vec: 1 })?;
                Array { layout: spread.layout, chunks: self.chunks(op, source, &spread)? }
            }
        };
        let start = self.spill(op, source, &array)?;
        let memory = self.scratch_element(form.elem, op, source)?;
        let count: i64 = reduced.iter().filter_map(|&dim| from.get(usize::try_from(dim).ok()?)).product();
        let lane = Expr::value(self.thread.lane, form.lanes - 1, 1).mul(&self.e, form.vec)?;
        let is_reduced = |dim: usize| reduced.iter().any(|&reduced| usize::try_from(reduced) == Ok(dim));
        let mut chunks = Vec::new();
        for (round, &acc) in (0..form.rounds).zip(&accs) {
            let outer = self.e;
            let choice = match form.is_full(round) {
                true => None,
                false => Some(outer.if_else(self.is_inside(&outer, &form, round)?, &[form.chunk])?),
            };
            if let Some(choice) = &choice {
                self.e = choice.then;
            }
            let mut elements = Vec::new();
            for (place, acc) in (0..).zip(self.elements_of(acc, &form)?) {
                let element = Expr { constant: round * form.round() + place, ..lane };
                let kept = coordinates(&self.e, element, &to)?;
                let e = self.e;
                let repeat =
                    e.for_loop([e.i32(0)?, e.i32(count)?, e.i32(1)?], &[acc], LoopForm::default())?;
                let b = repeat.body;
                let extents: Vec<i64> =
                    (0..from.len()).filter(|&dim| is_reduced(dim)).map(|dim| from[dim]).collect();
                let gone = coordinates(&b, Expr::value(repeat.counter, count - 1, 1), &extents)?;
                let (mut kept, mut gone) = (kept.into_iter(), gone.into_iter());
                let mut number = Expr::number(0);
                for (dim, &extent) in from.iter().enumerate() {
                    let coordinate = if is_reduced(dim) { gone.next() } else { kept.next() };
                    number = number.mul(&b, extent)?.add(&b, coordinate.unwrap_or(Expr::number(0)))?;
                }
                let value = self.fetch(&b, start, number, form.elem, memory)?;
                let Some(&sum) = repeat.carried.first() else { continue };
                b.yield_values(&[self.combine(&b, Combine { kind: &kind }, is_float, sum, value)?])?;
                elements.extend(repeat.results.first());
            }
            let chunk = self.chunk_of(&elements, &form)?;
            self.e = outer;
            chunks.push(match choice {
                None => chunk,
                Some(choice) => {
                    choice.then.yield_values(&[chunk])?;
                    choice.otherwise.yield_values(&[zero(&choice.otherwise, &form)?])?;
                    choice.results.first().copied().unwrap_or(chunk)
                }
            });
        }
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }
}

/// The coordinates of element number `element` in an array of these extents, in row-major order.
fn coordinates<'c, 'a>(
    e: &Emitter<'c, 'a>,
    element: Expr<'c, 'a>,
    extents: &[i64],
) -> Lower<Vec<Expr<'c, 'a>>> {
    let mut rest = element;
    let mut coordinates = Vec::new();
    for (index, &extent) in extents.iter().enumerate().rev() {
        if index == 0 {
            coordinates.push(rest);
            break;
        }
        let (quotient, remainder) = rest.div_rem(e, extent)?;
        coordinates.push(remainder);
        rest = quotient;
    }
    coordinates.reverse();
    Ok(coordinates)
}
