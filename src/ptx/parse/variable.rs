//! Declarations of variables, registers and parameters (ISA 5.4), and their initialisers.

use super::{Parsed, Parser};
use crate::ast::{Initial, Linkage, Name, PointerAttributes, ScalarType, Space, Span, Variable};
use crate::error::{did_you_mean, shorten};
use crate::lexer::Kind;

/// Types by their dot words.
pub(crate) const TYPES: &[(&str, ScalarType)] = &[
    (".pred", ScalarType::Pred),
    (".b8", ScalarType::B8),
    (".b16", ScalarType::B16),
    (".b32", ScalarType::B32),
    (".b64", ScalarType::B64),
    (".b128", ScalarType::B128),
    (".u8", ScalarType::U8),
    (".u16", ScalarType::U16),
    (".u32", ScalarType::U32),
    (".u64", ScalarType::U64),
    (".s8", ScalarType::S8),
    (".s16", ScalarType::S16),
    (".s32", ScalarType::S32),
    (".s64", ScalarType::S64),
    (".f16", ScalarType::F16),
    (".f16x2", ScalarType::F16x2),
    (".bf16", ScalarType::Bf16),
    (".bf16x2", ScalarType::Bf16x2),
    (".f32", ScalarType::F32),
    (".f64", ScalarType::F64),
    (".texref", ScalarType::Opaque),
    (".samplerref", ScalarType::Opaque),
    (".surfref", ScalarType::Opaque),
];

/// The state space that a dot word names.
pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        ".reg" => Space::Reg,
        ".const" => Space::Const,
        ".global" => Space::Global,
        ".local" => Space::Local,
        ".param" => Space::Param,
        ".shared" => Space::Shared,
        _ => return None,
    })
}

/// What comes before the names of a declaration.
pub(super) struct Head {
    pub(super) space: Space,
    ty: ScalarType,
    vector: u8,
    align: Option<u32>,
    pointer: Option<PointerAttributes>,
    attributes: Vec<(Name, Vec<u64>)>,
}

impl Parser<'_> {
    /// `.global .align 4 .u32 a[4], b;`, from the space on.
    pub(super) fn variables(&mut self, linkage: Linkage, start: u32) -> Parsed<Vec<Variable>> {
        let head = self.head()?;
        let mut out = Vec::new();
        loop {
            let from = if out.is_empty() { start } else { self.token.span.start };
            out.push(self.declarator(&head, linkage, from)?);
            if self.eat(b',') {
                continue;
            }
            if self.eat(b';') {
                return Ok(out);
            }
            return Err(self.missing_semicolon("`,` or `;` behind the name of a variable"));
        }
    }

    /// The space and what follows it up to the name.
    pub(super) fn head(&mut self) -> Parsed<Head> {
        let start = self.token.span;
        let Some(space) = space(self.text()) else { return Err(self.wanted("the space of a variable")) };
        self.bump();
        let mut head =
            Head { space, ty: ScalarType::B8, vector: 1, align: None, pointer: None, attributes: Vec::new() };
        let mut typed = false;
        while self.token.kind == Kind::Dot {
            let span = self.token.span;
            let text = self.text();
            match text {
                ".align" => {
                    self.bump();
                    let align = self.alignment(span)?;
                    match &mut head.pointer {
                        Some(pointer) => pointer.align = align,
                        None => head.align = Some(align),
                    }
                }
                ".attribute" => {
                    self.bump();
                    head.attributes.extend(self.attributes()?);
                }
                ".v2" | ".v4" | ".v8" => {
                    head.vector = text.as_bytes().last().map_or(1, |digit| digit - b'0');
                    self.bump();
                }
                // Without `.align` a pointer promises 4 bytes (ISA 5.1.6.2).
                ".ptr" => {
                    head.pointer = Some(PointerAttributes { space: None, align: 4 });
                    self.bump();
                }
                _ => {
                    let pointed = self::space(text);
                    let ty = TYPES.iter().find(|(word, _)| *word == text).map(|&(_, ty)| ty);
                    match (&mut head.pointer, pointed, ty) {
                        (Some(pointer), Some(space), _) => pointer.space = Some(space),
                        (_, None, Some(_)) if typed => {
                            let message = format!("a second type, `{text}`");
                            return Err(self.fail(span, message));
                        }
                        (_, None, Some(ty)) => {
                            head.ty = ty;
                            typed = true;
                        }
                        _ => {
                            let message = format!("`{}` is not a type", shorten(text));
                            let near = did_you_mean(text, TYPES.iter().map(|(word, _)| *word));
                            let help = near.unwrap_or_else(|| {
                                "types are `.b32`, `.u64`, `.f32`, `.pred`, ...".to_owned()
                            });
                            return Err(self.fail_help(span, message, help));
                        }
                    }
                    self.bump();
                }
            }
        }
        if !typed {
            let help = "write it before the name: `.reg .b32 x;`";
            let span = self.span_from(start.start);
            return Err(self.fail_help(span, "this declaration has no type", help));
        }
        Ok(head)
    }

    fn alignment(&mut self, directive: Span) -> Parsed<u32> {
        let align = self.small("an alignment in bytes")?;
        if !align.is_power_of_two() {
            let span = self.span_from(directive.start);
            return Err(self.fail(span, format!("an alignment is a power of two, found {align}")));
        }
        Ok(align)
    }

    /// A name with its count, dimensions and initial value.
    pub(super) fn declarator(&mut self, head: &Head, linkage: Linkage, start: u32) -> Parsed<Variable> {
        let name = self.name("the name of a variable")?;
        let mut count = None;
        if self.at(b'<') {
            self.bump();
            count = Some(self.plain_number("how many names there are")?);
            self.expect(b'>', "behind the number of names")?;
        }
        let mut dims = Vec::new();
        while self.eat(b'[') {
            if self.eat(b']') {
                if !dims.is_empty() {
                    let span = self.span_from(name.span.start);
                    let help = "only the first dimension may be left out";
                    return Err(self.fail_help(span, "a dimension is missing", help));
                }
                dims.push(0);
                continue;
            }
            dims.push(self.integer("a dimension")?);
            self.expect(b']', "behind the dimension")?;
        }
        let mut variable = Variable {
            space: head.space,
            ty: head.ty,
            vector: head.vector,
            name,
            count,
            align: head.align,
            dims,
            init: Vec::new(),
            linkage,
            pointer: head.pointer,
            attributes: head.attributes.clone(),
            span: self.span_from(start),
        };
        if self.eat(b'=') {
            self.initialiser(&mut variable)?;
            variable.span = self.span_from(start);
        }
        Ok(variable)
    }

    fn initialiser(&mut self, variable: &mut Variable) -> Parsed<()> {
        if !matches!(variable.space, Space::Global | Space::Const) {
            let message = format!("`{}` cannot have an initial value", shorten(&variable.name.text));
            let help = "only `.global` and `.const` variables have one; store to it instead";
            return Err(self.fail_help(self.token.span, message, help));
        }
        if variable.ty == ScalarType::Opaque {
            // Settings of samplers: textures are not modelled.
            self.expect(b'{', "before the settings of a sampler")?;
            return if self.skip_braces() {
                Ok(())
            } else {
                Err(self.wanted("`}` behind the settings of a sampler"))
            };
        }
        let mut dims = variable.dims.clone();
        if variable.vector > 1 {
            dims.push(u64::from(variable.vector));
        }
        let found = self.initial_level(&dims, 0, &mut variable.init)?;
        if let Some(first) = variable.dims.first_mut()
            && *first == 0
        {
            *first = found;
        }
        Ok(())
    }

    /// The values of one dimension in braces, or one value. How many elements of the dimension there are.
    fn initial_level(&mut self, dims: &[u64], base: u64, out: &mut Vec<(u64, Initial)>) -> Parsed<u64> {
        let Some((&size, inner)) = dims.split_first() else {
            let value = self.initial_value()?;
            out.push((base, value));
            return Ok(1);
        };
        if !self.at(b'{') {
            return Err(self.wanted("`{` before the values of an array"));
        }
        self.enter("initialisers")?;
        let open = self.bump().span;
        self.braces += 1;
        let stride = inner.iter().try_fold(1_u64, |product, &dim| product.checked_mul(dim));
        let mut count = 0_u64;
        if !self.at(b'}') {
            loop {
                if size != 0 && count >= size {
                    let message = format!("more values than the dimension of {size} has elements");
                    return Err(self.fail(self.token.span, message));
                }
                let at =
                    stride.and_then(|stride| stride.checked_mul(count)).and_then(|at| at.checked_add(base));
                let Some(at) = at else { return Err(self.fail(open, "the array does not fit in 64 bits")) };
                self.initial_level(inner, at, out)?;
                count += 1;
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.expect(b'}', "or `,` behind an initial value")?;
        self.braces = self.braces.saturating_sub(1);
        self.depth -= 1;
        Ok(count)
    }

    /// A constant, or an address: `x`, `x+4`, `generic(x)+4`, `0xff00(x+4)`.
    fn initial_value(&mut self) -> Parsed<Initial> {
        if self.token.kind == Kind::Word && !self.at_constant() {
            return self.initial_address(None);
        }
        if self.token.kind == Kind::Number && self.second().kind == Kind::Sign(b'(', 0) {
            let start = self.token.span.start;
            // Just the literal: an expression would take the parenthesis for its own mistake.
            let text = self.text();
            let mask = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let mask =
                mask.and_then(|digits| u64::from_str_radix(digits.trim_end_matches(['u', 'U']), 16).ok());
            let Some(mask) =
                mask.filter(|mask| mask.trailing_zeros() % 8 == 0 && mask >> mask.trailing_zeros() == 0xff)
            else {
                let help = "write one byte of 0xff: `0xff(x)`, `0xff00(x)`, `0xff0000(x)`, ...";
                let message = format!("`{}` does not select a byte of an address", shorten(text));
                return Err(self.fail_help(self.token.span, message, help));
            };
            self.bump();
            self.bump();
            if self.token.kind != Kind::Word {
                let span = self.span_from(start);
                return Err(self.fail(span, "a byte is selected of the address of a variable or function"));
            }
            let value = self.initial_address(Some(mask))?;
            self.expect(b')', "behind the address")?;
            return Ok(value);
        }
        if !self.at_constant() {
            return Err(self.wanted("an initial value"));
        }
        self.constant().map(Initial::Constant)
    }

    fn initial_address(&mut self, mask: Option<u64>) -> Parsed<Initial> {
        let mut name = self.name("the name of a variable or function")?;
        let generic = name.text == "generic" && self.at(b'(');
        let mut offset = 0_i64;
        if generic {
            self.bump();
            name = self.name("the name of a variable or function")?;
            offset = self.offset()?.unwrap_or(0);
            self.expect(b')', "behind the name")?;
        }
        offset = offset.wrapping_add(self.offset()?.unwrap_or(0));
        Ok(Initial::Address { name, offset, generic, mask })
    }
}
