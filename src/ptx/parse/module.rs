//! Modules: the directives at the top, variables, functions (ISA 11.1).

use super::{Parsed, Parser};
use crate::ast::{Function, Item, Linkage, Module, Name, Space, Span, Variable};
use crate::error::{did_you_mean, shorten};
use crate::lexer::Kind;

/// Directives at module scope.
const ITEMS: &[&str] = &[
    ".version",
    ".target",
    ".address_size",
    ".entry",
    ".func",
    ".extern",
    ".visible",
    ".weak",
    ".common",
    ".global",
    ".const",
    ".shared",
    ".alias",
    ".pragma",
    ".file",
    ".section",
];

/// Directives of variables that stand within bodies too.
const WITHIN: &[&str] = &[".global", ".const", ".shared", ".pragma", ".file", ".section"];

/// The dot word starts something at module scope, and nothing within a body.
pub(super) fn starts_item(word: &str) -> bool {
    ITEMS.contains(&word) && !WITHIN.contains(&word)
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module {
            version: (0, 0),
            target: Vec::new(),
            address_size: 0,
            variables: Vec::new(),
            functions: Vec::new(),
            files: Vec::new(),
            pragmas: Vec::new(),
            aliases: Vec::new(),
        };
        if self.at_end() {
            self.fail_help(self.token.span, "the text is empty", "PTX starts with `.version` and `.target`");
        } else if !(self.token.kind == Kind::Dot && self.text() == ".version") {
            let message = format!("wanted `.version` first, found {}", self.found());
            self.fail_help(
                self.token.span,
                message,
                "PTX starts like this: `.version 8.0`, `.target sm_90a`",
            );
        }
        while !self.at_end() {
            let start = self.token.span.start;
            self.depth = 0;
            self.braces = 0;
            if self.module_item(&mut module).is_err() {
                self.recover_module(start);
                // A stray brace at module scope: the error is told, reading goes on behind it.
                if self.at(b'}') || (self.token.span.start == start && !self.at_end()) {
                    self.bump();
                }
            }
        }
        if module.address_size == 0 {
            module.address_size = 32;
        }
        if module.target.is_empty() && self.errors.is_empty() {
            let help = "write the architecture: `.target sm_90a`";
            self.fail_help(self.token.span, "the module has no `.target`", help);
        }
        module.files = std::mem::take(&mut self.files);
        module
    }

    /// After a mistake: goes behind the next `;` or body, or before the next directive of a module.
    fn recover_module(&mut self, start: u32) {
        let mut open = std::mem::take(&mut self.braces);
        while !self.at_end() {
            match self.token.kind {
                Kind::Sign(b';', _) if open == 0 => {
                    self.bump();
                    return;
                }
                Kind::Sign(b'{', _) => open += 1,
                Kind::Sign(b'}', _) if open == 0 => return,
                Kind::Sign(b'}', _) => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        self.eat(b';');
                        return;
                    }
                }
                Kind::Dot
                    if self.token.first && starts_item(self.text()) && self.token.span.start != start =>
                {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn module_item(&mut self, module: &mut Module) -> Parsed<()> {
        if self.token.kind != Kind::Dot {
            if self.at(b'}') {
                let help = "the function ended at an earlier `}`: look for one too many";
                return Err(self.fail_help(self.token.span, "no `{` is open here", help));
            }
            let found = self.found();
            let span = self.token.span;
            if matches!(self.token.kind, Kind::Bad(_)) {
                return Err(self.wanted("a directive"));
            }
            let message = format!("wanted a directive such as `.entry`, `.func` or `.global`, found {found}");
            return Err(self.fail_help(span, message, "instructions stand within the `{ }` of a function"));
        }
        match self.text() {
            ".version" => self.version(module),
            ".target" => {
                self.bump();
                module.target = vec![self.name("an architecture such as `sm_90a`")?];
                while self.eat(b',') {
                    module.target.push(self.name("an option of the target")?);
                }
                Ok(())
            }
            ".address_size" => {
                let span = self.bump().span;
                let size = self.plain_number("32 or 64")?;
                if size != 32 && size != 64 {
                    let span = self.span_from(span.start);
                    return Err(self.fail(span, format!("`.address_size` is 32 or 64, found {size}")));
                }
                module.address_size = size;
                Ok(())
            }
            ".pragma" => {
                module.pragmas.extend(self.pragma()?);
                Ok(())
            }
            ".file" => self.file(),
            ".section" => self.section(),
            ".loc" => self.loc().map(|_| ()),
            ".alias" => {
                self.bump();
                let name = self.name("the name of the alias")?;
                self.expect(b',', "behind the name of the alias")?;
                let function = self.name("the name of a function")?;
                self.expect(b';', "behind the alias")?;
                module.aliases.push((name, function));
                Ok(())
            }
            _ => self.declaration(module),
        }
    }

    fn version(&mut self, module: &mut Module) -> Parsed<()> {
        self.bump();
        let span = self.token.span;
        let number = self.text().split_once('.').filter(|_| self.token.kind == Kind::Number);
        let version = number.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some(version) = version else {
            let message = format!("wanted a version such as `8.0`, found {}", self.found());
            return Err(self.fail(span, message));
        };
        self.bump();
        module.version = version;
        Ok(())
    }

    /// A variable or a function, with its linkage.
    fn declaration(&mut self, module: &mut Module) -> Parsed<()> {
        let start = self.token.span.start;
        let linkage = self.linkage()?;
        match self.text() {
            ".entry" | ".func" if self.token.kind == Kind::Dot => {
                let function = self.function(linkage, start)?;
                module.functions.push(function);
                Ok(())
            }
            text if self.token.kind == Kind::Dot && super::variable::space(text).is_some() => {
                let variables = self.variables(linkage, start)?;
                module.variables.extend(variables);
                Ok(())
            }
            text if self.token.kind == Kind::Dot => {
                let message = format!("`{}` is not a directive of a module", shorten(text));
                let span = self.token.span;
                Err(match did_you_mean(text, ITEMS.iter().copied()) {
                    Some(help) => self.fail_help(span, message, help),
                    None => self.fail(span, message),
                })
            }
            _ => Err(self.wanted("`.entry`, `.func` or the space of a variable")),
        }
    }

    /// `.extern`, `.visible`, `.weak`, `.common`, or nothing.
    pub(super) fn linkage(&mut self) -> Parsed<Linkage> {
        let mut linkage = Linkage::Internal;
        while self.token.kind == Kind::Dot {
            let found = match self.text() {
                ".extern" => Linkage::Extern,
                ".visible" => Linkage::Visible,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                _ => break,
            };
            let span = self.bump().span;
            if linkage != Linkage::Internal {
                return Err(self.fail(
                    span,
                    "a second linkage: one of `.extern`, `.visible`, `.weak`, `.common` is given",
                ));
            }
            linkage = found;
        }
        Ok(linkage)
    }

    /// `.entry` or `.func`, from that word on.
    fn function(&mut self, linkage: Linkage, start: u32) -> Parsed<Function> {
        let entry = self.text() == ".entry";
        self.bump();
        let mut attributes = Vec::new();
        while self.eat_dot(".attribute") {
            attributes.extend(self.attributes()?);
        }
        let returns = if self.at(b'(') && !entry { self.parameters("return values")? } else { Vec::new() };
        let name = self.name(if entry { "the name of the kernel" } else { "the name of the function" })?;
        let params = if self.at(b'(') { self.parameters("parameters")? } else { Vec::new() };
        let mut pragmas = Vec::new();
        let directives = self.header_directives(&mut pragmas)?;
        let span = self.span_from(start);
        let mut function = Function {
            entry,
            name,
            linkage,
            returns,
            params,
            directives,
            pragmas,
            attributes,
            body: None,
            span,
        };
        if self.at(b'{') {
            function.body = Some(self.function_body(&function.name)?);
        } else if !self.eat(b';') {
            return Err(self.wanted("`{` before the body, or `;` behind a declaration"));
        }
        Ok(function)
    }

    fn function_body(&mut self, name: &Name) -> Parsed<Vec<Item>> {
        let open = self.bump().span;
        let mut items = Vec::new();
        if self.block(&mut items) {
            return Ok(items);
        }
        let message = format!("the body of `{}` does not end", shorten(&name.text));
        // Of a text with other mistakes this is often their echo.
        if self.errors.is_empty() {
            self.fail_help(open, message, "close it with `}`");
        }
        Ok(items)
    }

    /// `(.param .u64 a, .param .align 64 .b8 b[128])`
    pub(super) fn parameters(&mut self, what: &str) -> Parsed<Vec<Variable>> {
        self.bump();
        let mut out = Vec::new();
        if self.eat(b')') {
            return Ok(out);
        }
        loop {
            let start = self.token.span.start;
            if self.token.kind != Kind::Dot || super::variable::space(self.text()).is_none() {
                return Err(self.wanted(&format!("`.param` or `.reg` within the {what}")));
            }
            let head = self.head()?;
            if !matches!(head.space, Space::Param | Space::Reg) {
                let span = Span { start, end: self.end };
                return Err(self.fail(span, format!("{what} are `.param` or `.reg`")));
            }
            let variable = self.declarator(&head, Linkage::Internal, start)?;
            out.push(variable);
            if self.eat(b',') {
                continue;
            }
            self.expect(b')', &format!("or `,` behind one of the {what}"))?;
            return Ok(out);
        }
    }
}
