//! The text of types.

use std::fmt::Write;

use super::{BarrierRefType, ClusterAxes, DYNAMIC, RefType, TypeKind, TypeTable};
use crate::entity::Type;
use crate::text::quote;

impl TypeTable {
    /// The text of `ty`.
    pub fn display(&self, ty: Type) -> String {
        let mut out = String::new();
        self.write(&mut out, ty);
        out
    }

    /// Appends the text of `ty`.
    pub fn write(&self, out: &mut String, ty: Type) {
        match self.kind(ty) {
            TypeKind::Integer { width, signedness } => {
                let _ = write!(out, "{signedness}{width}");
            }
            TypeKind::Index => out.push_str("index"),
            TypeKind::None => out.push_str("none"),
            TypeKind::Float(kind) => out.push_str(kind.name()),
            TypeKind::Vector { shape, elem } => {
                out.push_str("vector<");
                write_shape(out, shape);
                self.write(out, *elem);
                out.push('>');
            }
            TypeKind::Function { inputs, results } => {
                self.write_list(out, inputs);
                out.push_str(" -> ");
                self.write_results(out, results);
            }
            TypeKind::Ref(reference) => self.write_ref(out, reference),
            TypeKind::BarrierRef(barrier) => write_barrier(out, barrier),
            TypeKind::Acc { shape, elem } => {
                out.push_str("!tg.acc<");
                write_shape(out, shape);
                self.write(out, *elem);
                out.push('>');
            }
            TypeKind::SemaphoreRef { shape } => {
                out.push_str("!tg.semaphore_ref");
                if !shape.is_empty() {
                    out.push('<');
                    write_group(out, shape);
                    out.push('>');
                }
            }
            TypeKind::Opaque(text) => out.push_str(text),
        }
    }

    /// Appends `(a, b)`.
    pub fn write_list(&self, out: &mut String, types: &[Type]) {
        out.push('(');
        self.write_bare_list(out, types);
        out.push(')');
    }

    /// Appends `a, b`.
    pub fn write_bare_list(&self, out: &mut String, types: &[Type]) {
        for (index, &ty) in types.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write(out, ty);
        }
    }

    /// Appends the result part of a function type: one type bare (unless it is a function type), else a list.
    pub fn write_results(&self, out: &mut String, types: &[Type]) {
        match types {
            [one] if !matches!(self.kind(*one), TypeKind::Function { .. }) => self.write(out, *one),
            _ => self.write_list(out, types),
        }
    }

    fn write_ref(&self, out: &mut String, reference: &RefType) {
        out.push_str("!tg.ref<");
        write_shape(out, &reference.shape);
        self.write(out, reference.elem);
        let _ = write!(out, ", {}", reference.space);
        if let Some(strides) = &reference.strides {
            out.push_str(", strides = ");
            write_ints(out, strides);
        }
        if let Some(tile) = &reference.tile {
            out.push_str(", tile = ");
            write_ints(out, tile);
        }
        if let Some(swizzle) = reference.swizzle {
            let _ = write!(out, ", swizzle = {swizzle}");
        }
        for (set, word) in [(reference.packed, ", packed"), (reference.collective, ", collective")] {
            if set {
                out.push_str(word);
            }
        }
        if let Some(layout) = &reference.layout {
            out.push_str(", layout = ");
            quote(out, layout);
        }
        out.push('>');
    }
}

fn write_barrier(out: &mut String, barrier: &BarrierRefType) {
    out.push_str("!tg.barrier_ref<");
    write_group(out, &barrier.shape);
    if !barrier.shape.is_empty() {
        out.push_str(", ");
    }
    let _ = write!(out, "arrivals = {}", barrier.arrivals);
    if barrier.orders_tensor_core {
        out.push_str(", orders_tensor_core");
    }
    if let Some(cluster) = &barrier.cluster {
        out.push_str(", cluster = [");
        for (index, axes) in cluster.axes.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            match axes {
                ClusterAxes::One(name) => quote(out, name),
                ClusterAxes::Joint(names) => {
                    out.push('[');
                    for (index, name) in names.iter().enumerate() {
                        if index > 0 {
                            out.push_str(", ");
                        }
                        quote(out, name);
                    }
                    out.push(']');
                }
            }
        }
        out.push(']');
        if cluster.leader_tracked {
            out.push_str(", leader_tracked");
        }
    }
    out.push('>');
}

/// `2x4x`.
fn write_shape(out: &mut String, shape: &[i64]) {
    for &dim in shape {
        if dim == DYNAMIC {
            out.push('?');
        } else {
            let _ = write!(out, "{dim}");
        }
        out.push('x');
    }
}

/// `2x4`.
fn write_group(out: &mut String, shape: &[i64]) {
    write_shape(out, shape);
    if !shape.is_empty() {
        out.pop();
    }
}

/// `[8, ?]`.
fn write_ints(out: &mut String, values: &[i64]) {
    out.push('[');
    for (index, &value) in values.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if value == DYNAMIC {
            out.push('?');
        } else {
            let _ = write!(out, "{value}");
        }
    }
    out.push(']');
}
