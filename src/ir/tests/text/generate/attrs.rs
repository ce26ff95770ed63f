//! Attributes at random.

use tidegate_ir::attr::AttrKind;
use tidegate_ir::ops::AttrForm;
use tidegate_ir::types::{FloatKind, Signedness, TypeKind};
use tidegate_ir::{Attr, Type};

use super::Generator;

impl Generator<'_> {
    pub(super) fn discardable(&mut self) -> Attr {
        if self.choices.once_in(4) { self.dict(0) } else { self.module.attrs.empty_dict() }
    }
    pub(super) fn dict(&mut self, depth: usize) -> Attr {
        let entries = (0..self.choices.below(4))
            .map(|_| {
                let name =
                    self.choices.of(&["a", "b.c", "a b", "true", "value$", "é", "\"\\", "loc", "dense"]);
                (self.module.names.intern(name), self.any_attr(depth + 1))
            })
            .collect();
        self.module.attrs.dict(&self.module.names, entries)
    }

    pub(super) fn any_attr(&mut self, depth: usize) -> Attr {
        let kind = match self.choices.below(if depth > 3 { 10 } else { 12 }) {
            0 => AttrKind::Unit,
            1 => AttrKind::Bool(self.choices.once_in(2)),
            2 => {
                let ty = self.any_int_type();
                return self.int_attr(ty);
            }
            3 => {
                let ty = self.float();
                return self.float_attr(ty);
            }
            4 => AttrKind::Str(self.text().into()),
            5 => AttrKind::Type(self.any_type()),
            6 => {
                let path = (0..1 + self.choices.below(3))
                    .map(|_| self.choices.of(&["k", "a b", "é\n", "x.y", "3"]).into())
                    .collect();
                AttrKind::Symbol(path)
            }
            7 => {
                let width = self.choices.of(&[64, 32, 1, 8, 16]);
                let elem = self.module.types.int(width);
                let values = (0..self.choices.below(4)).map(|_| self.int_of_width(width)).collect();
                AttrKind::Ints { elem, values }
            }
            8 => {
                let elem = self.scalar();
                let value = self.number(elem);
                AttrKind::Splat { value, ty: self.vector_of(Some(elem)) }
            }
            9 => {
                let text = self.choices.of(&[
                    "#zz.foo<bar>",
                    "affine_map<(d0, d1) -> (d0 + 1, d1 floordiv 8)>",
                    "#zz.p<\"a>b\", [1, 2]>",
                    "dense<[1, 2]> : vector<2xi32>",
                    "array<f32: 1.000000e+00>",
                    "dense<[[1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>",
                ]);
                AttrKind::Opaque(text.into())
            }
            10 => AttrKind::Array((0..self.choices.below(4)).map(|_| self.any_attr(depth + 1)).collect()),
            _ => return self.dict(depth),
        };
        self.module.attrs.intern(kind)
    }

    fn any_int_type(&mut self) -> Type {
        let width = self.choices.of(&[64, 32, 1, 8, 5, 128, 100]);
        let signedness = self.choices.of(&[Signedness::Signless, Signedness::Signed, Signedness::Unsigned]);
        if self.choices.once_in(6) {
            return self.module.types.index();
        }
        self.intern(TypeKind::Integer { width, signedness })
    }
    fn int_of_width(&mut self, width: u32) -> i64 {
        let value = self.choices.u64().cast_signed();
        match (self.choices.below(4), width) {
            (0, _) => 0,
            (_, 1) => value & 1,
            (1, 64) => i64::MIN,
            (2, 64) => i64::MAX,
            _ => value >> (64 - width),
        }
    }
    /// A number of a number type.
    pub(super) fn number(&mut self, ty: Type) -> Attr {
        match self.module.types.kind(ty) {
            TypeKind::Float(_) => self.float_attr(ty),
            _ => self.int_attr(ty),
        }
    }
    fn int_attr(&mut self, ty: Type) -> Attr {
        let width = self.module.types.bit_width(ty).unwrap();
        if ty == self.module.types.i1() {
            return self.module.attrs.intern(AttrKind::Bool(self.choices.once_in(2)));
        }
        let signless =
            !matches!(self.module.types.kind(ty), TypeKind::Integer { signedness: Signedness::Unsigned, .. });
        let bits = self.choices.u128();
        let value = match (self.choices.below(4), signless) {
            (0, _) => 0,
            (1, true) => -1i128 << (width - 1),
            (2, true) => !(-1i128 << (width - 1)),
            (_, true) => bits.cast_signed() >> (128 - width),
            // An `i128` holds all but the upper half of `ui128`.
            (_, false) => (bits >> (128 - width.min(127))).cast_signed(),
        };
        self.module.attrs.int(value, ty)
    }
    fn float_attr(&mut self, ty: Type) -> Attr {
        let TypeKind::Float(kind) = *self.module.types.kind(ty) else { panic!("no float type") };
        let wide = matches!(kind, FloatKind::F64);
        let infinite = kind.has_infinity();
        let value = match self.choices.below(8) {
            0 => 1.0,
            1 => 2.0,
            2 if infinite => f64::INFINITY,
            3 if infinite => f64::NEG_INFINITY,
            4 if kind.has_nan() => f64::NAN,
            5 if kind != FloatKind::F8E8M0FNU => -0.0,
            6 if wide => self.choices.of(&[0.1 + 0.2, 5e-324, f64::MAX, 1e7, 123_456_789.0, 1.000_000_1]),
            // Not a number of the type, which is rounded when it is lowered and by `mlir-opt`.
            6 if !self.options.for_mlir => self.choices.of(&[0.1, 1e300, -3.75]),
            7 if wide => {
                Some(f64::from_bits(self.choices.u64())).filter(|value| value.is_finite()).unwrap_or(3.0)
            }
            _ => 4.0,
        };
        self.module.attrs.float(value, ty)
    }
    fn text(&mut self) -> String {
        let chars =
            ['a', '"', '\\', '\n', '\t', '\0', '\u{7f}', 'é', '→', '𝄞', ' ', '/', '/', '{', '>', '2', 'n'];
        (0..self.choices.below(6)).map(|_| self.choices.of(&chars)).collect()
    }

    /// An attribute of that form.
    pub(super) fn of_form(&mut self, form: AttrForm, literal: Option<Type>) -> Attr {
        let kind = match form {
            AttrForm::Unit => AttrKind::Unit,
            AttrForm::I64 => {
                let value = self.int_of_width(64);
                return self.module.i64_attr(value);
            }
            AttrForm::Str | AttrForm::Symbol => AttrKind::Str(self.text().into()),
            AttrForm::I64s => {
                let values: Vec<i64> = (0..self.choices.below(4)).map(|_| self.int_of_width(64)).collect();
                return self.module.i64s_attr(&values);
            }
            AttrForm::I32s => {
                let values: Vec<i64> = (0..self.choices.below(4)).map(|_| self.int_of_width(32)).collect();
                return self.module.i32s_attr(&values);
            }
            AttrForm::Strs => {
                let texts: Vec<String> = (0..self.choices.below(4)).map(|_| self.text()).collect();
                return self.module.strs_attr(texts.iter().map(String::as_str));
            }
            AttrForm::Literal => {
                let ty = literal.unwrap();
                let elem = self.module.types.elem_of(ty);
                let value = self.number(elem);
                if ty == elem {
                    return value;
                }
                AttrKind::Splat { value, ty }
            }
            AttrForm::I64Enum(words) | AttrForm::I32Enum(words) => {
                let width = if matches!(form, AttrForm::I64Enum(_)) { 64 } else { 32 };
                let value = i128::try_from(self.choices.below(words.len())).unwrap();
                AttrKind::Int { value, ty: self.module.types.int(width) }
            }
            AttrForm::Keyword { mnemonic, words, many } => {
                // `none` is alone, and so is `fast`, which means all of the others.
                let alone = |word: &&str| matches!(*word, "none" | "fast");
                let first = self.choices.below(words.len());
                let mut chosen = vec![words[first]];
                if many && !alone(&words[first]) {
                    chosen.extend(
                        words[first + 1..].iter().filter(|word| !alone(word) && self.choices.once_in(4)),
                    );
                }
                // All flags together are spelt `fast`.
                chosen.truncate(words.len().saturating_sub(3).max(1));
                AttrKind::Opaque(format!("#{mnemonic}<{}>", chosen.join(", ")).into())
            }
            AttrForm::Type => AttrKind::Type(self.any_type()),
            AttrForm::AnyAttr => return self.any_attr(0),
        };
        self.module.attrs.intern(kind)
    }
}
