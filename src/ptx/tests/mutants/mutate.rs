//! Makes mutants of a PTX text: one instruction removed, moved or changed, the way a kernel author or a compiler gets
//! it wrong.

use tidegate_ptx::ast::{Constant, Instruction, Item, Module, Operand, OperandKind, Span};
use tidegate_ptx::source::Source;

/// A changed text.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The kind of change.
    pub kind: &'static str,
    /// The line of the instruction.
    pub line: usize,
    /// The instruction, as it was.
    pub was: String,
    /// The whole text, with the change; lines stay where they are but for moves.
    pub text: String,
}

/// All mutants of a text, in its order.
pub fn mutants(text: &str) -> Vec<Mutant> {
    let module = tidegate_ptx::parse(text).expect("the text is right");
    let mut m = Mutator { text, source: Source::new(text), out: Vec::new() };
    for function in &module.functions {
        for instruction in instructions(function.body.as_deref().unwrap_or_default()) {
            m.instruction(instruction);
        }
    }
    m.moves(&module);
    m.out.sort_by_key(|m| m.line);
    m.out
}

fn instructions(items: &[Item]) -> Vec<&Instruction> {
    let mut out = Vec::new();
    for item in items {
        match item {
            Item::Instruction(i) => out.push(i),
            Item::Scope(inner) => out.extend(instructions(inner)),
            _ => {}
        }
    }
    out
}

fn head(i: &Instruction) -> &str {
    i.opcode.first().map_or("", String::as_str)
}

fn has(i: &Instruction, modifier: &str) -> bool {
    i.opcode.iter().skip(1).any(|m| m == modifier)
}

struct Mutator<'t> {
    text: &'t str,
    source: Source<'t>,
    out: Vec<Mutant>,
}

impl Mutator<'_> {
    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn add(&mut self, kind: &'static str, i: &Instruction, span: Span, with: &str) {
        let (start, end) = (span.start as usize, span.end as usize);
        let text = format!("{}{with}{}", &self.text[..start], &self.text[end..]);
        let line = self.source.position(i.opcode_span.start).0;
        let was = self.slice(i.span).split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.push(Mutant { kind, line, was, text });
    }

    /// Without the instruction.
    fn remove(&mut self, kind: &'static str, i: &Instruction) {
        let lines = self.slice(i.span).matches('\n').count();
        self.add(kind, i, i.span, &"\n".repeat(lines));
    }

    /// With one operand computed from what it was: `op.type new, old, by`.
    fn compute(&mut self, kind: &'static str, i: &Instruction, operand: usize, op: &str, by: i64) {
        let Some(at) = i.operands.get(operand) else { return };
        let old = self.slice(at.span).to_owned();
        let whole = self.slice(i.span);
        let from = (at.span.start - i.span.start) as usize;
        let to = (at.span.end - i.span.start) as usize;
        let changed = format!("{}%tgm{}", &whole[..from], &whole[to..]);
        let changed = changed.trim_end_matches(';');
        let with = format!("{{ .reg .b32 %tgm; {op} %tgm, {old}, {by}; {changed}; }}");
        self.add(kind, i, i.span, &with);
    }

    /// With a constant operand changed.
    fn constant(&mut self, kind: &'static str, i: &Instruction, operand: &Operand, value: u64) {
        self.add(kind, i, operand.span, &format!("{value}"));
    }

    fn instruction(&mut self, i: &Instruction) {
        match head(i) {
            "mbarrier" if has(i, "init") => {
                self.compute("arrival count one more", i, 1, "add.s32", 1);
                self.compute("arrival count one less", i, 1, "sub.s32", 1);
            }
            "mbarrier" if has(i, "arrive") && has(i, "expect_tx") => {
                self.remove("arrive removed", i);
                let bytes = i.operands.len() - 1;
                self.compute("16 bytes more expected", i, bytes, "add.s32", 16);
                self.compute("16 bytes fewer expected", i, bytes, "sub.s32", 16);
            }
            "mbarrier" if has(i, "arrive") || has(i, "arrive_drop") => self.remove("arrive removed", i),
            "mbarrier" if has(i, "try_wait") || has(i, "test_wait") => {
                if has(i, "parity") {
                    self.compute("parity flipped", i, 2, "xor.b32", 1);
                }
                if let Some(p) = i.operands.first() {
                    let p = self.slice(p.span).to_owned();
                    self.add("wait removed", i, i.span, &format!("setp.eq.b32 {p}, 0, 0;"));
                }
            }
            "cp" | "wgmma" if has(i, "commit_group") => self.remove("commit of a group dropped", i),
            "fence" => self.remove("fence dropped", i),
            "wgmma" | "tcgen05" if has(i, "fence") => self.remove("fence dropped", i),
            "bar" | "barrier" => self.remove("barrier dropped", i),
            "cp" | "wgmma" if has(i, "wait_group") => {
                self.remove("wait for a group removed", i);
                if let Some(operand) = i.operands.first()
                    && let OperandKind::Constant(Constant::Int { bits, .. }) = operand.kind
                {
                    self.constant("one group more in flight", i, operand, bits + 1);
                }
            }
            "tcgen05" if has(i, "wait::ld") || has(i, "wait::st") => {
                self.remove("wait for a group removed", i)
            }
            "tcgen05" if has(i, "commit") => self.remove("arrive removed", i),
            "or" | "mov" | "add" if has(i, "b64") || has(i, "s64") => {
                for operand in i.operands.iter().skip(1) {
                    if let OperandKind::Constant(Constant::Int { bits, .. }) = operand.kind
                        && bits >> 40 != 0
                        && bits >> 63 == 0
                    {
                        self.constant("descriptor: swizzle changed", i, operand, bits ^ 1 << 62);
                        self.constant("descriptor: stride changed", i, operand, bits ^ 1 << 33);
                    }
                }
            }
            _ => {}
        }
    }

    /// Waits that come some instructions too late.
    fn moves(&mut self, module: &Module) {
        for (f, function) in module.functions.iter().enumerate() {
            for (at, item) in function.body.iter().flatten().enumerate() {
                let Some((first, kind)) = waiting(item) else { continue };
                let line = self.source.position(first.opcode_span.start).0;
                let was = self.slice(first.span).split_whitespace().collect::<Vec<_>>().join(" ");
                let mut moved = module.clone();
                let Some(body) = moved.functions[f].body.as_mut() else { continue };
                let Some(to) = later(body, at) else { continue };
                let item = body.remove(at);
                body.insert(to - 1, item);
                self.out.push(Mutant { kind, line, was, text: moved.to_string() });
            }
        }
    }
}

/// The wait that an item is.
fn waiting(item: &Item) -> Option<(&Instruction, &'static str)> {
    match item {
        Item::Instruction(i) if has(i, "wait_group") => Some((i, "wait moved")),
        Item::Scope(inner) => {
            let list = instructions(inner);
            let wait = list.iter().find(|i| has(i, "try_wait"))?;
            Some((wait, "wait moved"))
        }
        _ => None,
    }
}

/// Where an item goes that moves past the next instructions that touch memory: one past them, within straight code.
fn later(body: &[Item], at: usize) -> Option<usize> {
    let mut passed = 0;
    for (i, item) in body.iter().enumerate().skip(at + 1) {
        match item {
            Item::Label(_) => return None,
            Item::Instruction(n) if matches!(head(n), "bra" | "ret" | "exit" | "brx" | "call") => {
                return None;
            }
            Item::Instruction(n) => {
                let memory = ["ld", "st", "cp", "wgmma", "mbarrier", "tcgen05"].contains(&head(n));
                passed += usize::from(memory);
                if passed == 2 {
                    return Some(i + 1);
                }
            }
            _ => {}
        }
    }
    None
}
