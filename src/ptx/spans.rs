//! Texts compared without their places.

use crate::ast::{Function, Initial, Item, Module, Name, Operand, OperandKind, Span, Variable};

impl Module {
    /// Sets every span to zero, so that two texts that say the same compare equal.
    pub fn clear_spans(&mut self) {
        names(&mut self.target);
        self.variables.iter_mut().for_each(variable);
        self.functions.iter_mut().for_each(function);
        for (name, target) in &mut self.aliases {
            name.span = Span::default();
            target.span = Span::default();
        }
    }
}

fn names(names: &mut [Name]) {
    for name in names {
        name.span = Span::default();
    }
}

fn numbered(list: &mut [(Name, Vec<u64>)]) {
    for (name, _) in list {
        name.span = Span::default();
    }
}

fn variable(variable: &mut Variable) {
    variable.span = Span::default();
    variable.name.span = Span::default();
    numbered(&mut variable.attributes);
    for (_, initial) in &mut variable.init {
        if let Initial::Address { name, .. } = initial {
            name.span = Span::default();
        }
    }
}

fn function(function: &mut Function) {
    function.span = Span::default();
    function.name.span = Span::default();
    function.params.iter_mut().chain(&mut function.returns).for_each(variable);
    numbered(&mut function.directives);
    numbered(&mut function.attributes);
    if let Some(body) = &mut function.body {
        items(body);
    }
}

fn items(list: &mut [Item]) {
    for item in list {
        match item {
            Item::Label(name) => name.span = Span::default(),
            Item::Instruction(instruction) => {
                instruction.span = Span::default();
                instruction.opcode_span = Span::default();
                if let Some(guard) = &mut instruction.guard {
                    guard.name.span = Span::default();
                }
                instruction.operands.iter_mut().for_each(operand);
            }
            Item::Scope(inner) => items(inner),
            Item::Variable(inner) => variable(inner),
            Item::BranchTargets(name, targets) | Item::CallTargets(name, targets) => {
                name.span = Span::default();
                names(targets);
            }
            Item::CallPrototype(name, returns, params, directives) => {
                name.span = Span::default();
                returns.iter_mut().chain(params).for_each(variable);
                numbered(directives);
            }
            Item::Loc(_) | Item::Pragma(_) => {}
        }
    }
}

fn operand(one: &mut Operand) {
    one.span = Span::default();
    match &mut one.kind {
        OperandKind::Not(inner) | OperandKind::Negative(inner) => operand(inner),
        OperandKind::Pair(first, second) => {
            operand(first);
            operand(second);
        }
        OperandKind::Vector(parts) | OperandKind::List(parts) => parts.iter_mut().for_each(operand),
        OperandKind::Address { base, rest, .. } => {
            if let Some(base) = base {
                base.span = Span::default();
            }
            rest.iter_mut().for_each(operand);
        }
        OperandKind::Index { array, register, .. } => {
            array.span = Span::default();
            if let Some(register) = register {
                register.span = Span::default();
            }
        }
        OperandKind::Name(_) | OperandKind::NameOffset(..) | OperandKind::Sink | OperandKind::Constant(_) => {
        }
    }
}
