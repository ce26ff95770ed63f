//! Attributes.

use super::ops::Entries;
use super::{MAX_NESTING, MAX_SIZE, Parsed, Parser, text_size};
use crate::attr::{AttrKind, float_from_bits};
use crate::diag::codes;
use crate::entity::{Attr, Type};
use crate::text::lexer::TokenKind;
use crate::types::{Signedness, TypeKind};

impl<'s> Parser<'s, '_> {
    pub(super) fn attr(&mut self) -> Parsed<Attr> {
        match self.token.kind {
            TokenKind::Str => {
                let text = self.string("a string")?;
                let attr = self.module.attrs.str(&text);
                Ok(self.note_size(attr, text_size(&text)))
            }
            TokenKind::Int | TokenKind::Float | TokenKind::Punct(b'-') => self.number(None),
            TokenKind::Symbol => {
                let mut path = vec![self.symbol("a symbol")?.into_boxed_str()];
                while self.token.kind == TokenKind::DoubleColon {
                    self.bump();
                    path.push(self.symbol("a nested symbol")?.into());
                }
                Ok(self.module.attrs.intern(AttrKind::Symbol(path.into())))
            }
            TokenKind::Hash => self.hash_attr(),
            TokenKind::Punct(b'[') => self.nested(|p| {
                p.bump();
                let mut items = Vec::new();
                p.list(b']', "an array attribute", |p| {
                    items.push(p.attr()?);
                    Ok(())
                })?;
                let attr = p.module.attrs.intern(AttrKind::Array(items.clone().into()));
                p.check_size(attr, items.into_iter())
            }),
            TokenKind::Punct(b'{') => self.nested(|p| p.dict()),
            TokenKind::Word => match self.current() {
                "true" | "false" => {
                    let value = self.current() == "true";
                    self.bump();
                    Ok(self.module.attrs.intern(AttrKind::Bool(value)))
                }
                "unit" => {
                    self.bump();
                    Ok(self.module.attrs.unit())
                }
                "array" => self.dense_array(),
                "dense" => self.dense(),
                "affine_map" | "affine_set" | "dense_resource" | "sparse" | "strided" | "distinct" => {
                    self.opaque_with_type()
                }
                "loc" => {
                    let start = self.token.lo as usize;
                    self.bump();
                    let end = if self.at(b'(') { self.lexer.balanced(self.token.lo as usize) } else { None };
                    let Some(end) = end else {
                        return Err(self.unexpected("`(...)` behind `loc`"));
                    };
                    self.reset(end);
                    let text = &self.lexer.text[start..end];
                    Ok(self.module.attrs.intern(AttrKind::Opaque(text.into())))
                }
                _ => self.type_attr(),
            },
            TokenKind::Bang | TokenKind::Punct(b'(') => self.type_attr(),
            _ => Err(self.unexpected("an attribute")),
        }
    }

    fn type_attr(&mut self) -> Parsed<Attr> {
        let ty = self.ty()?;
        let attr = self.module.attrs.intern(AttrKind::Type(ty));
        Ok(self.note_size(attr, self.type_size(ty)))
    }

    /// A number; its type is `wanted` when that is given, else what stands behind `:`, else `i64` or `f64`.
    pub(super) fn number(&mut self, wanted: Option<Type>) -> Parsed<Attr> {
        let lo = self.token.lo;
        let negative = self.at(b'-');
        let token = if negative { self.peek() } else { self.token };
        match token.kind {
            TokenKind::Float => {
                self.accept(b'-');
                self.bump();
                let text = self.text(token);
                let Ok(value) = text.parse::<f64>() else {
                    let span = self.span_from(lo);
                    return Err(self.error(
                        codes::MALFORMED_NUMBER,
                        span,
                        "malformed number",
                        "expected a float",
                    ));
                };
                let value = if negative { -value } else { value };
                let ty = match wanted {
                    Some(ty) => ty,
                    None if self.accept(b':') => self.ty()?,
                    None => self.module.types.float(crate::types::FloatKind::F64),
                };
                if !matches!(self.module.types.kind(ty), TypeKind::Float(_)) {
                    let whole =
                        matches!(self.module.types.kind(ty), TypeKind::Integer { .. } | TypeKind::Index);
                    let label = if whole { "write a whole number" } else { "expected a float type" };
                    let (span, ty) = (self.span_from(lo), self.module.types.display(ty));
                    let message = format!("a number with a point cannot have type `{ty}`");
                    return Err(self.error(codes::MALFORMED_ATTRIBUTE, span, message, label));
                }
                Ok(self.module.attrs.float(value, ty))
            }
            TokenKind::Int => {
                let value = self.integer("a number")?;
                let hex = self.text(token).starts_with("0x");
                let ty = match wanted {
                    Some(ty) => ty,
                    None if self.accept(b':') => self.ty()?,
                    None => self.module.types.int(64),
                };
                self.typed_integer(lo, value, ty, hex)
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    fn typed_integer(&mut self, lo: u32, signed: i128, ty: Type, hex: bool) -> Parsed<Attr> {
        match self.module.types.kind(ty) {
            TypeKind::Float(kind) if hex && signed >= 0 => {
                let kind = *kind;
                let bits = u64::try_from(signed)
                    .ok()
                    .filter(|&bits| kind.bits() == 64 || bits >> kind.value_bits() == 0);
                let Some(bits) = bits else {
                    let span = self.span_from(lo);
                    let message = format!("the bits do not fit `{kind}`");
                    let label = format!("at most {} hexadecimal digits", kind.value_bits().div_ceil(4));
                    return Err(self.error(codes::MALFORMED_NUMBER, span, message, label));
                };
                Ok(self.module.attrs.float(float_from_bits(bits, kind), ty))
            }
            TypeKind::Float(_) => {
                let span = self.span_from(lo);
                let message = "a float is written with a point";
                Err(self.error(codes::MALFORMED_ATTRIBUTE, span, message, format!("write `{signed}.0`")))
            }
            TypeKind::Integer { .. } | TypeKind::Index => {
                let width = self.module.types.bit_width(ty).unwrap_or(64);
                let signedness = match self.module.types.kind(ty) {
                    TypeKind::Integer { signedness, .. } => *signedness,
                    _ => Signedness::Signless,
                };
                if !fits(signed, width, signedness) {
                    let (span, ty) = (self.span_from(lo), self.module.types.display(ty));
                    let message = format!("{signed} does not fit `{ty}`");
                    let label = format!("`{ty}` holds {}", range(width, signedness));
                    return Err(self.error(codes::MALFORMED_NUMBER, span, message, label));
                }
                if ty == self.module.types.i1() {
                    return Ok(self.module.attrs.intern(AttrKind::Bool(signed != 0)));
                }
                // Two's complement: 255 : i8 is -1 : i8, as MLIR has it.
                let wraps =
                    signedness == Signedness::Signless && width < 127 && signed >= 1i128 << (width - 1);
                let value = if wraps { signed - (1i128 << width) } else { signed };
                Ok(self.module.attrs.int(value, ty))
            }
            TypeKind::Opaque(_) | TypeKind::None => {
                // A number of a type from elsewhere: the text is all there is to know.
                let text = format!("{signed} : {}", self.module.types.display(ty));
                Ok(self.module.attrs.intern(AttrKind::Opaque(text.into())))
            }
            _ => {
                let (span, ty) = (self.span_from(lo), self.module.types.display(ty));
                let message = format!("a number cannot have type `{ty}`");
                Err(self.error(
                    codes::MALFORMED_ATTRIBUTE,
                    span,
                    message,
                    "expected an integer or float type",
                ))
            }
        }
    }

    /// `{a = 1, "b c", d}`.
    pub(super) fn dict(&mut self) -> Parsed<Attr> {
        let mut entries = self.dict_entries(b'}')?;
        let values: Vec<Attr> = entries.iter().map(|entry| entry.1).collect();
        let attr = self.module.attrs.dict_of(&self.module.names, &mut entries);
        self.check_size(attr, values.into_iter())
    }

    /// Entries behind the opening bracket, which is the current token.
    pub(super) fn dict_entries(&mut self, close: u8) -> Parsed<Entries> {
        self.bump();
        let mut entries = Entries::new();
        self.list(close, "an attribute dictionary", |p| {
            let span = p.span();
            let name = match p.token.kind {
                TokenKind::Word => {
                    let token = p.bump();
                    p.module.names.intern(p.lexer.slice(token))
                }
                TokenKind::Str => {
                    let name = p.string("a name")?;
                    p.module.names.intern(&name)
                }
                _ => return Err(p.unexpected("the name of an attribute")),
            };
            if entries.iter().any(|entry| entry.0 == name) {
                let message = format!("attribute `{}` is given twice", p.module.names.get(name));
                return Err(p.error(codes::MALFORMED_ATTRIBUTE, span, message, "second value"));
            }
            let value = if p.accept(b'=') { p.attr()? } else { p.module.attrs.unit() };
            entries.push((name, value));
            Ok(())
        })?;
        Ok(entries)
    }

    /// `array<i64: 1, 2>`; arrays of floats stay opaque.
    fn dense_array(&mut self) -> Parsed<Attr> {
        let start = self.token.lo as usize;
        self.bump();
        self.expect(b'<', "behind `array`")?;
        let elem = self.ty()?;
        match self.module.types.kind(elem) {
            TypeKind::Integer { width, .. } if *width <= 64 => {}
            TypeKind::Float(_) => {
                self.reset(start);
                let raw = self.opaque_text()?;
                return Ok(self.module.attrs.intern(AttrKind::Opaque(raw.into())));
            }
            _ => {
                let span = self.span_from(u32::try_from(start).unwrap_or(0));
                let message = "the elements of `array<...>` are integers of up to 64 bits, or floats";
                return Err(self.error(codes::MALFORMED_ATTRIBUTE, span, message, "in this attribute"));
            }
        }
        let mut values = Vec::new();
        if self.accept(b':') {
            self.list(b'>', "an array of numbers", |p| {
                values.push(match p.token.kind {
                    TokenKind::Word if matches!(p.current(), "true" | "false") => {
                        let value = p.current() == "true";
                        p.bump();
                        i64::from(value)
                    }
                    _ => p.integer64("a number")?,
                });
                Ok(())
            })?;
        } else {
            self.expect(b'>', "at the end of an empty array")?;
        }
        Ok(self.module.attrs.intern(AttrKind::Ints { elem, values: values.into() }))
    }

    /// `dense<1.0> : vector<4xf32>`; other contents stay opaque.
    fn dense(&mut self) -> Parsed<Attr> {
        let start = self.token.lo as usize;
        let body = self.token.hi as usize;
        let raw = self.opaque_text()?;
        self.expect(b':', "and the type of the elements")?;
        let ty = self.ty()?;
        self.dense_type = Some(ty);
        let end = self.prev_hi as usize;
        let splat = match self.module.types.kind(ty) {
            TypeKind::Vector { elem, .. } => Some(*elem),
            _ => None,
        };
        if let Some(elem) = splat {
            self.reset(body + 1);
            let value = if self.at_word("true") || self.at_word("false") {
                if self.module.types.bit_width(elem) != Some(1) {
                    let (span, elem) = (self.span(), self.module.types.display(elem));
                    let message = format!("`{}` is no number of type `{elem}`", self.current());
                    return Err(self.error(codes::MALFORMED_ATTRIBUTE, span, message, "expected a number"));
                }
                let value = self.current() == "true";
                self.bump();
                Some(if elem == self.module.types.i1() {
                    self.module.attrs.intern(AttrKind::Bool(value))
                } else {
                    self.module.attrs.int(i128::from(value), elem)
                })
            } else if matches!(self.token.kind, TokenKind::Int | TokenKind::Float | TokenKind::Punct(b'-')) {
                Some(self.number(Some(elem))?)
            } else {
                None
            };
            let whole = value.filter(|_| self.at(b'>'));
            self.reset(end);
            if let Some(value) = whole {
                return Ok(self.module.attrs.intern(AttrKind::Splat { value, ty }));
            }
        }
        let text = format!("{raw} : {}", self.module.types.display(ty));
        debug_assert!(start < end);
        let text = self.expand_aliases(&text)?;
        Ok(self.opaque(text))
    }

    fn opaque_with_type(&mut self) -> Parsed<Attr> {
        let raw = self.opaque_text()?;
        let mut text = self.expand_aliases(raw)?;
        if self.accept(b':') {
            let ty = self.ty()?;
            text.push_str(" : ");
            self.module.types.write(&mut text, ty);
        }
        Ok(self.opaque(text))
    }

    /// `#alias`, `#dialect.attr<...>`, `#dialect<...>`.
    fn hash_attr(&mut self) -> Parsed<Attr> {
        let name = &self.current()[1..];
        let bracket = self.lexer.text.as_bytes().get(self.token.hi as usize) == Some(&b'<');
        if !name.contains('.') && !bracket {
            return match self.attr_aliases.get(name) {
                Some(&attr) => {
                    self.bump();
                    Ok(attr)
                }
                None => {
                    let span = self.span();
                    let message = format!("attribute alias `#{name}` is not defined");
                    Err(self.error(codes::UNKNOWN_ALIAS, span, message, "define it before its use"))
                }
            };
        }
        if let Some(known) = self.spelled_attr() {
            return Ok(known);
        }
        let start = self.token.lo as usize;
        let raw_end = self.lexer.balanced(self.token.hi as usize);
        let attr = self.opaque_with_type()?;
        // With a type behind it, or an alias inside, the text between the brackets is not all there is to it.
        let text = &self.lexer.text[start..self.prev_hi as usize];
        if raw_end == Some(self.prev_hi as usize) && !text[1..].contains(['#', '!']) {
            self.attr_spellings.insert(text, attr);
        }
        Ok(attr)
    }

    /// The attribute that the text from the current `#` to its closing bracket meant before; it is passed over.
    fn spelled_attr(&mut self) -> Option<Attr> {
        let bytes = self.lexer.text.as_bytes();
        let (start, open) = (self.token.lo as usize, self.token.hi as usize);
        let length = bytes.get(open + 1..)?.iter().take(64).position(|&b| b == b'>')?;
        let end = open + 1 + length + 1;
        let known = *self.attr_spellings.get(self.lexer.text.get(start..end)?)?;
        let before = self.token;
        self.reset(end);
        if self.at(b':') {
            self.reset(before.lo as usize);
            return None;
        }
        Some(known)
    }

    /// `text` with the aliases of this file written out, for opaque types and attributes.
    pub(super) fn expand_aliases(&mut self, text: &str) -> Parsed<String> {
        if !text.contains(['#', '!']) || (self.type_aliases.is_empty() && self.attr_aliases.is_empty()) {
            return Ok(text.to_owned());
        }
        let limit = text.len().saturating_add(usize::try_from(MAX_SIZE).unwrap_or(usize::MAX));
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['#', '!', '"']) {
            out.push_str(&rest[..at]);
            let sign = rest.as_bytes()[at];
            rest = &rest[at..];
            if sign == b'"' {
                // Strings are passed over whole.
                let mut end = 1;
                let bytes = rest.as_bytes();
                while end < bytes.len() && bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                let mut end = (end + 1).min(rest.len());
                while !rest.is_char_boundary(end) {
                    end += 1;
                }
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let name_end = rest[1..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')))
                .map_or(rest.len(), |end| end + 1);
            let name = &rest[1..name_end];
            match sign {
                b'#' if self.attr_aliases.contains_key(name) => {
                    let attr = self.attr_aliases[name];
                    self.module.attrs.write(&mut out, &self.module.types, &self.module.names, attr);
                }
                b'!' if self.type_aliases.contains_key(name) => {
                    self.module.types.write(&mut out, self.type_aliases[name]);
                }
                _ => out.push_str(&rest[..name_end]),
            }
            rest = &rest[name_end..];
            if out.len() > limit {
                let span = self.span_from(self.prev_hi.saturating_sub(1));
                let message =
                    format!("the aliases in this text take more than {MAX_SIZE} bytes when written out");
                return Err(self.error(codes::NESTING_TOO_DEEP, span, message, "it ends here"));
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Refuses an attribute that would be huge when written out, which aliases of aliases can make.
    pub(super) fn check_size(&mut self, attr: Attr, parts: impl Iterator<Item = Attr>) -> Parsed<Attr> {
        let size =
            parts.fold(1u64, |sum, part| sum.saturating_add(self.sizes.get(&part).copied().unwrap_or(1)));
        self.refuse_size(size, "attribute")?;
        debug_assert!(self.depth <= MAX_NESTING);
        Ok(self.note_size(attr, size))
    }
    pub(super) fn refuse_size(&mut self, size: u64, what: &str) -> Parsed<()> {
        if size <= MAX_SIZE {
            return Ok(());
        }
        let span = self.span_from(self.prev_hi.saturating_sub(1));
        let message = format!("this {what} has more than {MAX_SIZE} parts when its aliases are written out");
        Err(self.error(codes::NESTING_TOO_DEEP, span, message, "it ends here"))
    }
    fn note_size(&mut self, attr: Attr, size: u64) -> Attr {
        if size > 1 {
            self.sizes.insert(attr, size);
        }
        attr
    }
    /// An attribute of a dialect that is not known.
    fn opaque(&mut self, text: String) -> Attr {
        let size = text_size(&text);
        let attr = self.module.attrs.intern(AttrKind::Opaque(text.into()));
        self.note_size(attr, size)
    }
}

/// Whether an integer type can hold `value`. A signless one takes both readings of its bits.
fn fits(value: i128, width: u32, signedness: Signedness) -> bool {
    let lowest = if width > 127 { i128::MIN } else { -(1i128 << (width - 1)) };
    let below = |bits: u32| bits >= 127 || value < 1i128 << bits;
    match signedness {
        Signedness::Signless => value >= lowest && below(width),
        Signedness::Signed => value >= lowest && below(width - 1),
        Signedness::Unsigned => value >= 0 && below(width),
    }
}

/// The numbers that an integer type holds, in words.
fn range(width: u32, signedness: Signedness) -> String {
    let power = |bits: u32| {
        let number = 1i128.checked_shl(bits).filter(|_| bits <= 32);
        number.map_or_else(|| format!("2^{bits}"), |number| number.to_string())
    };
    let below = |bits: u32| match 1i128.checked_shl(bits).filter(|_| bits <= 32) {
        Some(number) => (number - 1).to_string(),
        None => format!("2^{bits} - 1"),
    };
    match signedness {
        Signedness::Unsigned => format!("0 to {}", below(width)),
        Signedness::Signed => format!("-{} to {}", power(width - 1), below(width - 1)),
        Signedness::Signless => format!("-{} to {}", power(width - 1), below(width)),
    }
}
