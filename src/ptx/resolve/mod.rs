//! [`Module`] to [`Program`]: names to slots, symbols and instruction indices; variables to places in memory.
//!
//! Module scope first, all of it, so that the order of declarations does not matter there; then one function after
//! another. Mistakes are collected as in the parser.

mod function;
mod memory;
mod operand;
mod scope;
mod special;

use rustc_hash::FxHashMap;

use crate::ast::{self, Linkage, Module, Name, Space, Span, Variable};
use crate::error::{MAX_ERRORS, ParseError, did_you_mean, shorten};
use crate::program::{Function, FunctionId, Program, RegCounts, Symbol, SymbolId};

/// Symbols that `x<100>` may make of memory variables, in a module.
const MAX_COUNTED: u64 = 1 << 20;

/// Resolves a module.
///
/// # Errors
///
/// Undefined and duplicate names, initial values that do not fit, variables without a size or in a place where
/// they cannot stand; at most [`MAX_ERRORS`].
pub fn resolve(module: &Module) -> Result<Program, Vec<ParseError>> {
    let mut resolver = Resolver::new(module);
    resolver.module();
    if !resolver.errors.is_empty() {
        resolver.errors.sort_by_key(|error| error.span.start);
        return Err(resolver.errors);
    }
    Ok(Program {
        version: module.version,
        target: module.target.iter().map(|name| name.text.clone()).collect(),
        files: module.files.clone(),
        symbols: resolver.symbols,
        shared_bytes: resolver.shared_bytes,
        functions: resolver.functions,
    })
}

/// A name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Global {
    Symbol(SymbolId),
    Function(FunctionId),
}

/// State of the module's resolution.
struct Resolver<'a> {
    module: &'a Module,
    errors: Vec<ParseError>,
    symbols: Vec<Symbol>,
    functions: Vec<Function>,
    /// Which header of the module each function takes: its definition, else its first declaration.
    headers: Vec<&'a ast::Function>,
    globals: FxHashMap<&'a str, Global>,
    /// Names made by `x<100>` at module scope.
    counted: FxHashMap<String, Global>,
    counted_total: u64,
    shared_bytes: u64,
    /// Bytes of all initial values.
    init_bytes: u64,
}

impl<'a> Resolver<'a> {
    fn new(module: &'a Module) -> Self {
        Resolver {
            module,
            errors: Vec::new(),
            symbols: Vec::new(),
            functions: Vec::new(),
            headers: Vec::new(),
            globals: FxHashMap::default(),
            counted: FxHashMap::default(),
            counted_total: 0,
            shared_bytes: 0,
            init_bytes: 0,
        }
    }

    fn full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    fn note(&mut self, error: ParseError) {
        if !self.full() {
            self.errors.push(error);
        }
    }

    fn module(&mut self) {
        let module = self.module;
        let mut with_values = Vec::new();
        for variable in &module.variables {
            if let Some(id) = self.module_variable(variable) {
                with_values.push((id, variable));
            }
        }
        for function in &module.functions {
            self.header(function);
        }
        for (name, target) in &module.aliases {
            self.alias(name, target);
        }
        for (id, variable) in with_values {
            self.initialise(id, variable, &|resolver, name| resolver.global(name));
        }
        for index in 0..self.headers.len() {
            if self.full() {
                return;
            }
            if let Some(&header) = self.headers.get(index) {
                self.function(index, header);
            }
        }
        // Dynamic shared memory starts behind all static variables, those of the bodies included.
        for symbol in &mut self.symbols {
            if symbol.external && symbol.space == Space::Shared {
                symbol.offset = self.shared_bytes.next_multiple_of(symbol.align.max(1));
            }
        }
    }

    fn global(&self, name: &str) -> Option<Global> {
        self.globals.get(name).or_else(|| self.counted.get(name)).copied()
    }

    /// A variable at module scope; its symbol when it has initial values to be filled in.
    fn module_variable(&mut self, variable: &'a Variable) -> Option<SymbolId> {
        let refused = match variable.space {
            Space::Reg => Some("registers stand within the body of a function"),
            Space::Local => Some("`.local` variables stand within the body of a function"),
            Space::Param => Some("`.param` variables are parameters of a function, or stand within a body"),
            Space::Const | Space::Global | Space::Shared => None,
        };
        if let Some(help) = refused {
            let message = format!("`{}` variables cannot stand at module scope", variable.space);
            self.note(ParseError::new(variable.span, message).help(help));
            return None;
        }
        if let Some(count) = variable.count {
            for index in self.counted_names(variable, count)? {
                let name = format!("{}{index}", variable.name.text);
                let id = self.memory(variable, name.clone(), None)?;
                if self.global(&name).is_some() {
                    self.duplicate(&variable.name, &name, None);
                    return None;
                }
                self.counted.insert(name, Global::Symbol(id));
            }
            return None;
        }
        let name = variable.name.text.as_str();
        match self.global(name) {
            Some(Global::Symbol(id)) => self.redeclared(id, variable),
            Some(Global::Function(_)) => {
                self.duplicate(&variable.name, name, None);
                None
            }
            None => {
                let id = self.memory(variable, name.to_owned(), None)?;
                self.globals.insert(name, Global::Symbol(id));
                Some(id)
            }
        }
    }

    /// The numbers of `x<count>`, unless there are too many.
    fn counted_names(&mut self, variable: &Variable, count: u32) -> Option<std::ops::Range<u32>> {
        self.counted_total += u64::from(count);
        if self.counted_total > MAX_COUNTED {
            let message = format!("`{}<{count}>` declares too many variables", shorten(&variable.name.text));
            let help = format!("declare an array; a module can have {MAX_COUNTED} such variables");
            self.note(ParseError::new(variable.span, message).help(help));
            return None;
        }
        if !variable.init.is_empty() || !variable.dims.is_empty() {
            let message = format!(
                "`{}<{count}>` is not an array and has no initial value",
                shorten(&variable.name.text)
            );
            self.note(ParseError::new(variable.span, message));
            return None;
        }
        Some(0..count)
    }

    /// A second declaration of a variable: `.extern` before or after the definition is right.
    fn redeclared(&mut self, id: SymbolId, variable: &'a Variable) -> Option<SymbolId> {
        let first = self.symbols.get(id.0 as usize)?;
        let (external, span, space) = (first.external, first.span, first.space);
        let name = variable.name.text.as_str();
        if space != variable.space {
            let message = format!("`{}` was declared in `{space}` before", shorten(name));
            self.note(ParseError::new(variable.span, message));
            return None;
        }
        if variable.linkage == Linkage::Extern {
            return None;
        }
        if !external {
            self.duplicate(&variable.name, name, Some(span));
            return None;
        }
        // The definition takes the symbol's place.
        let defined = self.memory(variable, name.to_owned(), None)?;
        let symbol = self.symbols.pop()?;
        debug_assert_eq!(defined.0 as usize, self.symbols.len());
        *self.symbols.get_mut(id.0 as usize)? = symbol;
        Some(id)
    }

    fn duplicate(&mut self, name: &Name, text: &str, first: Option<Span>) {
        let message = format!("`{}` is declared twice", shorten(text));
        let error = ParseError::new(name.span, message);
        self.note(match first {
            Some(_) => {
                error.help("only one declaration can be without `.extern`: take this out or rename it")
            }
            None => error.help("take this out or rename it"),
        });
    }

    /// A function's header: a new function, or a declaration and the definition of one.
    fn header(&mut self, header: &'a ast::Function) {
        let name = header.name.text.as_str();
        let index = match self.global(name) {
            None => {
                let id = FunctionId(self.functions.len() as u32);
                self.globals.insert(name, Global::Function(id));
                self.functions.push(empty_function(header));
                self.headers.push(header);
                return;
            }
            Some(Global::Symbol(_)) => return self.duplicate(&header.name, name, None),
            Some(Global::Function(id)) => id.0 as usize,
        };
        let Some(&first) = self.headers.get(index) else { return };
        if first.body.is_some() && header.body.is_some() {
            let message = format!("`{}` is defined twice", shorten(name));
            return self.note(
                ParseError::new(header.name.span, message).help("take one of the bodies out, or rename it"),
            );
        }
        let kind = |function: &ast::Function| (function.entry, function.params.len(), function.returns.len());
        if kind(first) != kind(header) {
            let describe = |function: &ast::Function| {
                let what = if function.entry { ".entry" } else { ".func" };
                format!(
                    "`{what}` with {} parameters and {} results",
                    function.params.len(),
                    function.returns.len()
                )
            };
            let message = format!(
                "`{}` is {} here, and was {} before",
                shorten(name),
                describe(header),
                describe(first)
            );
            return self.note(ParseError::new(header.name.span, message));
        }
        if header.body.is_some() {
            if let Some(slot) = self.headers.get_mut(index) {
                *slot = header;
            }
            if let Some(slot) = self.functions.get_mut(index) {
                *slot = empty_function(header);
            }
        }
    }

    fn alias(&mut self, name: &'a Name, target: &'a Name) {
        let Some(Global::Function(id)) = self.global(&target.text) else {
            return self.undefined_global(target, "function");
        };
        let declared = match self.global(&name.text) {
            Some(Global::Function(id)) => {
                self.functions.get(id.0 as usize).is_some_and(|function| function.defined)
            }
            Some(Global::Symbol(_)) => true,
            None => false,
        };
        if declared {
            return self.duplicate(name, &name.text, None);
        }
        self.globals.insert(&name.text, Global::Function(id));
    }

    fn undefined_global(&mut self, name: &Name, what: &str) {
        let error = ParseError::new(name.span, format!("there is no {what} `{}`", shorten(&name.text)));
        let near = did_you_mean(&name.text, self.globals.keys().copied());
        self.note(match near {
            Some(help) => error.help(help),
            None => error.help("declare it at module scope"),
        });
    }
}

/// A function of which only the header is known.
fn empty_function(header: &ast::Function) -> Function {
    Function {
        name: header.name.text.clone(),
        entry: header.entry,
        defined: header.body.is_some(),
        params: Vec::new(),
        returns: Vec::new(),
        param_bytes: 0,
        frame_bytes: 0,
        regs: RegCounts::default(),
        reg_names: Vec::new(),
        directives: header
            .directives
            .iter()
            .map(|(name, numbers)| (name.text.clone(), numbers.clone()))
            .collect(),
        body: Vec::new(),
        span: header.span,
    }
}
