//! `tg.load` and `tg.store`: each lane its chunks, as wide as they lie together.

use melior::ir::{Type as MlirType, Value as Mlir};
use tidegate_ir::{Op, Value};

use super::{
    Lower, Lowering,
    address::{Address, Place},
    unsupported,
    value::{Array, Form},
};
use crate::{
    analysis::layout::Layout,
    lower::{
        mlir::emit::{Comparison, Emitter},
        plan::views::View,
    },
};

impl<'p, 'c, 'a> Lowering<'p, 'c, 'a> {
    /// The place of the access of `op` through operand `name`, of the extents of `value`.
    fn access(&self, op: Op, name: &str, value: Value) -> Lower<Place<'p, 'c, 'a>> {
        let module = self.module();
        let extents = module.types.as_vector(module.ty(value)).map(|(shape, _)| shape.to_vec());
        let view = module.operand_named(op, name).and_then(|place| View::of(module, place));
        let view = view.ok_or_else(|| unsupported(module, op, "works on a ref of unknown origin"))?;
        let indices = module.index_list(op, "indices");
        self.place(op, view.access(&indices, &extents.unwrap_or_default()))
    }

    /// `tg.load`.
    pub(super) fn load(&mut self, op: Op) -> Lower<()> {
        self.close()?;
        let module = self.module();
        let result = module.result(op, 0);
        let place = self.access(op, "source", result)?;
        if module.types.as_vector(module.ty(result)).is_none() {
            let address = self.start(&self.e, op, &place)?;
            let ty = self.number_type(op, module.ty(result))?;
            let number = self.load_at(&self.e, &place, &address, ty, 1)?;
            let number = match module.types.kind(module.ty(result)) {
                tidegate_ir::types::TypeKind::Index => self.e.to_integer(number, self.index_type(result))?,
                _ => number,
            };
            self.set_number(op, number);
            return Ok(());
        }
        let form = self.form(op, result)?;
        if form.layout == Layout::Splat {
            let what = "of an array whose elements are not known to be equal cannot make a splat";
            return Err(unsupported(module, op, what).into());
        }
        let addresses = self.chunk_addresses(op, &place, &form)?;
        let mut chunks = Vec::new();
        for (round, addresses) in (0..form.rounds).zip(&addresses) {
            let chunk = match form.is_full(round) {
                true => self.load_chunk(&self.e, &place, addresses, &form)?,
                false => {
                    let inside = self.is_inside(&self.e, &form, round)?;
                    let choice = self.e.if_else(inside, &[form.chunk])?;
                    let loaded = self.load_chunk(&choice.then, &place, addresses, &form)?;
                    choice.then.yield_values(&[loaded])?;
                    choice.otherwise.yield_values(&[zero(&choice.otherwise, &form)?])?;
                    match choice.results.first() {
                        Some(&chunk) => chunk,
                        None => loaded,
                    }
                }
            };
            chunks.push(chunk);
        }
        self.set_array(op, Array { layout: form.layout, chunks });
        Ok(())
    }

    /// `tg.store`.
    pub(super) fn store(&mut self, op: Op) -> Lower<()> {
        let module = self.module();
        let Some(value) = module.operand_named(op, "value") else {
            return Err(unsupported(module, op, "stores nothing").into());
        };
        if module.types.as_vector(module.ty(value)).is_none() {
            // One lane stores for all: the stores of several warps would have no order, and a late one could undo what
            // another warp has stored since.
            let elected = self.elected()?;
            let place = self.access(op, "dest", value)?;
            let number = self.number(op, value)?;
            let ty = self.number_type(op, module.ty(value))?;
            let is_index = matches!(module.types.kind(module.ty(value)), tidegate_ir::types::TypeKind::Index);
            let number = if is_index { self.e.to_integer(number, ty)? } else { number };
            let address = self.start(&self.e, op, &place)?;
            return self.store_at(&elected, &place, &address, number, ty, 1);
        }
        self.close()?;
        let place = self.access(op, "dest", value)?;
        let form = self.store_form(op, value, &place)?;
        let chunks = self.chunks(op, value, &form)?;
        let addresses = self.chunk_addresses(op, &place, &form)?;
        for ((round, addresses), chunk) in (0..form.rounds).zip(&addresses).zip(chunks) {
            if form.is_full(round) {
                self.store_chunk(&self.e, &place, addresses, &form, chunk)?;
            } else {
                let inside = self.e.if_then(self.is_inside(&self.e, &form, round)?)?;
                self.store_chunk(&inside, &place, addresses, &form, chunk)?;
                inside.yield_values(&[])?;
            }
        }
        Ok(())
    }

    /// The form in which to store `value`: its own; for a splat, as wide as the place allows.
    fn store_form(&self, op: Op, value: Value, place: &Place<'_, 'c, 'a>) -> Lower<Form<'c>> {
        let own = self.form(op, value)?;
        if own.layout != Layout::Splat {
            return Ok(own);
        }
        let last = place.view.dims.last().map_or(1, |(_, extent)| *extent);
        let mut vec = 1;
        while vec * 2 * place.element <= 16
            && last % (vec * 2) == 0
            && own.elements % (vec * 2 * i64::from(self.crew().lanes)) == 0
        {
            vec *= 2;
        }
        self.form_with(op, value, Layout::Strided { vec: u32::try_from(vec).unwrap_or(1) })
    }

    /// Whether the lane has an element in round `round`.
    pub(super) fn is_inside(&self, e: &Emitter<'c, 'a>, form: &Form<'c>, round: i64) -> Lower<Mlir<'c, 'a>> {
        let lanes = (form.elements - round * form.round()).div_euclid(form.vec);
        Ok(e.compare(Comparison::Below, self.thread.lane, e.i32(lanes)?)?)
    }

    fn load_chunk(
        &self,
        e: &Emitter<'c, 'a>,
        place: &Place<'_, 'c, 'a>,
        addresses: &[Address<'c, 'a>],
        form: &Form<'c>,
    ) -> Lower<Mlir<'c, 'a>> {
        match addresses {
            [one] => self.load_at(e, place, one, form.elem, form.vec),
            many => {
                let elements = many
                    .iter()
                    .map(|address| self.load_at(e, place, address, form.elem, 1))
                    .collect::<Lower<Vec<_>>>()?;
                Ok(e.value("vector.from_elements", &elements, form.chunk, &[])?)
            }
        }
    }

    fn store_chunk(
        &self,
        e: &Emitter<'c, 'a>,
        place: &Place<'_, 'c, 'a>,
        addresses: &[Address<'c, 'a>],
        form: &Form<'c>,
        chunk: Mlir<'c, 'a>,
    ) -> Lower<()> {
        match addresses {
            [one] => self.store_at(e, place, one, chunk, form.elem, form.vec),
            many => {
                for (position, address) in (0..).zip(many) {
                    let position = e.i32(position)?;
                    let element = e.value("llvm.extractelement", &[chunk, position], form.elem, &[])?;
                    self.store_at(e, place, address, element, form.elem, 1)?;
                }
                Ok(())
            }
        }
    }

    /// Loads `vec` elements. A truth value takes a byte in memory.
    pub(super) fn load_at(
        &self,
        e: &Emitter<'c, 'a>,
        place: &Place<'_, 'c, 'a>,
        address: &Address<'c, 'a>,
        elem: MlirType<'c>,
        vec: i64,
    ) -> Lower<Mlir<'c, 'a>> {
        let alignment = self.alignment(address, place.element * vec);
        let truth = elem == e.types().i1;
        let in_memory = self.chunk_type(if truth { e.types().i8 } else { elem }, vec)?;
        let loaded = e.load(address.pointer, in_memory, alignment)?;
        match truth {
            true => Ok(e.convert("arith.trunci", loaded, self.chunk_type(elem, vec)?)?),
            false => Ok(loaded),
        }
    }

    /// Stores `vec` elements.
    pub(super) fn store_at(
        &self,
        e: &Emitter<'c, 'a>,
        place: &Place<'_, 'c, 'a>,
        address: &Address<'c, 'a>,
        chunk: Mlir<'c, 'a>,
        elem: MlirType<'c>,
        vec: i64,
    ) -> Lower<()> {
        let alignment = self.alignment(address, place.element * vec);
        let chunk = match elem == e.types().i1 {
            true => e.convert("arith.extui", chunk, self.chunk_type(e.types().i8, vec)?)?,
            false => chunk,
        };
        Ok(e.store(chunk, address.pointer, alignment)?)
    }
}

/// A chunk of zeros.
pub(super) fn zero<'c, 'a>(e: &Emitter<'c, 'a>, form: &Form<'c>) -> Lower<Mlir<'c, 'a>> {
    Ok(e.value("llvm.mlir.zero", &[], form.chunk, &[])?)
}
