//! Types.

use super::{Parsed, Parser, nearest, text_size};
use crate::diag::{Code, Diagnostic, Reported, codes};
use crate::entity::Type;
use crate::text::lexer::TokenKind;
use crate::types::{
    BarrierRefType, ClusterAxes, ClusterScope, DYNAMIC, FloatKind, RefType, Signedness, Space, TypeError,
    TypeKind,
};

/// Types that MLIR writes with a keyword and that tidegate keeps without looking inside.
const OPAQUE_BUILTINS: &[&str] = &["memref", "tensor", "tuple", "complex"];
/// Further scalar types of MLIR, kept the same way.
const OPAQUE_FLOATS: &[&str] =
    &["f80", "f128", "f8E4M3", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E3M4"];

impl<'s> Parser<'s, '_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.token.lo as usize;
        match self.token.kind {
            TokenKind::Word => {
                let text = self.current();
                if let Some(ty) = self.scalar(text) {
                    self.bump();
                    return Ok(ty);
                }
                if let Some(known) = self.spelled() {
                    return Ok(known);
                }
                if text == "vector" {
                    return self.nested(Self::vector).inspect(|&ty| self.remember(start, ty));
                }
                if OPAQUE_BUILTINS.contains(&text) {
                    let raw = self.opaque_text()?;
                    return self.opaque_type(raw);
                }
                let digits = text.trim_start_matches(['s', 'u']).strip_prefix('i').unwrap_or_default();
                if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
                    let error = TypeError::IntegerWidth { found: digits.parse().unwrap_or(u32::MAX) };
                    let span = self.span();
                    return Err(self.type_error(span, &error));
                }
                let found = self.describe_token();
                let mut diagnostic = Diagnostic::error(codes::MALFORMED_TYPE, format!("{found} is no type"))
                    .at(self.span(), "expected a type");
                if let Some(near) = nearest(text, scalar_names().chain(["vector"])) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                Err(self.diags.emit_error(diagnostic))
            }
            TokenKind::Bang => {
                if let Some(known) = self.spelled() {
                    return Ok(known);
                }
                let text = self.current();
                match text {
                    "!tg.ref" => self.nested(Self::array_ref).inspect(|&ty| self.remember(start, ty)),
                    "!tg.barrier_ref" => {
                        self.nested(Self::barrier_ref).inspect(|&ty| self.remember(start, ty))
                    }
                    "!tg.acc" => self.nested(Self::acc).inspect(|&ty| self.remember(start, ty)),
                    "!tg.semaphore_ref" => {
                        self.nested(Self::semaphore_ref).inspect(|&ty| self.remember(start, ty))
                    }
                    _ if text.starts_with("!tg.") => {
                        let known = ["!tg.ref", "!tg.barrier_ref", "!tg.acc", "!tg.semaphore_ref"];
                        let longer = known.into_iter().find(|known| known.starts_with(text));
                        let near = longer.or_else(|| nearest(text, known.into_iter()));
                        let mut diagnostic = Diagnostic::error(
                            codes::MALFORMED_TYPE,
                            format!("dialect `tg` has no type `{text}`"),
                        )
                        .at(self.span(), "unknown type")
                        .note(format!("its types are `{}`", known.join("`, `")));
                        if let Some(near) = near {
                            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                        }
                        Err(self.diags.emit_error(diagnostic))
                    }
                    _ if text.contains('.')
                        || self.lexer.text.as_bytes().get(self.token.hi as usize) == Some(&b'<') =>
                    {
                        let raw = self.opaque_text()?;
                        self.opaque_type(raw)
                    }
                    alias => match self.type_aliases.get(&alias[1..]) {
                        Some(&ty) => {
                            self.bump();
                            Ok(ty)
                        }
                        None => {
                            let span = self.span();
                            let message = format!("type alias `{alias}` is not defined");
                            Err(self.error(codes::UNKNOWN_ALIAS, span, message, "define it before its use"))
                        }
                    },
                }
            }
            TokenKind::Punct(b'(') => {
                let (inputs, results) = self.nested(Self::function_type)?;
                let parts = inputs.iter().chain(&results);
                let size = parts.fold(1u64, |sum, part| sum.saturating_add(self.type_size(*part)));
                self.refuse_size(size, "type")?;
                let kind = TypeKind::Function { inputs: inputs.into(), results: results.into() };
                let ty = self.intern(start, kind)?;
                self.note_type_size(ty, size);
                Ok(ty)
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    /// `(a, b) -> (c, d)`, `(a) -> b`.
    pub(super) fn function_type(&mut self) -> Parsed<(Vec<Type>, Vec<Type>)> {
        let inputs = self.type_list()?;
        self.expect_arrow("and the result types")?;
        let results = if self.at(b'(') { self.type_list()? } else { vec![self.ty()?] };
        Ok((inputs, results))
    }
    /// `(a, b)`.
    pub(super) fn type_list(&mut self) -> Parsed<Vec<Type>> {
        let mut types = Vec::new();
        self.expect(b'(', "before the list of types")?;
        self.list(b')', "a list of types", |p| {
            types.push(p.ty()?);
            Ok(())
        })?;
        Ok(types)
    }

    fn scalar(&mut self, text: &str) -> Option<Type> {
        match text {
            "index" => return Some(self.module.types.index()),
            "i1" => return Some(self.module.types.i1()),
            "none" => return Some(self.module.types.none()),
            _ => {}
        }
        if let Some(kind) = FloatKind::from_name(text) {
            return Some(self.module.types.float(kind));
        }
        if OPAQUE_FLOATS.contains(&text) {
            return self.module.types.intern(TypeKind::Opaque(text.into())).ok();
        }
        let (signedness, digits) = if let Some(digits) = text.strip_prefix("si") {
            (Signedness::Signed, digits)
        } else if let Some(digits) = text.strip_prefix("ui") {
            (Signedness::Unsigned, digits)
        } else {
            (Signedness::Signless, text.strip_prefix('i')?)
        };
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            // A width that is out of range is no type, and is reported as such.
            let width: u32 = digits.parse().ok()?;
            return self.module.types.intern(TypeKind::Integer { width, signedness }).ok();
        }
        None
    }

    /// The type that the text from the current token to its closing bracket meant before; it is passed over.
    fn spelled(&mut self) -> Option<Type> {
        let start = self.token.lo as usize;
        let mut end = self.token.hi as usize;
        let bytes = self.lexer.text.as_bytes();
        if bytes.get(end) == Some(&b'<') {
            // The usual spelling has no brackets inside.
            let mut at = end + 1;
            while bytes.get(at).is_some_and(|b| !matches!(b, b'<' | b'>' | b'(' | b'[' | b'{' | b'"' | b'-'))
            {
                at += 1;
            }
            end = if bytes.get(at) == Some(&b'>') { at + 1 } else { self.lexer.balanced(end)? };
        }
        let known = self.module.types.spelled(&self.lexer.text[start..end])?;
        self.reset(end);
        Some(known)
    }
    fn remember(&mut self, start: usize, ty: Type) {
        let text = &self.lexer.text[start..self.prev_hi as usize];
        // Aliases mean something else in another file.
        if !text.contains("!tg.") || !text[1..].contains('!') {
            self.module.types.remember_spelling(text, ty);
        }
    }
    fn opaque_type(&mut self, raw: &str) -> Parsed<Type> {
        let text = self.expand_aliases(raw)?;
        let (start, size) = (self.prev_hi as usize, text_size(&text));
        let ty = self.intern(start, TypeKind::Opaque(text.into()))?;
        self.note_type_size(ty, size);
        Ok(ty)
    }

    fn intern(&mut self, start: usize, kind: TypeKind) -> Parsed<Type> {
        self.module.types.intern(kind).map_err(|error| {
            #[expect(clippy::cast_possible_truncation, reason = "the source map takes no text of 4 GiB")]
            let span = self.span_from(start as u32);
            self.type_error(span, &error)
        })
    }
    pub(super) fn type_error(&mut self, span: crate::diag::Span, error: &TypeError) -> Reported {
        self.error(type_error_code(error), span, error.to_string(), "in this type")
    }

    pub(super) fn type_size(&self, ty: Type) -> u64 {
        self.type_sizes.get(&ty).copied().unwrap_or(1)
    }
    fn note_type_size(&mut self, ty: Type, size: u64) {
        if size > 1 {
            self.type_sizes.insert(ty, size);
        }
    }

    fn vector(&mut self) -> Parsed<Type> {
        let start = self.bump().lo as usize;
        self.expect(b'<', "behind `vector`")?;
        let shape = self.shape()?;
        let elem = self.ty()?;
        self.expect(b'>', "after the element type")?;
        self.intern(start, TypeKind::Vector { shape: shape.into(), elem })
    }

    fn acc(&mut self) -> Parsed<Type> {
        let start = self.bump().lo as usize;
        self.expect(b'<', "behind `!tg.acc`")?;
        let shape = self.shape()?;
        let elem = self.ty()?;
        self.expect(b'>', "after the element type")?;
        let Ok(shape) = <[i64; 2]>::try_from(shape.as_slice()) else {
            let span = self.span_from(u32::try_from(start).unwrap_or(0));
            let message = format!("an accumulator has two dimensions, this one has {}", shape.len());
            return Err(self.error(codes::MALFORMED_TYPE, span, message, "in this type"));
        };
        self.intern(start, TypeKind::Acc { shape, elem })
    }

    fn semaphore_ref(&mut self) -> Parsed<Type> {
        let start = self.bump().lo as usize;
        let mut shape = Vec::new();
        // Only a `<` right behind the name belongs to the type.
        if self.at(b'<') && self.token.lo == self.prev_hi {
            self.bump();
            shape = self.group_shape()?;
            self.expect(b'>', "after the shape")?;
        }
        self.intern(start, TypeKind::SemaphoreRef { shape: shape.into() })
    }

    fn array_ref(&mut self) -> Parsed<Type> {
        let start = self.bump().lo as usize;
        self.expect(b'<', "behind `!tg.ref`")?;
        let shape = self.shape()?;
        let elem = self.ty()?;
        self.expect(b',', "and the memory space, as in `!tg.ref<128xf32, smem>`")?;
        let space = if self.token.kind == TokenKind::Word { Space::from_name(self.current()) } else { None };
        let Some(space) = space else {
            return Err(self.unexpected("a memory space: `gmem`, `smem` or `tmem`"));
        };
        self.bump();
        let mut reference = RefType::new(&shape, elem, space);
        while self.accept(b',') {
            let option = if self.token.kind == TokenKind::Word { self.current() } else { "" };
            match option {
                "strides" => reference.strides = Some(self.option_ints(true)?.into()),
                "tile" => reference.tile = Some(self.option_ints(false)?.into()),
                "swizzle" => {
                    self.bump();
                    self.expect(b'=', "behind `swizzle`")?;
                    let value = self.integer64("a number of bytes")?;
                    reference.swizzle = Some(u32::try_from(value).unwrap_or(u32::MAX));
                }
                "packed" => {
                    self.bump();
                    reference.packed = true;
                }
                "collective" => {
                    self.bump();
                    reference.collective = true;
                }
                "layout" => {
                    self.bump();
                    self.expect(b'=', "behind `layout`")?;
                    reference.layout = Some(self.string("the name of a layout")?.into());
                }
                _ => {
                    return Err(self.unexpected(
                        "an option of a ref: `strides`, `tile`, `swizzle`, `packed`, `collective` or `layout`",
                    ));
                }
            }
        }
        self.expect(b'>', "at the end of the ref type")?;
        self.intern(start, TypeKind::Ref(reference))
    }

    fn barrier_ref(&mut self) -> Parsed<Type> {
        let start = self.bump().lo as usize;
        self.expect(b'<', "behind `!tg.barrier_ref`")?;
        let mut shape = Vec::new();
        let negative = self.at(b'-') && self.peek().kind == TokenKind::Int;
        if self.token.kind == TokenKind::Int || negative {
            shape = self.group_shape()?;
            self.expect(b',', "and the arrivals, as in `!tg.barrier_ref<4, arrivals = 1>`")?;
        }
        let mut barrier = BarrierRefType::new(&shape, 0);
        self.expect_word("arrivals", "and the number of arrivals to a phase")?;
        self.expect(b'=', "behind `arrivals`")?;
        let lo = self.token.lo;
        let arrivals = self.integer("a number of arrivals")?;
        barrier.arrivals = i64::try_from(arrivals).unwrap_or(if arrivals < 0 { i64::MIN } else { i64::MAX });
        let arrivals_span = self.span_from(lo);
        let mut leader = None;
        while self.accept(b',') {
            let option = if self.token.kind == TokenKind::Word { self.current() } else { "" };
            match option {
                "orders_tensor_core" => {
                    self.bump();
                    barrier.orders_tensor_core = true;
                }
                "leader_tracked" => {
                    let lo = self.bump().lo;
                    leader = Some(self.span_from(lo));
                }
                "cluster" => {
                    self.bump();
                    self.expect(b'=', "behind `cluster`")?;
                    let axes = self.cluster_axes()?;
                    barrier.cluster = Some(ClusterScope { axes: axes.into(), leader_tracked: false });
                }
                _ => {
                    return Err(self.unexpected(
                        "an option of a barrier ref: `orders_tensor_core`, `cluster = [...]` or `leader_tracked`",
                    ));
                }
            }
        }
        self.expect(b'>', "at the end of the barrier ref type")?;
        if let Some(span) = leader {
            match &mut barrier.cluster {
                Some(cluster) => cluster.leader_tracked = true,
                None => return Err(self.type_error(span, &TypeError::LeaderWithoutCluster)),
            }
        }
        match self.module.types.intern(TypeKind::BarrierRef(barrier)) {
            Ok(ty) => Ok(ty),
            Err(error @ TypeError::Arrivals { .. }) => Err(self.type_error(arrivals_span, &error)),
            Err(error) => {
                let span = self.span_from(u32::try_from(start).unwrap_or(0));
                Err(self.type_error(span, &error))
            }
        }
    }

    fn cluster_axes(&mut self) -> Parsed<Vec<ClusterAxes>> {
        let mut axes = Vec::new();
        if self.token.kind == TokenKind::Str {
            let diagnostic =
                Diagnostic::error(codes::EXPECTED_SOMETHING, "the axes of a cluster barrier are a list")
                    .at(self.span(), "expected `[`")
                    .help(format!("write `cluster = [{}]`", self.current()));
            return Err(self.diags.emit_error(diagnostic));
        }
        self.expect(b'[', "and the axes, as in `cluster = [\"x\", [\"y\", \"z\"]]`")?;
        self.list(b']', "the list of axes", |p| {
            if p.accept(b'[') {
                let mut names = Vec::new();
                p.list(b']', "a group of axes", |p| {
                    names.push(p.string("the name of a cluster axis")?.into_boxed_str());
                    Ok(())
                })?;
                axes.push(ClusterAxes::Joint(names.into()));
            } else {
                axes.push(ClusterAxes::One(p.string("the name of a cluster axis")?.into()));
            }
            Ok(())
        })?;
        Ok(axes)
    }

    /// `= [8, 64]` behind an option's name, which is the current token; `?` is a dynamic number where allowed.
    fn option_ints(&mut self, dynamic: bool) -> Parsed<Vec<i64>> {
        let option = self.current();
        self.bump();
        self.expect(b'=', &format!("behind `{option}`"))?;
        self.expect(b'[', "before the list of numbers")?;
        let mut values = Vec::new();
        self.list(b']', "a list of numbers", |p| {
            if dynamic && p.accept(b'?') {
                values.push(DYNAMIC);
            } else {
                values.push(p.integer64("a number")?);
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// `2x?x` before an element type. Read byte by byte: in `2x128xf32` the lexer would see the word `x128xf32`.
    fn shape(&mut self) -> Parsed<Vec<i64>> {
        let bytes = self.lexer.text.as_bytes();
        let mut at = self.token.lo as usize;
        let mut shape = Vec::new();
        loop {
            let start = at;
            if bytes.get(at) == Some(&b'?') {
                at += 1;
                shape.push(DYNAMIC);
            } else if bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at = self.skip_digits(at);
                match self.lexer.text[start..at].parse::<i64>() {
                    Ok(dim) => shape.push(dim),
                    Err(_) => {
                        self.reset(start);
                        let span = self.span();
                        let message = "the extent is too large";
                        return Err(self.error(codes::MALFORMED_NUMBER, span, message, "more than 63 bits"));
                    }
                }
            } else if bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                self.reset(at);
                let lo = self.token.lo;
                let value = self.integer64("an extent")?;
                let span = self.span_from(lo);
                return Err(self.error(
                    codes::MALFORMED_TYPE,
                    span,
                    format!("an extent is at least 1, not {value}"),
                    "in this shape",
                ));
            } else {
                self.reset(at);
                return Ok(shape);
            }
            if bytes.get(at) != Some(&b'x') {
                self.reset(at);
                return Err(self.unexpected("`x` behind an extent, as in `128x64xf32`"));
            }
            at += 1;
        }
    }
    /// `2x4` without an element type. A minus sign is read, so that the type's own check can refuse the number.
    fn group_shape(&mut self) -> Parsed<Vec<i64>> {
        let bytes = self.lexer.text.as_bytes();
        let mut at = self.token.lo as usize;
        let mut shape = Vec::new();
        loop {
            let start = at;
            at = self.skip_digits(at + usize::from(bytes.get(at) == Some(&b'-')));
            let Ok(dim) = self.lexer.text[start..at].parse::<i64>() else {
                self.reset(start);
                return Err(self.unexpected("the shape of the group, as `4` or `2x4`"));
            };
            shape.push(dim);
            if bytes.get(at) != Some(&b'x') {
                self.reset(at);
                return Ok(shape);
            }
            at += 1;
        }
    }
    fn skip_digits(&self, mut at: usize) -> usize {
        while self.lexer.text.as_bytes().get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    }
}

fn scalar_names() -> impl Iterator<Item = &'static str> {
    FloatKind::ALL.iter().map(|kind| kind.name()).chain(["i1", "i8", "i16", "i32", "i64", "index", "none"])
}

/// The code of an ill-formed type.
pub fn type_error_code(error: &TypeError) -> Code {
    match error {
        TypeError::Arrivals { .. } => codes::BARRIER_ARRIVALS_RANGE,
        TypeError::EmptyGroup { .. } | TypeError::GroupTooLarge => codes::BARRIER_GROUP_SIZE,
        TypeError::NoClusterAxes | TypeError::DuplicateAxis { .. } | TypeError::LeaderWithoutCluster => {
            codes::CLUSTER_BARRIER_AXES
        }
        TypeError::BarrierElement { .. } => codes::BARRIER_ARRAY_OP,
        TypeError::TileRank { .. }
        | TypeError::TileExtent { .. }
        | TypeError::Swizzle { .. }
        | TypeError::StridesWithTile => codes::UNSUPPORTED_TRANSFORM,
        TypeError::TransformSpace { space: Space::Tmem, .. } => codes::SPEC_TMEM_TRANSFORMS,
        TypeError::TransformSpace { .. } => codes::UNSUPPORTED_TRANSFORM,
        TypeError::TmemOption { .. } => codes::SPEC_TMEM_OPTIONS,
        TypeError::PackedWithLayout => codes::SPEC_PACKED_LAYOUT,
        TypeError::NarrowTmem { .. } => codes::SPEC_TMEM_NARROW,
        TypeError::DynamicExtent { .. } => codes::DYNAMIC_SHAPE,
        TypeError::Element { .. } => codes::UNSUPPORTED_ELEMENT,
        TypeError::IntegerWidth { .. }
        | TypeError::Extent { .. }
        | TypeError::TooManyElements
        | TypeError::StrideCount { .. }
        | TypeError::Stride { .. }
        | TypeError::TmemShape { .. }
        | TypeError::AccShape { .. } => codes::MALFORMED_TYPE,
    }
}
