//! Bodies of functions: formals, scopes, labels, one flat list of instructions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scope::{Meaning, Register, Scopes};
use super::{Global, Resolver};
use crate::ast::{self, Item, Linkage, Name, ScalarType, SourceLine, Space, Variable};
use crate::error::{ParseError, shorten};
use crate::program::{Arg, Formal, Function, FunctionId, Instr, Reg, RegCounts};

/// What is known of a function while its body is read.
pub(super) struct Body<'a, 'r> {
    pub(super) resolver: &'r mut Resolver<'a>,
    pub(super) scopes: Scopes<'a>,
    /// What `.branchtargets` and the like stand for.
    pub(super) lists: Vec<Arg>,
    /// Names that were told to be undefined: once is enough.
    pub(super) told: FxHashSet<&'a str>,
    /// Slots by declaration, number in the range, and component: given when a register is first used, so that
    /// `%r<1000000>` costs only what is used of it.
    slots: FxHashMap<(u32, u32, u8), Reg>,
    counts: RegCounts,
    reg_names: Vec<(Reg, String, ScalarType)>,
    /// Declarations of registers so far.
    declarations: u32,
    /// Bytes of the frame so far.
    frame: u64,
    /// Labels of each scope, in the order in which scopes open.
    labels: Vec<Vec<Labelled<'a>>>,
    /// The scope that opens next.
    next_scope: usize,
    source: Option<SourceLine>,
    body: Vec<Instr>,
}

/// A label of a scope.
#[derive(Clone, Copy)]
enum Labelled<'a> {
    At(&'a Name, u32),
    Branches(&'a Name, &'a [Name]),
    Calls(&'a Name, &'a [Name]),
    Prototype(&'a Name),
}

impl<'a> Resolver<'a> {
    /// Resolves one function in its place.
    pub(super) fn function(&mut self, index: usize, header: &'a ast::Function) {
        let mut body = Body {
            resolver: self,
            scopes: Scopes::default(),
            lists: Vec::new(),
            told: FxHashSet::default(),
            slots: FxHashMap::default(),
            counts: RegCounts::default(),
            reg_names: Vec::new(),
            declarations: 0,
            frame: 0,
            labels: Vec::new(),
            next_scope: 0,
            source: None,
            body: Vec::new(),
        };
        body.scopes.enter();
        let mut param_bytes = 0;
        // Formals of a declaration need no names: `_` may repeat.
        let block = header.entry.then_some(&mut param_bytes);
        let params = body.formals(&header.params, block, header.body.is_some());
        let returns = body.formals(&header.returns, None, header.body.is_some());
        if let Some(items) = &header.body {
            body.collect_labels(items);
            body.scope(items);
        }
        let Body { counts, reg_names, frame, body, .. } = body;
        if let Some(function) = self.functions.get_mut(index) {
            let old = std::mem::replace(function, super::empty_function(header));
            *function = Function {
                params,
                returns,
                param_bytes,
                frame_bytes: frame,
                regs: counts,
                reg_names,
                body,
                ..old
            };
        }
    }
}

impl<'a> Body<'a, '_> {
    pub(super) fn note(&mut self, error: ParseError) {
        self.resolver.note(error);
    }

    /// Parameters or results, in the block of a kernel or in the frame.
    fn formals(&mut self, list: &'a [Variable], mut block: Option<&mut u64>, named: bool) -> Vec<Formal> {
        let mut out = Vec::with_capacity(list.len());
        for variable in list {
            if variable.count.is_some() || (variable.space == Space::Reg && variable.vector > 1) {
                let message =
                    format!("the parameter `{}` is more than one register", shorten(&variable.name.text));
                let help = "declare one parameter for each, or one in `.param`";
                self.note(ParseError::new(variable.span, message).help(help));
                continue;
            }
            let named = named && variable.name.text != "_";
            if variable.space == Space::Reg {
                let Some(register) = self.new_register(variable) else { continue };
                if named {
                    self.declare(variable, Meaning::Register(register));
                }
                let reg = self.slot(register, 0, 0, || variable.name.text.clone());
                out.push(Formal::Register(reg, variable.ty));
                continue;
            }
            let place = match &mut block {
                Some(block) => &mut **block,
                None => &mut self.frame,
            };
            let Some(id) = self.resolver.memory(variable, variable.name.text.clone(), Some(place)) else {
                continue;
            };
            if named {
                self.declare(variable, Meaning::Symbol(id));
            }
            out.push(Formal::Memory(id));
        }
        out
    }

    fn declare(&mut self, variable: &'a Variable, meaning: Meaning) {
        if !self.scopes.declare(&variable.name.text, meaning) {
            self.duplicate(&variable.name);
        }
    }

    fn duplicate(&mut self, name: &Name) {
        let message = format!("`{}` is declared twice in this scope", shorten(&name.text));
        self.note(ParseError::new(name.span, message).help("take this out or rename it"));
    }

    /// Counts a declaration of registers.
    fn new_register(&mut self, variable: &Variable) -> Option<Register> {
        let problem = if variable.ty == ScalarType::Opaque {
            Some("textures, samplers and surfaces are not registers")
        } else if !variable.dims.is_empty() {
            Some("registers are not arrays: use `%r<4>`, or `.local` memory")
        } else if variable.linkage != Linkage::Internal {
            Some("registers are not seen outside of their function")
        } else if variable.ty == ScalarType::Pred && variable.vector > 1 {
            Some("there are no vectors of predicates")
        } else {
            None
        };
        if let Some(help) = problem {
            let message = format!("`{}` cannot be a register", shorten(&variable.name.text));
            self.note(ParseError::new(variable.span, message).help(help));
            return None;
        }
        let declaration = self.declarations;
        self.declarations += 1;
        Some(Register { declaration, ty: variable.ty, vector: variable.vector })
    }

    /// The slot of a register, given when it is first used.
    pub(super) fn slot(
        &mut self,
        register: Register,
        index: u32,
        component: u8,
        name: impl FnOnce() -> String,
    ) -> Reg {
        let key = (register.declaration, index, component);
        if let Some(&reg) = self.slots.get(&key) {
            return reg;
        }
        let next = |count: &mut u32| {
            *count += 1;
            *count - 1
        };
        let reg = match super::memory::scalar_bytes(register.ty) {
            0 => Reg::P(next(&mut self.counts.p)),
            16 => Reg::R128(next(&mut self.counts.r128)),
            8 => Reg::R64(next(&mut self.counts.r64)),
            _ => Reg::R32(next(&mut self.counts.r32)),
        };
        self.slots.insert(key, reg);
        self.reg_names.push((reg, name(), register.ty));
        reg
    }

    /// Finds the labels of all scopes and the instructions that they stand before. Scopes are counted as they open.
    fn collect_labels(&mut self, items: &'a [Item]) {
        fn walk<'a>(items: &'a [Item], at: &mut u32, labels: &mut Vec<Vec<Labelled<'a>>>) {
            let scope = labels.len();
            labels.push(Vec::new());
            for item in items {
                let found = match item {
                    Item::Instruction(_) => {
                        *at += 1;
                        continue;
                    }
                    Item::Scope(inner) => {
                        walk(inner, at, labels);
                        continue;
                    }
                    Item::Label(name) => Labelled::At(name, *at),
                    Item::BranchTargets(name, targets) => Labelled::Branches(name, targets),
                    Item::CallTargets(name, targets) => Labelled::Calls(name, targets),
                    Item::CallPrototype(name, ..) => Labelled::Prototype(name),
                    Item::Variable(_) | Item::Loc(_) | Item::Pragma(_) => continue,
                };
                if let Some(list) = labels.get_mut(scope) {
                    list.push(found);
                }
            }
        }
        walk(items, &mut 0, &mut self.labels);
    }

    /// The items of a scope whose names are open already (the body's are those of the formals).
    fn scope(&mut self, items: &'a [Item]) {
        let labels = self.labels.get_mut(self.next_scope).map(std::mem::take).unwrap_or_default();
        self.next_scope += 1;
        let first_list = self.lists.len();
        for label in &labels {
            let (name, meaning) = match *label {
                Labelled::At(name, at) => (name, Meaning::Label(at)),
                Labelled::Branches(name, _) | Labelled::Calls(name, _) | Labelled::Prototype(name) => {
                    self.lists.push(Arg::Prototype([].into()));
                    (name, Meaning::List(self.lists.len() as u32 - 1))
                }
            };
            if !self.scopes.declare(&name.text, meaning) {
                self.duplicate(name);
            }
        }
        // Lists name labels of this scope that may come later, so all labels were declared first.
        let mut list = first_list;
        for label in &labels {
            let arg = match *label {
                Labelled::At(..) => continue,
                Labelled::Branches(_, targets) => {
                    let found: Vec<u32> = targets.iter().filter_map(|name| self.label(name)).collect();
                    Arg::Targets(found.into())
                }
                Labelled::Calls(_, targets) => {
                    let found: Vec<FunctionId> =
                        targets.iter().filter_map(|name| self.callee(name)).collect();
                    Arg::Prototype(found.into())
                }
                Labelled::Prototype(_) => Arg::Prototype([].into()),
            };
            if let Some(slot) = self.lists.get_mut(list) {
                *slot = arg;
            }
            list += 1;
        }
        for item in items {
            if self.resolver.full() {
                return;
            }
            match item {
                Item::Variable(variable) => self.variable(variable),
                Item::Scope(inner) => {
                    self.scopes.enter();
                    self.scope(inner);
                    self.scopes.leave();
                }
                Item::Loc(line) => self.source = Some(*line),
                Item::Instruction(instruction) => {
                    let instr = self.instruction(instruction);
                    self.body.push(instr);
                }
                Item::Label(_)
                | Item::BranchTargets(..)
                | Item::CallTargets(..)
                | Item::CallPrototype(..)
                | Item::Pragma(_) => {}
            }
        }
    }

    fn label(&mut self, name: &'a Name) -> Option<u32> {
        match self.scopes.find(&name.text) {
            Some((Meaning::Label(at), _)) => return Some(at),
            Some(_) => {
                let message = format!("`{}` is not a label", shorten(&name.text));
                self.note(
                    ParseError::new(name.span, message)
                        .help("`.branchtargets` lists labels of this function"),
                );
            }
            None => self.undefined(&name.text, name.span),
        }
        None
    }

    fn callee(&mut self, name: &'a Name) -> Option<FunctionId> {
        match self.resolver.global(&name.text) {
            Some(Global::Function(id)) => Some(id),
            _ => {
                self.resolver.undefined_global(name, "function");
                None
            }
        }
    }

    /// A declaration within the body.
    fn variable(&mut self, variable: &'a Variable) {
        let name = variable.name.text.as_str();
        if variable.space == Space::Reg {
            let Some(register) = self.new_register(variable) else { return };
            match variable.count {
                None => self.declare(variable, Meaning::Register(register)),
                Some(count) => {
                    if !self.scopes.declare_range(name, register, count) {
                        let message =
                            format!("`{}<{count}>` declares names of this scope again", shorten(name));
                        self.note(ParseError::new(variable.span, message).help("rename the registers"));
                    }
                }
            }
            return;
        }
        if variable.count.is_some() {
            let message = format!("`{}` declares more than one variable", shorten(name));
            let help = "within a body only registers can be declared by `<count>`: use an array";
            self.note(ParseError::new(variable.span, message).help(help));
            return;
        }
        let block = matches!(variable.space, Space::Local | Space::Param).then_some(&mut self.frame);
        let Some(id) = self.resolver.memory(variable, name.to_owned(), block) else { return };
        self.declare(variable, Meaning::Symbol(id));
        if !variable.init.is_empty() {
            let scopes = &self.scopes;
            let find = |resolver: &Resolver<'_>, name: &str| match scopes.find(name) {
                Some((Meaning::Symbol(id), _)) => Some(Global::Symbol(id)),
                _ => resolver.global(name),
            };
            self.resolver.initialise(id, variable, &find);
        }
    }

    fn instruction(&mut self, instruction: &'a ast::Instruction) -> Instr {
        let guard = instruction.guard.as_ref().and_then(|guard| self.guard(guard));
        let mut args = Vec::with_capacity(instruction.operands.len());
        let mut arg_spans = Vec::with_capacity(instruction.operands.len());
        for operand in &instruction.operands {
            args.push(self.operand(instruction, operand));
            arg_spans.push(operand.span);
        }
        Instr {
            guard,
            opcode: instruction.opcode.clone(),
            args,
            arg_spans,
            span: instruction.span,
            opcode_span: instruction.opcode_span,
            source: self.source,
        }
    }

    fn guard(&mut self, guard: &'a ast::Guard) -> Option<(u32, bool)> {
        let text = guard.name.text.as_str();
        match self.scopes.find(text) {
            Some((Meaning::Register(register), index)) if register.ty == ScalarType::Pred => {
                match self.slot(register, index, 0, || text.to_owned()) {
                    Reg::P(slot) => return Some((slot, guard.negated)),
                    Reg::R32(_) | Reg::R64(_) | Reg::R128(_) => {}
                }
            }
            Some(_) => {
                let message = format!("`{}` is not a predicate", shorten(text));
                let help = "a guard is a `.pred` register, as `setp` writes one";
                self.note(ParseError::new(guard.name.span, message).help(help));
            }
            None => self.undefined(text, guard.name.span),
        }
        None
    }
}
