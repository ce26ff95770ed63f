//! What a table row says about an op, and the macro that rows are written in.
//!
//! Parser, printer, structural verifier and the reference page *interpret* these records, so they do not grow with
//! the number of ops; simulator and lowering match on the dialect enums without a `_` arm, so the compiler lists what
//! a new op still lacks.

use crate::entity::Value;
use crate::types::Space;

/// How many operands, results or blocks a group has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OperandArity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Many,
}

/// What an op does to the memory or barrier behind an operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads the array.
    Read,
    /// Writes the array.
    Write,
    /// Makes arrivals on, or announces bytes to, a barrier.
    Arrive,
    /// Waits for, or looks at, a barrier's phase.
    Wait,
    /// Starts a barrier's life.
    Init,
    /// Ends it.
    Inval,
}

/// Which types an operand or result may have.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Any type.
    Any,
    /// `index`.
    Index,
    /// `i1`.
    I1,
    /// A signless integer or `index`, or an array of them.
    IntLike,
    /// A float, or an array of floats.
    FloatLike,
    /// `i1`, or an array of `i1`.
    BoolLike,
    /// A number or an array of numbers.
    Number,
    /// An array value.
    Array,
    /// `index` or a signless integer scalar.
    IntScalar,
    /// An array ref to any space.
    Ref,
    /// An array ref to this space.
    RefIn(Space),
    /// A barrier ref, plain or cluster.
    Barrier,
    /// An array ref or a barrier ref.
    AnyRef,
    /// What `tg.alloc` can make: an array ref or an accumulator.
    Allocation,
}

impl Constraint {
    /// The constraint in words, for messages and the reference page.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Any => "any type",
            Self::Index => "`index`",
            Self::I1 => "`i1`",
            Self::IntLike => "a signless integer or `index`, or an array of them",
            Self::FloatLike => "a floating-point number or an array of them",
            Self::BoolLike => "`i1` or an array of `i1`",
            Self::Number => "a number or an array of numbers",
            Self::Array => "an array (`vector<...>`)",
            Self::IntScalar => "a signless integer or `index`",
            Self::Ref => "an array ref (`!tg.ref<...>`)",
            Self::RefIn(Space::Gmem) => "an array ref to global memory (`!tg.ref<..., gmem>`)",
            Self::RefIn(Space::Smem) => "an array ref to shared memory (`!tg.ref<..., smem>`)",
            Self::RefIn(Space::Tmem) => "an array ref to tensor memory (`!tg.ref<..., tmem>`)",
            Self::Barrier => "a barrier ref (`!tg.barrier_ref<...>`)",
            Self::AnyRef => "an array ref or a barrier ref",
            Self::Allocation => "an array ref or an accumulator",
        }
    }
    /// Whether values of the type are arrays or numbers, so that a barrier there is a barrier taken for an array.
    pub fn wants_array(self) -> bool {
        match self {
            Self::IntLike
            | Self::FloatLike
            | Self::BoolLike
            | Self::Number
            | Self::Array
            | Self::Index
            | Self::I1
            | Self::IntScalar
            | Self::Ref
            | Self::RefIn(_)
            | Self::Allocation => true,
            Self::Any | Self::Barrier | Self::AnyRef => false,
        }
    }
}

/// An operand group.
#[derive(Copy, Clone, Debug)]
pub struct OperandDef {
    /// Its name in the row and in messages.
    pub name: &'static str,
    /// How many.
    pub arity: OperandArity,
    /// Their types.
    pub constraint: Constraint,
    /// What the op does through them.
    pub effects: &'static [Effect],
}

/// How a result's type follows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Infer {
    /// It does not: text and builder give it.
    Explicit,
    /// The type of operand group `0`-based.
    SameAs(usize),
    /// `index`.
    IsIndex,
    /// `i1`.
    IsI1,
    /// `i1` in the shape of an operand.
    BoolOf(usize),
    /// The element type of an operand.
    ElemOf(usize),
}

/// A result group.
#[derive(Copy, Clone, Debug)]
pub struct ResultDef {
    /// Its name in the row and in messages.
    pub name: &'static str,
    /// How many.
    pub arity: OperandArity,
    /// Their types.
    pub constraint: Constraint,
    /// How the type follows.
    pub infer: Infer,
}

/// The form of an attribute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AttrForm {
    /// Present or absent.
    Unit,
    /// An `i64`.
    I64,
    /// A string.
    Str,
    /// A symbol's name: a string in the generic form, `@name` in the short one.
    Symbol,
    /// `array<i64: ...>`.
    I64s,
    /// `array<i32: ...>`.
    I32s,
    /// An array of strings.
    Strs,
    /// A number or an array of equal numbers, with its type.
    Literal,
    /// A keyword; an `i64` counted from 0 in the generic form, a word in the short one.
    I64Enum(&'static [&'static str]),
    /// The same with an `i32` in the generic form.
    I32Enum(&'static [&'static str]),
    /// A keyword of a dialect's enumeration: `#arith.fastmath<fast>` in the generic form, `fast` in the short one.
    Keyword {
        /// `arith.fastmath`.
        mnemonic: &'static str,
        /// The words; some enumerations combine several, separated by commas.
        words: &'static [&'static str],
        /// Whether they do.
        many: bool,
    },
    /// A type.
    Type,
    /// Anything.
    AnyAttr,
}

impl AttrForm {
    /// The form in words, for messages and the reference page.
    pub fn describe(self) -> String {
        let list =
            |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Unit => "no value (present or absent)".into(),
            Self::I64 => "a 64-bit integer".into(),
            Self::Str => "a string".into(),
            Self::Symbol => "a symbol name".into(),
            Self::I64s => "a list of 64-bit integers (`array<i64: ...>`)".into(),
            Self::I32s => "a list of 32-bit integers (`array<i32: ...>`)".into(),
            Self::Strs => "a list of strings".into(),
            Self::Literal => "a number or an array of equal numbers".into(),
            Self::I64Enum(words) | Self::I32Enum(words) => format!("one of {}", list(words)),
            Self::Keyword { words, many: false, .. } => format!("one of {}", list(words)),
            Self::Keyword { words, many: true, .. } => format!("one or more of {}", list(words)),
            Self::Type => "a type".into(),
            Self::AnyAttr => "an attribute".into(),
        }
    }
}

/// An inherent attribute.
#[derive(Copy, Clone, Debug)]
pub struct AttrDef {
    /// Its name.
    pub name: &'static str,
    /// Whether the op needs it.
    pub required: bool,
    /// Its form.
    pub form: AttrForm,
    /// The text of the value that its absence means; such a value is dropped when read.
    pub default: Option<&'static str>,
}

/// A region.
#[derive(Copy, Clone, Debug)]
pub struct RegionDef {
    /// Its name in the row and in messages.
    pub name: &'static str,
    /// How many blocks.
    pub arity: OperandArity,
}

/// A set of traits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Traits(u32);

#[expect(missing_docs, reason = "documented by `Traits::LIST`")]
impl Traits {
    pub const NONE: Self = Self(0);
    pub const PURE: Self = Self(1);
    pub const TERMINATOR: Self = Self(1 << 1);
    pub const COMMUTATIVE: Self = Self(1 << 2);
    pub const SAME_TYPE: Self = Self(1 << 3);
    pub const SAME_SHAPE: Self = Self(1 << 4);
    pub const ISOLATED: Self = Self(1 << 5);
    pub const SYMBOL: Self = Self(1 << 6);
    pub const CONVERGENT: Self = Self(1 << 7);
    pub const THREAD_LEVEL: Self = Self(1 << 8);
    pub const SAME_OPERANDS: Self = Self(1 << 9);

    /// All traits with their names and meanings.
    pub const LIST: &[(Self, &str, &str)] = &[
        (Self::PURE, "pure", "no effects: equal ops may be merged, unused ones removed, all hoisted"),
        (Self::TERMINATOR, "terminator", "ends its block"),
        (Self::COMMUTATIVE, "commutative", "the first two operands may be swapped"),
        (Self::SAME_TYPE, "same_type", "all operands and results have one type"),
        (Self::SAME_SHAPE, "same_shape", "all operands and results have one shape"),
        (Self::ISOLATED, "isolated", "its regions use no value from outside"),
        (Self::SYMBOL, "symbol", "its `sym_name` is unique among its siblings"),
        (
            Self::CONVERGENT,
            "convergent",
            "all lanes of the thread execute it together: never duplicated or moved into a branch",
        ),
        (Self::THREAD_LEVEL, "thread_level", "executed by a thread as a whole"),
        (Self::SAME_OPERANDS, "same_operands", "all operands have one type"),
    ];

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// Whether all of `other` are in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// How an op is written in the short form.
#[derive(Copy, Clone, Debug)]
pub enum Format {
    /// Interpreted text; see `text/format.rs` for its language.
    Text(&'static str),
    /// A parser and a printer of its own, found by opcode in `text/custom`.
    Custom,
    /// None: such ops are always written in the generic form.
    Generic,
}

/// One row of a dialect's table.
#[derive(Copy, Clone, Debug)]
pub struct OpDef {
    /// The dialect.
    pub dialect: &'static str,
    /// The name, `tg.barrier_wait`.
    pub name: &'static str,
    /// The documentation, Markdown.
    pub doc: &'static str,
    /// Operand groups in order.
    pub operands: &'static [OperandDef],
    /// Inherent attributes.
    pub attrs: &'static [AttrDef],
    /// Result groups in order.
    pub results: &'static [ResultDef],
    /// Regions in order.
    pub regions: &'static [RegionDef],
    /// Traits.
    pub traits: Traits,
    /// The short form.
    pub format: Format,
}

impl OpDef {
    /// The name without the dialect.
    pub fn mnemonic(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, mnemonic)| mnemonic)
    }
    /// The position of the operand group called `name`.
    pub fn operand_index(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|operand| operand.name == name)
    }
    /// The position of the result group called `name`.
    pub fn result_index(&self, name: &str) -> Option<usize> {
        self.results.iter().position(|result| result.name == name)
    }
    /// The inherent attribute called `name`.
    pub fn attr(&self, name: &str) -> Option<&'static AttrDef> {
        self.attrs.iter().find(|attr| attr.name == name)
    }
    /// Whether `name` is one of the row's attributes or the sizes of its operand groups.
    pub fn declares_attr(&self, name: &str) -> bool {
        self.attr(name).is_some() || (name == crate::module::SEGMENT_SIZES && self.has_segments())
    }
    /// Whether ops of this row carry `operandSegmentSizes`.
    pub fn has_segments(&self) -> bool {
        self.operands.iter().filter(|operand| operand.arity != OperandArity::One).count() > 1
    }
    /// Whether the row has the trait.
    pub fn has(&self, traits: Traits) -> bool {
        self.traits.has(traits)
    }
}

/// One entry of an index list such as `[%i, 0]`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum IndexRef {
    /// A number written in the text.
    Const(i64),
    /// An `index` value.
    Value(Value),
}

impl From<Value> for IndexRef {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl From<i64> for IndexRef {
    fn from(index: i64) -> Self {
        Self::Const(index)
    }
}

/// Writes one dialect's table: rows in, an enum of its ops, a static [`OpDef`] each, and a builder method each out.
///
/// A row is
///
/// ```text
/// /// Documentation.
/// Variant "mnemonic" fn builder_method {
///     operands { one a: Constraint [Effect, ...]; opt b: ...; many c: ...; }
///     attrs { req n: Form; opt m: Form; opt d: Form = "default"; }
///     results { one r: Constraint; }              // types given by text and builder
///     infers { one r: Constraint = Infer; }       // types that follow; in place of `results`
///     regions { one body; }
///     traits { PURE, TERMINATOR }
///     format "..." | custom | generic
/// }
/// ```
///
/// in this order, each part left out when empty.
macro_rules! dialect_ops {
    (@arity one) => { $crate::ops::OperandArity::One };
    (@arity opt) => { $crate::ops::OperandArity::Optional };
    (@arity many) => { $crate::ops::OperandArity::Many };
    (@required req) => { true };
    (@required opt) => { false };
    (@default) => { None };
    (@default $text:literal) => { Some($text) };
    (@format custom) => { $crate::ops::Format::Custom };
    (@format generic) => { $crate::ops::Format::Generic };
    (@format $text:literal) => { $crate::ops::Format::Text($text) };
    (@value one) => { $crate::Value };
    (@value opt) => { Option<$crate::Value> };
    (@value many) => { &[$crate::Value] };
    (@type one) => { $crate::Type };
    (@type opt) => { Option<$crate::Type> };
    (@type many) => { &[$crate::Type] };
    (@attr req) => { $crate::Attr };
    (@attr opt) => { Option<$crate::Attr> };
    (
        dialect $dialect:literal enum $Enum:ident table $TABLE:ident;
        $(
            $(#[doc = $doc:literal])+
            $Variant:ident $mnemonic:literal fn $method:ident {
                $(operands { $($oarity:ident $oname:ident : $oconstraint:expr, [$($effect:ident),*];)* })?
                $(attrs { $($areq:ident $aname:ident : $aform:expr $(, default $adefault:literal)?;)* })?
                $(results { $($rarity:ident $rname:ident : $rconstraint:expr;)* })?
                $(infers { $($iarity:ident $iname:ident : $iconstraint:expr, $infer:expr;)* })?
                $(regions { $($garity:ident $gname:ident;)* })?
                $(traits { $($trait:ident),* })?
                format $format:tt;
            }
        )*
    ) => {
        #[doc = concat!("The ops of dialect `", $dialect, "`.")]
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $Enum { $($(#[doc = $doc])+ $Variant,)* }

        impl $Enum {
            /// All ops of the dialect, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Variant,)*];
            /// The op's row.
            #[inline]
            pub fn def(self) -> &'static $crate::ops::OpDef {
                &$TABLE[self as usize]
            }
        }

        impl From<$Enum> for $crate::ops::Opcode {
            fn from(op: $Enum) -> Self {
                Self::from_dialect_op(op)
            }
        }

        #[allow(unused_imports, reason = "not every dialect uses all of them")]
        static $TABLE: &[$crate::ops::OpDef] = {
            use $crate::ops::{AttrForm::*, Constraint::*, Infer::*};
            &[$(
                $crate::ops::OpDef {
                    dialect: $dialect,
                    name: concat!($dialect, ".", $mnemonic),
                    doc: concat!($($doc, "\n",)+),
                    operands: &[$($($crate::ops::OperandDef {
                        name: stringify!($oname),
                        arity: dialect_ops!(@arity $oarity),
                        constraint: $oconstraint,
                        effects: &[$($crate::ops::Effect::$effect,)*],
                    },)*)?],
                    attrs: &[$($($crate::ops::AttrDef {
                        name: stringify!($aname),
                        required: dialect_ops!(@required $areq),
                        form: $aform,
                        default: dialect_ops!(@default $($adefault)?),
                    },)*)?],
                    results: &[
                        $($($crate::ops::ResultDef {
                            name: stringify!($rname),
                            arity: dialect_ops!(@arity $rarity),
                            constraint: $rconstraint,
                            infer: Explicit,
                        },)*)?
                        $($($crate::ops::ResultDef {
                            name: stringify!($iname),
                            arity: dialect_ops!(@arity $iarity),
                            constraint: $iconstraint,
                            infer: $infer,
                        },)*)?
                    ],
                    regions: &[$($($crate::ops::RegionDef {
                        name: stringify!($gname),
                        arity: dialect_ops!(@arity $garity),
                    },)*)?],
                    traits: $crate::ops::Traits::NONE$($(.and($crate::ops::Traits::$trait))*)?,
                    format: dialect_ops!(@format $format),
                },
            )*]
        };

        #[doc = concat!("Builder methods for dialect `", $dialect, "`: operands, attributes and, where they do not follow, result types, in the order of the table.")]
        impl $crate::builder::OpBuilder<'_> {
            $(
                $(#[doc = $doc])+
                #[track_caller]
                #[allow(clippy::too_many_arguments, non_snake_case, reason = "one parameter for each part of the row, named as MLIR does")]
                pub fn $method(
                    &mut self,
                    $($($oname: dialect_ops!(@value $oarity),)*)?
                    $($($aname: dialect_ops!(@attr $areq),)*)?
                    $($($rname: dialect_ops!(@type $rarity),)*)?
                ) -> $crate::Op {
                    let parts = $crate::builder::Parts::new()
                        $($(.operands(&$oname))*)?
                        $($(.attr(stringify!($aname), $aname))*)?
                        $($(.results(&$rname))*)?;
                    self.build($crate::ops::Opcode::from($Enum::$Variant), parts)
                }
            )*
        }
    };
}

pub(crate) use dialect_ops;
