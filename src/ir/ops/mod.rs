//! Ops: the opcode, and one table for each dialect.

mod arith;
mod builtin;
mod def;
mod math;
mod scf;
mod tg;
mod vector;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

pub use arith::{ArithOp, CMPF_PREDICATES, CMPI_PREDICATES};
pub use builtin::BuiltinOp;
pub(crate) use def::dialect_ops;
pub use def::{
    AttrDef, AttrForm, Constraint, Effect, Format, IndexRef, Infer, OpDef, OperandArity, OperandDef,
    RegionDef, ResultDef, Traits,
};
pub use math::MathOp;
pub use scf::ScfOp;
pub use tg::TgOp;
pub use vector::{REDUCTIONS, VectorOp};

use crate::entity::Name;
use crate::intern::Names;

macro_rules! opcodes {
    ($($Dialect:ident($Enum:ident) = $name:literal;)*) => {
        /// Which op it is.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(
                #[doc = concat!("An op of dialect `", $name, "`.")]
                $Dialect($Enum),
            )*
            /// An op that no table has, by its whole name. It is kept and printed back as it was read, and is refused
            /// by the lowering.
            Opaque(Name),
        }

        impl Opcode {
            /// The op's row; none for opaque ops.
            #[inline]
            pub fn def(self) -> Option<&'static OpDef> {
                match self {
                    $(Self::$Dialect(op) => Some(op.def()),)*
                    Self::Opaque(_) => None,
                }
            }
            /// All ops that have a row, dialect by dialect.
            pub fn all() -> impl Iterator<Item = Self> {
                std::iter::empty()$(.chain($Enum::ALL.iter().map(|&op| Self::$Dialect(op))))*
            }
            pub(crate) fn from_dialect_op(op: impl DialectOp) -> Self {
                op.opcode()
            }
        }

        /// The dialects that have a table.
        pub const DIALECTS: &[&str] = &[$($name,)*];

        $(impl DialectOp for $Enum {
            fn opcode(self) -> Opcode {
                Opcode::$Dialect(self)
            }
        })*
    };
}

/// An op of one dialect's enum.
pub(crate) trait DialectOp: Copy {
    fn opcode(self) -> Opcode;
}

opcodes! {
    Builtin(BuiltinOp) = "builtin";
    Arith(ArithOp) = "arith";
    Math(MathOp) = "math";
    Scf(ScfOp) = "scf";
    Vector(VectorOp) = "vector";
    Tg(TgOp) = "tg";
}

impl Opcode {
    /// The opcode called `name`, when a table has it.
    pub fn find(name: &str) -> Option<Self> {
        static INDEX: LazyLock<FxHashMap<&'static str, Opcode>> = LazyLock::new(|| {
            Opcode::all().filter_map(|opcode| opcode.def().map(|def| (def.name, opcode))).collect()
        });
        INDEX.get(name).copied()
    }
    /// The whole name.
    pub fn name(self, names: &Names) -> &str {
        match self {
            Self::Opaque(name) => names.get(name),
            _ => self.def().map_or("", |def| def.name),
        }
    }
    /// Whether the op has all of these traits; opaque ops have none.
    #[inline]
    pub fn has(self, traits: Traits) -> bool {
        self.def().is_some_and(|def| def.has(traits))
    }
    /// Whether the op ends its block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        self.has(Traits::TERMINATOR)
    }
    /// Whether the op has no effects.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.has(Traits::PURE)
    }
    /// The op that ends a block of this op's regions where the text shows none.
    pub fn implicit_terminator(self) -> Option<Opcode> {
        match self {
            Self::Scf(ScfOp::For | ScfOp::If) => Some(Self::Scf(ScfOp::Yield)),
            Self::Tg(TgOp::Kernel | TgOp::Role) => Some(Self::Tg(TgOp::Return)),
            _ => None,
        }
    }
}
