//! Ops whose short form is written by hand: headers with regions, and constants.

use super::locs::Located;
use super::ops::{EntryArg, OpParts};
use super::{Parsed, Parser, counted, types_are};
use crate::attr::AttrKind;
use crate::diag::codes;
use crate::entity::{Attr, Type};
use crate::ops::{ArithOp, BuiltinOp, Opcode, ScfOp, TgOp};
use crate::text::lexer::TokenKind;
use crate::types::DYNAMIC;

impl<'s> Parser<'s, '_> {
    pub(super) fn custom(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        match opcode {
            Opcode::Builtin(BuiltinOp::Module) => self.builtin_module(opcode),
            Opcode::Arith(ArithOp::Constant) => self.arith_constant(),
            Opcode::Arith(ArithOp::Select) => self.arith_select(),
            Opcode::Scf(ScfOp::For) => self.scf_for(opcode),
            Opcode::Scf(ScfOp::If) => self.scf_if(opcode),
            Opcode::Scf(ScfOp::While) => self.scf_while(opcode),
            Opcode::Tg(TgOp::Kernel) => self.tg_kernel(opcode),
            Opcode::Tg(TgOp::WarpSpecialize) => self.tg_warp_specialize(opcode),
            Opcode::Tg(TgOp::Role) => self.tg_role(opcode),
            _ => Err(self.unexpected("an op with a short form")),
        }
    }

    fn attr_entry(&mut self, parts: &mut OpParts, name: &str, value: Attr) {
        parts.inherent.push((self.module.names.intern(name), value));
    }
    /// `attributes {...}`, or nothing.
    fn attributes(&mut self, parts: &mut OpParts) -> Parsed<()> {
        if self.accept_word("attributes") {
            if !self.at(b'{') {
                return Err(self.unexpected("`{` behind `attributes`"));
            }
            parts.discardable = self.dict_entries(b'}')?;
        }
        Ok(())
    }
    /// `{...}` behind the op's regions, or nothing.
    fn trailing_attrs(&mut self, parts: &mut OpParts) -> Parsed<()> {
        if self.at(b'{') {
            parts.discardable = self.dict_entries(b'}')?;
        }
        Ok(())
    }
    fn body(
        &mut self,
        parts: &mut OpParts,
        opcode: Opcode,
        entry: &[EntryArg<'s>],
        border: bool,
    ) -> Parsed<()> {
        let region = self.module.create_region();
        self.region(region, opcode, Some(entry), border)?;
        if let Some(terminator) = opcode.implicit_terminator() {
            self.end_blocks(region, terminator);
        }
        parts.regions.push(region);
        Ok(())
    }

    fn builtin_module(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        if self.token.kind == TokenKind::Symbol {
            let name = self.symbol("a name")?;
            let value = self.module.attrs.str(&name);
            self.attr_entry(&mut parts, "sym_name", value);
        }
        self.attributes(&mut parts)?;
        self.body(&mut parts, opcode, &[], true)?;
        Ok(parts)
    }

    fn arith_constant(&mut self) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        if self.at(b'{') {
            parts.discardable = self.dict_entries(b'}')?;
        }
        let lo = self.token.lo;
        self.dense_type = None;
        let value = self.attr()?;
        let dense_type = self.dense_type;
        let ty = match self.module.attrs.kind(value) {
            AttrKind::Int { ty, .. } | AttrKind::Float { ty, .. } | AttrKind::Splat { ty, .. } => Some(*ty),
            AttrKind::Bool(_) => Some(self.module.types.i1()),
            AttrKind::Opaque(_) => dense_type,
            _ => None,
        };
        let Some(ty) = ty else {
            let span = self.span_from(lo);
            let message = "the value of a constant is a number, or `dense<number> : vector<...>`";
            return Err(self.error(codes::MALFORMED_ATTRIBUTE, span, message, "not a number"));
        };
        self.attr_entry(&mut parts, "value", value);
        parts.results.push(ty);
        Ok(parts)
    }

    /// `%c, %a, %b : f32`, or `: vector<4xi1>, vector<4xf32>` when the condition is an array.
    fn arith_select(&mut self) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        let condition = self.name_use("the condition")?;
        self.expect(b',', "behind the condition")?;
        let yes = self.name_use("the value for true")?;
        self.expect(b',', "between the two values")?;
        let no = self.name_use("the value for false")?;
        self.trailing_attrs(&mut parts)?;
        self.expect(b':', "and the type")?;
        let mut ty = self.ty()?;
        let mut condition_ty = self.module.types.i1();
        if self.accept(b',') {
            condition_ty = std::mem::replace(&mut ty, self.ty()?);
        }
        for (used, ty) in [(condition, condition_ty), (yes, ty), (no, ty)] {
            self.push_operand(&mut parts, used, Some(ty))?;
        }
        parts.results.push(ty);
        Ok(parts)
    }

    /// `%i = %lo to %hi step %s iter_args(%a = %x) -> (f32) : i32 { }`.
    fn scf_for(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        if self.accept_word("unsigned") {
            let unit = self.module.attrs.unit();
            self.attr_entry(&mut parts, "unsignedCmp", unit);
        }
        let variable = self.name_use("the name of the loop variable, as `%i`")?;
        self.expect(b'=', "behind the loop variable")?;
        let lower = self.name_use("the first value of the loop variable")?;
        self.expect_word("to", "and the bound of the loop")?;
        let upper = self.name_use("the bound of the loop")?;
        self.expect_word("step", "and the step of the loop")?;
        let step = self.name_use("the step of the loop")?;
        let mut carried = Vec::new();
        let mut types = Vec::new();
        if self.accept_word("iter_args") {
            self.expect(b'(', "behind `iter_args`")?;
            self.list(b')', "the carried values", |p| {
                let arg = p.name_use("the name of a carried value")?;
                p.expect(b'=', "and its start value")?;
                carried.push((arg, p.name_use("a start value")?));
                Ok(())
            })?;
            self.expect_arrow("and the types of the carried values, as `-> (f32)`")?;
            let lo = self.token.lo;
            types = self.type_list()?;
            if types.len() != carried.len() {
                let span = self.span_from(lo);
                let message = carried_types(carried.len(), types.len());
                return Err(self.error(codes::OPERAND_TYPE_LIST, span, message, "these types"));
            }
        }
        let counter = if self.accept(b':') { self.ty()? } else { self.module.types.index() };
        for used in [lower, upper, step] {
            self.push_operand(&mut parts, used, Some(counter))?;
        }
        let mut entry = vec![EntryArg { name: variable.name, span: variable.span, ty: counter }];
        for (&(arg, start), &ty) in carried.iter().zip(&types) {
            self.push_operand(&mut parts, start, Some(ty))?;
            entry.push(EntryArg { name: arg.name, span: arg.span, ty });
        }
        self.body(&mut parts, opcode, &entry, false)?;
        parts.results.extend(types);
        self.trailing_attrs(&mut parts)?;
        Ok(parts)
    }

    /// `%c -> (f32) { } else { }`.
    fn scf_if(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        let condition = self.name_use("the condition")?;
        let i1 = self.module.types.i1();
        self.push_operand(&mut parts, condition, Some(i1))?;
        if self.token.kind == TokenKind::Arrow {
            self.bump();
            let lo = self.token.lo;
            let types: Vec<Type> = if self.at(b'(') { self.type_list()? } else { vec![self.ty()?] };
            if self.at(b',') {
                let span = self.span_from(lo);
                let message = "several result types stand in parentheses";
                return Err(self.error(codes::EXPECTED_SOMETHING, span, message, "as in `-> (f32, i32)`"));
            }
            parts.results.extend(types);
        }
        self.body(&mut parts, opcode, &[], false)?;
        if self.accept_word("else") {
            self.body(&mut parts, opcode, &[], false)?;
        } else {
            let region = self.module.create_region();
            parts.regions.push(region);
        }
        self.trailing_attrs(&mut parts)?;
        Ok(parts)
    }

    /// `(%a = %x) : (f32) -> f32 { } do { }`.
    fn scf_while(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        let mut carried = Vec::new();
        if self.accept(b'(') {
            self.list(b')', "the carried values", |p| {
                let arg = p.name_use("the name of a carried value")?;
                p.expect(b'=', "and its start value")?;
                carried.push((arg, p.name_use("a start value")?));
                Ok(())
            })?;
        }
        self.expect(b':', "and the type, as `: (f32) -> f32`")?;
        let lo = self.token.lo;
        let (inputs, results) = self.function_type()?;
        if inputs.len() != carried.len() {
            let span = self.span_from(lo);
            let message = carried_types(carried.len(), inputs.len());
            return Err(self.error(codes::OPERAND_TYPE_LIST, span, message, "this type"));
        }
        let mut entry = Vec::new();
        for (&(arg, start), &ty) in carried.iter().zip(&inputs) {
            self.push_operand(&mut parts, start, Some(ty))?;
            entry.push(EntryArg { name: arg.name, span: arg.span, ty });
        }
        parts.results.extend(results);
        self.body(&mut parts, opcode, &entry, false)?;
        self.expect_word("do", "and the second region")?;
        let region = self.module.create_region();
        self.region(region, opcode, Some(&[]), false)?;
        // Without a block head, a loop that hands nothing on still has a block.
        if self.module.region_blocks(region).is_empty() {
            self.module.append_block(region);
        }
        self.end_blocks(region, Opcode::Scf(ScfOp::Yield));
        parts.regions.push(region);
        self.attributes(&mut parts)?;
        Ok(parts)
    }

    /// `["i" = 4, "j" = ?]`.
    fn axes(&mut self, parts: &mut OpParts, key: &str) -> Parsed<()> {
        self.bump();
        self.expect(b'[', &format!("behind `{key}`, as in `{key} [\"x\" = 4]`"))?;
        let mut names = Vec::new();
        let mut sizes = Vec::new();
        self.list(b']', "the axes", |p| {
            names.push(p.string("the name of an axis")?);
            p.expect(b'=', "and the axis's size")?;
            sizes.push(if p.accept(b'?') { DYNAMIC } else { p.integer64("a size, or `?`")? });
            Ok(())
        })?;
        let names_attr = self.module.strs_attr(names.iter().map(String::as_str));
        let sizes_attr = self.module.i64s_attr(&sizes);
        self.attr_entry(parts, &format!("{key}_names"), names_attr);
        self.attr_entry(parts, key, sizes_attr);
        Ok(())
    }
    /// `threads ["wg" = 2]`.
    fn threads(&mut self, parts: &mut OpParts) -> Parsed<()> {
        self.bump();
        self.expect(b'[', "behind `threads`, as in `threads [\"wg\" = 2]`")?;
        let name = self.string("the name of the thread axis")?;
        self.expect(b'=', "and the number of warpgroups")?;
        let count = self.integer64("a number of warpgroups")?;
        self.expect(b']', "behind the thread axis; there is one")?;
        let name = self.module.attrs.str(&name);
        let count = self.module.i64_attr(count);
        self.attr_entry(parts, "thread_name", name);
        self.attr_entry(parts, "num_threads", count);
        Ok(())
    }
    fn refuse_repeat(&mut self, parts: &OpParts, name: &str, clause: &str) -> Parsed<()> {
        let known = self.module.names.find(name);
        if parts.inherent.iter().any(|entry| Some(entry.0) == known) {
            let span = self.span();
            return Err(self.error(
                codes::UNEXPECTED_TOKEN,
                span,
                format!("`{clause}` is given twice"),
                "second one",
            ));
        }
        Ok(())
    }

    /// `@name(%x: T, out %y: T) grid [...] cluster [...] threads [...] attributes {...} { }`.
    fn tg_kernel(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        let name = self.symbol("the kernel's name, as `@name`")?;
        let name = self.module.attrs.str(&name);
        self.attr_entry(&mut parts, "sym_name", name);
        self.expect(b'(', "before the kernel's parameters")?;
        let mut entry = Vec::new();
        let mut directions = Vec::new();
        let mut locs = Vec::new();
        self.list(b')', "the kernel's parameters", |p| {
            let direction = match p.token.kind {
                TokenKind::Word if matches!(p.current(), "in" | "out" | "inout") => {
                    let token = p.bump();
                    p.text(token)
                }
                _ => "",
            };
            let arg = p.name_use("a parameter, as `%x: !tg.ref<128xf32, gmem>`")?;
            p.expect(b':', "and the parameter's type")?;
            let ty = p.ty()?;
            if let Some(loc) = p.trailing_loc()? {
                locs.push((entry.len(), loc));
            }
            entry.push(EntryArg { name: arg.name, span: arg.span, ty });
            directions.push(direction);
            Ok(())
        })?;
        if self.token.kind == TokenKind::Arrow {
            let lo = self.token.lo;
            self.bump();
            let types = if self.at(b'(') { self.type_list()? } else { vec![self.ty()?] };
            let span = self.span_from(lo);
            let barrier = types.iter().find_map(|&ty| self.module.types.as_barrier(ty));
            let diagnostic = match barrier {
                Some(barrier) => crate::diag::Diagnostic::error(
                    codes::BARRIER_AS_RESULT,
                    format!("a kernel cannot return a {}", barrier.noun()),
                )
                .at(span, format!("this is {}, not an array", barrier.describe()))
                .note("a barrier lives in the shared memory of a block and ends with it")
                .help("allocate it in the kernel with `tg.alloc_barrier`; hand it to inner regions by reference"),
                None => crate::diag::Diagnostic::error(codes::UNEXPECTED_TOKEN, "a kernel returns nothing")
                    .at(span, "results of a kernel")
                    .help("write to a parameter: `out %y: !tg.ref<128xf32, gmem>`"),
            };
            self.diags.emit(diagnostic);
        }
        if directions.iter().any(|direction| !direction.is_empty()) {
            let value = self.module.strs_attr(directions);
            self.attr_entry(&mut parts, "directions", value);
        }
        loop {
            let clause = if self.token.kind == TokenKind::Word { self.current() } else { "" };
            match clause {
                "grid" | "cluster" => {
                    self.refuse_repeat(&parts, clause, clause)?;
                    self.axes(&mut parts, clause)?;
                }
                "threads" => {
                    self.refuse_repeat(&parts, "num_threads", clause)?;
                    self.threads(&mut parts)?;
                }
                _ => break,
            }
        }
        self.attributes(&mut parts)?;
        if !self.at(b'{') {
            return Err(self.unexpected("the kernel's body, or `grid`, `cluster`, `threads` or `attributes`"));
        }
        self.body(&mut parts, opcode, &entry, true)?;
        let block =
            parts.regions.first().and_then(|&region| self.module.region_blocks(region).first().copied());
        if let Some(block) = block {
            for (index, loc) in locs {
                if let Some(&arg) = self.module.block_args(block).get(index) {
                    self.set_loc(Located::Arg(arg), loc);
                }
            }
        }
        Ok(parts)
    }

    /// `{ role @a { } role @b { } }`.
    fn tg_warp_specialize(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        self.attributes(&mut parts)?;
        self.body(&mut parts, opcode, &[], false)?;
        Ok(parts)
    }

    /// `@name warps 1 threads ["wg" = 2] registers 160 attributes {...} { }`.
    fn tg_role(&mut self, opcode: Opcode) -> Parsed<OpParts> {
        let mut parts = OpParts::default();
        let name = self.symbol("the role's name, as `@producer`")?;
        let name = self.module.attrs.str(&name);
        self.attr_entry(&mut parts, "sym_name", name);
        loop {
            let clause = if self.token.kind == TokenKind::Word { self.current() } else { "" };
            match clause {
                "warps" | "registers" => {
                    self.refuse_repeat(&parts, clause, clause)?;
                    self.bump();
                    let value = self.integer64(&format!("a number of {clause}"))?;
                    let value = self.module.i64_attr(value);
                    self.attr_entry(&mut parts, clause, value);
                }
                "threads" => {
                    self.refuse_repeat(&parts, "num_threads", clause)?;
                    self.threads(&mut parts)?;
                }
                _ => break,
            }
        }
        self.attributes(&mut parts)?;
        if !self.at(b'{') {
            return Err(
                self.unexpected("the role's body, or `warps`, `threads`, `registers` or `attributes`")
            );
        }
        self.body(&mut parts, opcode, &[], false)?;
        Ok(parts)
    }
}

fn carried_types(values: usize, types: usize) -> String {
    let are = if values == 1 { "is" } else { "are" };
    format!("{} {are} carried, and {} given", counted(values, "value"), types_are(types))
}
