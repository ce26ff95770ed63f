//! Attributes: compile-time data on ops. Interned like types; a dictionary's entries are sorted by name, so equal
//! dictionaries have equal ids.

use std::fmt::Write;

use crate::entity::{Attr, Name, Type};
use crate::intern::{Interner, Names};
use crate::text::{is_bare_identifier, quote};
use crate::types::{FloatKind, TypeKind, TypeTable};

/// What an [`Attr`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrKind {
    /// Present or absent: `relaxed`.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// `5 : i32`; `5` alone is an `i64`.
    Int {
        /// The number.
        value: i128,
        /// An integer type or `index`.
        ty: Type,
    },
    /// `1.5 : f32`; the value as the bits of an `f64`.
    Float {
        /// Bits of an `f64`.
        bits: u64,
        /// A float type.
        ty: Type,
    },
    /// `"text"`.
    Str(Box<str>),
    /// A type.
    Type(Type),
    /// `[a, b]`.
    Array(Box<[Attr]>),
    /// `{a = 1, b}`, sorted by name.
    Dict(Box<[(Name, Attr)]>),
    /// `@name::@nested`, without the signs.
    Symbol(Box<[Box<str>]>),
    /// `array<i64: 1, 2>`.
    Ints {
        /// An integer type.
        elem: Type,
        /// The numbers.
        values: Box<[i64]>,
    },
    /// `dense<1.0> : vector<4xf32>`: an array whose elements are all the same number.
    Splat {
        /// An `Int` or `Float` of the element type.
        value: Attr,
        /// The array's type.
        ty: Type,
    },
    /// Anything of a dialect that tidegate does not know, with its whole text: `#gpu<dim x>`, `affine_map<...>`.
    Opaque(Box<str>),
}

/// The interned attributes of a module.
#[derive(Clone, Debug)]
pub struct AttrTable {
    set: Interner<Attr, AttrKind>,
    unit: Attr,
    empty: Attr,
}

impl Default for AttrTable {
    fn default() -> Self {
        let mut set = Interner::new();
        let empty = set.intern(AttrKind::Dict(Box::default()));
        let unit = set.intern(AttrKind::Unit);
        Self { set, unit, empty }
    }
}

impl AttrTable {
    /// The attribute of that description. Entries of a dictionary must come sorted by name and without repetition:
    /// use [`AttrTable::dict`] for others.
    pub fn intern(&mut self, kind: AttrKind) -> Attr {
        self.set.intern(kind)
    }
    /// What `attr` is.
    #[inline]
    pub fn kind(&self, attr: Attr) -> &AttrKind {
        self.set.get(attr)
    }
    /// `unit`.
    pub fn unit(&self) -> Attr {
        self.unit
    }
    /// `{}`.
    pub fn empty_dict(&self) -> Attr {
        self.empty
    }
    /// A string attribute.
    pub fn str(&mut self, text: &str) -> Attr {
        self.intern(AttrKind::Str(text.into()))
    }
    /// An integer attribute of type `ty`.
    pub fn int(&mut self, value: i128, ty: Type) -> Attr {
        self.intern(AttrKind::Int { value, ty })
    }
    /// A float attribute of type `ty`.
    pub fn float(&mut self, value: f64, ty: Type) -> Attr {
        self.intern(AttrKind::Float { bits: value.to_bits(), ty })
    }
    /// A flat symbol reference.
    pub fn symbol(&mut self, name: &str) -> Attr {
        self.intern(AttrKind::Symbol([name.into()].into()))
    }
    /// A dictionary; of entries with the same name the last one counts.
    pub fn dict(&mut self, names: &Names, mut entries: Vec<(Name, Attr)>) -> Attr {
        self.dict_of(names, &mut entries)
    }
    pub(crate) fn dict_of(&mut self, names: &Names, entries: &mut [(Name, Attr)]) -> Attr {
        entries.sort_by(|a, b| names.get(a.0).cmp(names.get(b.0)));
        let last = |index: &usize| entries.get(index + 1).is_none_or(|next| next.0 != entries[*index].0);
        let unique: Box<[_]> = (0..entries.len()).filter(last).map(|index| entries[index]).collect();
        self.intern(AttrKind::Dict(unique))
    }
    /// The entries of a dictionary; none for other attributes.
    #[inline]
    pub fn entries(&self, dict: Attr) -> &[(Name, Attr)] {
        match self.kind(dict) {
            AttrKind::Dict(entries) => entries,
            _ => &[],
        }
    }
    /// The value of an `Int` that fits 64 bits.
    pub fn as_i64(&self, attr: Attr) -> Option<i64> {
        match self.kind(attr) {
            AttrKind::Int { value, .. } => i64::try_from(*value).ok(),
            _ => None,
        }
    }
    /// The text of a `Str`.
    pub fn as_str(&self, attr: Attr) -> Option<&str> {
        match self.kind(attr) {
            AttrKind::Str(text) => Some(text),
            _ => None,
        }
    }
    /// The numbers of an `Ints`.
    pub fn as_ints(&self, attr: Attr) -> Option<&[i64]> {
        match self.kind(attr) {
            AttrKind::Ints { values, .. } => Some(values),
            _ => None,
        }
    }
    /// The texts of an `Array` of `Str`; `None` when an entry is something else.
    pub fn as_strs(&self, attr: Attr) -> Option<Vec<&str>> {
        match self.kind(attr) {
            AttrKind::Array(items) => items.iter().map(|&item| self.as_str(item)).collect(),
            _ => None,
        }
    }

    /// The text of `attr`.
    pub fn display(&self, types: &TypeTable, names: &Names, attr: Attr) -> String {
        let mut out = String::new();
        self.write(&mut out, types, names, attr);
        out
    }

    /// Appends the text of `attr`, with types where MLIR has them.
    pub fn write(&self, out: &mut String, types: &TypeTable, names: &Names, attr: Attr) {
        match self.kind(attr) {
            AttrKind::Unit => out.push_str("unit"),
            AttrKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            AttrKind::Int { value, ty } if *ty == types.i1() => {
                out.push_str(if *value != 0 { "true" } else { "false" });
            }
            AttrKind::Int { value, ty } => {
                let _ = write!(out, "{value} : ");
                types.write(out, *ty);
            }
            AttrKind::Float { .. } => {
                self.write_number(out, types, attr);
                if let AttrKind::Float { ty, .. } = self.kind(attr) {
                    out.push_str(" : ");
                    types.write(out, *ty);
                }
            }
            AttrKind::Str(text) => quote(out, text),
            AttrKind::Type(ty) => types.write(out, *ty),
            AttrKind::Array(items) => {
                out.push('[');
                for (index, &item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    self.write(out, types, names, item);
                }
                out.push(']');
            }
            AttrKind::Dict(_) => {
                out.push('{');
                self.write_entries(out, types, names, attr);
                out.push('}');
            }
            AttrKind::Symbol(path) => {
                for (index, part) in path.iter().enumerate() {
                    if index > 0 {
                        out.push_str("::");
                    }
                    write_symbol(out, part);
                }
            }
            AttrKind::Ints { elem, values } => {
                out.push_str("array<");
                types.write(out, *elem);
                for (index, value) in values.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { ": " });
                    if types.bit_width(*elem) == Some(1) {
                        out.push_str(if *value != 0 { "true" } else { "false" });
                    } else {
                        let _ = write!(out, "{value}");
                    }
                }
                out.push('>');
            }
            AttrKind::Splat { value, ty } => {
                out.push_str("dense<");
                self.write_number(out, types, *value);
                out.push_str("> : ");
                types.write(out, *ty);
            }
            AttrKind::Opaque(text) => out.push_str(text),
        }
    }

    /// Appends `a = 1, b` without braces.
    pub fn write_entries(&self, out: &mut String, types: &TypeTable, names: &Names, dict: Attr) {
        for (index, &(name, value)) in self.entries(dict).iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            let name = names.get(name);
            if is_bare_identifier(name) {
                out.push_str(name)
            } else {
                quote(out, name)
            }
            if !matches!(self.kind(value), AttrKind::Unit) {
                out.push_str(" = ");
                self.write(out, types, names, value);
            }
        }
    }

    /// Appends a number without its type.
    pub fn write_number(&self, out: &mut String, types: &TypeTable, attr: Attr) {
        match self.kind(attr) {
            AttrKind::Int { value, ty } if types.bit_width(*ty) == Some(1) => {
                out.push_str(if *value != 0 { "true" } else { "false" });
            }
            AttrKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            AttrKind::Int { value, .. } => {
                let _ = write!(out, "{value}");
            }
            AttrKind::Float { bits, ty } => {
                let kind = match types.kind(*ty) {
                    TypeKind::Float(kind) => *kind,
                    _ => FloatKind::F64,
                };
                write_float(out, f64::from_bits(*bits), kind);
            }
            _ => out.push_str("unit"),
        }
    }
}

/// Appends `@name`, quoted when it is no bare identifier.
pub(crate) fn write_symbol(out: &mut String, name: &str) {
    out.push('@');
    if is_bare_identifier(name) { out.push_str(name) } else { quote(out, name) }
}

/// Appends a float in a form that reads back to the same `f64`: six decimals where they suffice, as MLIR writes
/// them, the shortest exact decimal otherwise, and the bits in hexadecimal for infinities and NaNs. A format that has
/// no infinities gets its NaN, or its largest number when it has no NaN either.
fn write_float(out: &mut String, value: f64, kind: FloatKind) {
    if !value.is_finite() && kind.has_nan() {
        let width = kind.value_bits().div_ceil(4) as usize;
        let _ = write!(out, "0x{:0width$X}", nonfinite_bits(value, kind));
        return;
    }
    // A format without infinities and NaNs stops at its largest number.
    let value = if value.is_finite() { value } else { kind.largest().copysign(value) };
    let short = format!("{value:.6e}");
    let text = if short.parse() == Ok(value) { short } else { format!("{value:e}") };
    // Rust writes 1e7 and 1.5e-7; MLIR's grammar wants a point, and its own printer a sign and two digits.
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    let _ = write!(out, "{mantissa}{point}e{sign}{digits:0>2}");
}

/// The bits of an infinity or NaN, in a format that has it.
fn nonfinite_bits(value: f64, kind: FloatKind) -> u64 {
    let (exponent, mantissa) = (kind.exponent_bits(), kind.mantissa_bits());
    let top = ((1u64 << exponent) - 1) << mantissa;
    let fraction = match (kind.has_infinity(), value.is_nan()) {
        (true, false) => 0,
        (true, true) => 1u64 << (mantissa - 1),
        // All ones is the only NaN, and stands for infinities as well.
        (false, _) => (1u64 << mantissa) - 1,
    };
    let signed = kind.value_bits() > exponent + mantissa;
    let sign = u64::from(signed && value.is_sign_negative()) << (exponent + mantissa);
    sign | top | fraction
}

/// The value that `bits` has in the format `kind`, as the `0x7F800000` form of float attributes means it.
pub fn float_from_bits(bits: u64, kind: FloatKind) -> f64 {
    if kind == FloatKind::F64 {
        return f64::from_bits(bits);
    }
    let (exponent_bits, mantissa_bits) = (kind.exponent_bits(), kind.mantissa_bits());
    let negative = bits >> (exponent_bits + mantissa_bits) & 1 != 0;
    let top = (1u64 << exponent_bits) - 1;
    let exponent = bits >> mantissa_bits & top;
    let mantissa = bits & ((1u64 << mantissa_bits) - 1);
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let fraction = mantissa as f64 / (1u64 << mantissa_bits) as f64;
    let all_ones = exponent == top && mantissa == (1u64 << mantissa_bits) - 1;
    let magnitude = if exponent == top && kind.has_infinity() {
        if mantissa == 0 { f64::INFINITY } else { f64::NAN }
    } else if all_ones && kind.has_nan() {
        f64::NAN
    } else if exponent == 0 && mantissa_bits > 0 {
        fraction * f64::powi(2.0, 1 - bias)
    } else {
        let power = i32::try_from(exponent).unwrap_or(0) - bias;
        (1.0 + fraction) * f64::powi(2.0, power)
    };
    if negative { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, kind: FloatKind) -> String {
        let mut out = String::new();
        write_float(&mut out, value, kind);
        out
    }

    #[test]
    fn floats_are_written_as_mlir_does_where_six_decimals_suffice() {
        assert_eq!(text(1.0, FloatKind::F32), "1.000000e+00");
        assert_eq!(text(1.5e-7, FloatKind::F32), "1.500000e-07");
        assert_eq!(text(-2.5e100, FloatKind::F64), "-2.500000e+100");
        assert_eq!(text(0.1 + 0.2, FloatKind::F64), "3.0000000000000004e-01");
    }

    #[test]
    fn nonfinite_floats_are_written_as_bits_and_read_back() {
        assert_eq!(text(f64::INFINITY, FloatKind::F32), "0x7F800000");
        assert_eq!(text(f64::NEG_INFINITY, FloatKind::F16), "0xFC00");
        assert_eq!(text(f64::NAN, FloatKind::BF16), "0x7FC0");
        assert_eq!(float_from_bits(0x7F80_0000, FloatKind::F32), f64::INFINITY);
        assert!(float_from_bits(0x7FC0, FloatKind::BF16).is_nan());
        assert_eq!(float_from_bits(0x3C00, FloatKind::F16), 1.0);
        assert_eq!(float_from_bits(0x0001, FloatKind::F16), f64::powi(2.0, -24));
        assert_eq!(float_from_bits(0xC020_0000, FloatKind::F32), -2.5);
    }

    #[test]
    fn formats_without_infinities_get_what_they_have() {
        assert_eq!(text(f64::INFINITY, FloatKind::F8E4M3FN), "0x7F");
        assert_eq!(text(-f64::NAN, FloatKind::F8E4M3FN), "0xFF");
        assert_eq!(text(f64::NAN, FloatKind::F8E8M0FNU), "0xFF");
        assert_eq!(text(f64::NEG_INFINITY, FloatKind::F4E2M1FN), "-6.000000e+00");
        assert_eq!(text(f64::NAN, FloatKind::F6E3M2FN), "2.800000e+01");
        assert_eq!(text(f64::INFINITY, FloatKind::TF32), "0x3FC00");
        assert!(float_from_bits(0x7F, FloatKind::F8E4M3FN).is_nan());
        assert!(float_from_bits(0xFF, FloatKind::F8E8M0FNU).is_nan());
        assert_eq!(float_from_bits(0x00, FloatKind::F8E8M0FNU), f64::powi(2.0, -127));
        assert_eq!(float_from_bits(0x3FC00, FloatKind::TF32), f64::INFINITY);
    }

    #[test]
    fn largest_numbers() {
        for (kind, largest) in [
            (FloatKind::F16, 65_504.0),
            (FloatKind::F32, f64::from(f32::MAX)),
            (FloatKind::F8E4M3FN, 448.0),
            (FloatKind::F8E5M2, 57_344.0),
            (FloatKind::F8E8M0FNU, f64::powi(2.0, 127)),
            (FloatKind::F6E2M3FN, 7.5),
            (FloatKind::F6E3M2FN, 28.0),
            (FloatKind::F4E2M1FN, 6.0),
            (FloatKind::F64, f64::MAX),
        ] {
            assert_eq!(kind.largest(), largest, "{kind}");
        }
    }
}
