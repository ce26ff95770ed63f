//! Shapes of `vector` ops.

use smallvec::SmallVec;
use tidegate_ir::diag::{Diagnostic, codes};
use tidegate_ir::ops::VectorOp;
use tidegate_ir::types::num_elements;
use tidegate_ir::{Op, Type};

use super::constraints::{is_float, shape_of};
use super::context::{Check, Verifier, shape_text};
use super::form::keyword_words;

impl Verifier<'_> {
    pub(super) fn check_vector(&self, op: Op, kind: VectorOp) -> Check {
        let (Some(source), Some(result)) = (self.m.get_operand(op, 0), self.m.results(op).next()) else {
            return Ok(());
        };
        let (from, to) = (self.m.ty(source), self.m.ty(result));
        let types = &self.m.types;
        let (Some(from_shape), Some(to_shape)) = (shape_of(types, from), shape_of(types, to)) else {
            return Ok(());
        };
        match kind {
            VectorOp::Broadcast => {
                self.same_element(op, from, to)?;
                let fits = from_shape.len() <= to_shape.len()
                    && from_shape
                        .iter()
                        .rev()
                        .zip(to_shape.iter().rev())
                        .all(|(&from, &to)| from == to || from == 1);
                if fits {
                    return Ok(());
                }
                Err(self.bad_shape(
                    op,
                    format!(
                        "an array of shape {} cannot be broadcast to {}",
                        shape_text(from_shape),
                        shape_text(to_shape)
                    ),
                    "aligned to the right, each extent is equal or 1",
                ))
            }
            VectorOp::Reduction => {
                if from_shape.len() != 1 {
                    return Err(self.bad_shape(
                        op,
                        format!(
                            "`vector.reduction` takes an array of one dimension, not of {}",
                            from_shape.len()
                        ),
                        "use `vector.multi_reduction`, or `vector.shape_cast` first",
                    ));
                }
                let elem = types.elem_of(from);
                if let Some(acc) = self.m.get_operand(op, 1)
                    && self.m.ty(acc) != elem
                {
                    return Err(self.error(
                        op,
                        codes::OPERAND_TYPE,
                        format!(
                            "the start value is {}, and the elements are {}",
                            self.type_of(acc),
                            self.type_name(elem)
                        ),
                        "the start value is of the element type",
                    ));
                }
                self.check_kind(op, elem)
            }
            VectorOp::MultiReduction => {
                self.check_kind(op, types.elem_of(from))?;
                self.check_reduction_dims(op, from, from_shape)
            }
            VectorOp::ShapeCast => {
                self.same_element(op, from, to)?;
                if num_elements(from_shape) == num_elements(to_shape) {
                    return Ok(());
                }
                Err(self.bad_shape(
                    op,
                    format!(
                        "shape {} has another number of elements than {}",
                        shape_text(from_shape),
                        shape_text(to_shape)
                    ),
                    "`vector.shape_cast` keeps the elements",
                ))
            }
            VectorOp::Transpose => {
                self.same_element(op, from, to)?;
                self.check_permutation(op, from_shape, to_shape)
            }
        }
    }

    fn bad_shape(&self, op: Op, message: String, label: &str) -> Box<Diagnostic> {
        self.error(op, codes::SHAPE_MISMATCH, message, label)
    }

    fn same_element(&self, op: Op, from: Type, to: Type) -> Check {
        let (from, to) = (self.m.types.elem_of(from), self.m.types.elem_of(to));
        if from == to {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::ELEMENT_TYPE_MISMATCH,
            format!(
                "`{}` keeps the element type, not {} to {}",
                self.m.op_name(op),
                self.type_name(from),
                self.type_name(to)
            ),
            "the element types differ",
        ))
    }

    /// The way of combining exists for the element type.
    fn check_kind(&self, op: Op, elem: Type) -> Check {
        let Some(attr) = self.m.attr(op, "kind") else { return Ok(()) };
        let Some(kind) = keyword_words(self.m.attrs.kind(attr), "vector.kind") else { return Ok(()) };
        let float = is_float(&self.m.types, elem);
        let fits = match kind {
            "add" | "mul" => true,
            "minnumf" | "maxnumf" | "minimumf" | "maximumf" => float,
            _ => !float,
        };
        if fits {
            return Ok(());
        }
        Err(self.error(
            op,
            codes::ATTRIBUTE_FORM,
            format!(
                "attribute `kind` of `{}` is `{kind}`, which does not combine {}",
                self.m.op_name(op),
                self.type_name(elem)
            ),
            if float {
                "for floats: add, mul, minnumf, maxnumf, minimumf, maximumf"
            } else {
                "for integers: add, mul, minui, minsi, maxui, maxsi, and, or, xor"
            },
        ))
    }

    fn check_reduction_dims(&self, op: Op, from: Type, shape: &[i64]) -> Check {
        let dims = self.m.attr_ints(op, "reduction_dims").unwrap_or(&[]);
        let mut reduced: SmallVec<[bool; 8]> = SmallVec::from_elem(false, shape.len());
        for &dim in dims {
            match usize::try_from(dim).ok().and_then(|dim| reduced.get_mut(dim)) {
                Some(slot) if !*slot => *slot = true,
                _ => {
                    return Err(self.error(
                        op,
                        codes::ATTRIBUTE_FORM,
                        format!(
                            "attribute `reduction_dims` of `vector.multi_reduction` is {}; it lists dimensions from 0 to {}, each once",
                            shape_text(dims),
                            shape.len().saturating_sub(1)
                        ),
                        format!("{dim} is out of range or named twice"),
                    ));
                }
            }
        }
        let left: Vec<i64> =
            shape.iter().zip(&reduced).filter(|(_, reduced)| !**reduced).map(|(&extent, _)| extent).collect();
        let Some(acc) = self.m.get_operand(op, 1) else { return Ok(()) };
        let ty = self.m.ty(acc);
        let fits = self.m.types.as_value_array(ty) == Some((&left[..], self.m.types.elem_of(from)));
        if fits {
            return Ok(());
        }
        let elem = self.type_name(self.m.types.elem_of(from));
        let wanted =
            if left.is_empty() { elem } else { format!("an array of shape {} of {elem}", shape_text(&left)) };
        Err(self.bad_shape(
            op,
            format!("the accumulator is {}; what is left of the dimensions is {wanted}", self.type_name(ty)),
            "the accumulator has another type",
        ))
    }

    fn check_permutation(&self, op: Op, from: &[i64], to: &[i64]) -> Check {
        let permutation = self.m.attr_ints(op, "permutation").unwrap_or(&[]);
        let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, from.len());
        let complete = permutation.len() == from.len()
            && permutation.iter().all(|&dim| {
                let slot = usize::try_from(dim).ok().and_then(|dim| seen.get_mut(dim));
                slot.is_some_and(|slot| !std::mem::replace(slot, true))
            });
        if !complete {
            return Err(self.error(
                op,
                codes::ATTRIBUTE_FORM,
                format!(
                    "attribute `permutation` of `vector.transpose` is {}; it names each dimension from 0 to {} once",
                    shape_text(permutation),
                    from.len().saturating_sub(1)
                ),
                "not a permutation of the dimensions",
            ));
        }
        let wanted: Vec<i64> = permutation
            .iter()
            .filter_map(|&dim| usize::try_from(dim).ok().and_then(|dim| from.get(dim)).copied())
            .collect();
        if wanted == to {
            return Ok(());
        }
        Err(self.bad_shape(
            op,
            format!("the transposed array has shape {}, not {}", shape_text(&wanted), shape_text(to)),
            "the result has another shape",
        ))
    }
}
