//! `infer-layouts`: chooses how arrays lie in registers, and writes it as the attribute `layout` (see
//! [`analysis::layout`](crate::analysis::layout)).
//!
//! Arrays that meet in elementwise ops, that are carried by loops or handed out of branches have one layout, so that
//! nothing is ever moved between them. Elements change lanes only at ops that move them anyway: transposes, reductions
//! along some dimensions, broadcasts of smaller arrays.
//!
//! - An array whose elements are all equal is `#tg.splat`, and fits everything.
//! - The others of a component are `#tg.strided<V>`: V is the widest access that every load and store of the component
//!   can make at once, of at most 16 bytes, such that the array divides evenly among the lanes. Where it does not
//!   divide at all, V is 1 and the last round is masked.
//! - A `tg.store` of a splat has a `layout` of its own, which says how the lanes share the work.
//! - A `layout` on a `tg.load` is the author's, and holds for its component.

use rustc_hash::FxHashMap;
use tidegate_ir::diag::{Diagnostic, Reported, codes};
use tidegate_ir::ops::{ArithOp, Opcode, ScfOp, TgOp, VectorOp};
use tidegate_ir::{Module, Op, Value};

use crate::analysis::access::access_chunk;
use crate::analysis::layout::{
    BEFORE_LAYOUT_ATTR, LAYOUT_ATTR, Layout, array_elements, lanes_at, set_layouts, set_result_layouts,
};
use crate::pass::{Changed, OptionValues, PassContext};

/// Runs the pass.
///
/// # Errors
/// When an array has no layout that all its users can work with.
pub fn run(module: &mut Module, _: &OptionValues, ctx: &mut PassContext<'_>) -> Result<Changed, Reported> {
    let before = ctx.diags.error_count();
    let kernels: Vec<Op> =
        module.all_ops().into_iter().filter(|&op| module.opcode(op) == Opcode::Tg(TgOp::Kernel)).collect();
    let mut changed = false;
    for kernel in kernels {
        let mut inference = Inference::new(module, kernel);
        inference.find_splats();
        inference.unite();
        inference.choose();
        for diagnostic in std::mem::take(&mut inference.errors) {
            ctx.diags.emit(diagnostic);
        }
        let plan = inference.plan();
        for (op, name, layouts) in plan {
            let dict = module.discardable(op);
            if name == LAYOUT_ATTR {
                set_result_layouts(module, op, &layouts);
            } else {
                set_layouts(module, op, name, &layouts);
            }
            changed |= module.discardable(op) != dict;
            ctx.count("ops with layouts", 1);
        }
    }
    ctx.diags.check_since(before)?;
    Ok(changed.into())
}

struct Inference<'m> {
    module: &'m Module,
    ops: Vec<Op>,
    arrays: Vec<Value>,
    number: FxHashMap<Value, usize>,
    /// Whether all elements are equal.
    splat: Vec<bool>,
    /// Union-find over `arrays`.
    parent: Vec<usize>,
    /// Elements of a chunk, by component.
    vec: FxHashMap<usize, u32>,
    errors: Vec<Diagnostic>,
}

/// How the layouts of an op's arrays hang together.
enum Links {
    /// These all have one layout; a later one is equal in all elements when all before it are.
    Equal(Vec<(Value, Vec<Value>)>),
    /// The result has a layout of its own, and is a splat when the source is one.
    Moved(Value, Value),
    /// The op makes arrays out of memory or by reduction.
    Fresh(Vec<Value>),
    /// All elements are equal.
    Splat(Value),
    /// The op has no arrays, or only reads them.
    None,
    /// Nothing is known of how the op wants its arrays.
    Unknown,
}

impl<'m> Inference<'m> {
    fn new(module: &'m Module, kernel: Op) -> Self {
        let ops = module.walk(kernel);
        let mut arrays = Vec::new();
        for &op in &ops {
            for &region in module.regions(op) {
                for &block in module.region_blocks(region) {
                    arrays.extend(module.block_args(block));
                }
            }
            arrays.extend(module.results(op));
        }
        arrays.retain(|&value| array_elements(module, value).is_some());
        let number = arrays.iter().enumerate().map(|(index, &value)| (value, index)).collect();
        let count = arrays.len();
        Self {
            module,
            ops,
            arrays,
            number,
            splat: vec![true; count],
            parent: (0..count).collect(),
            vec: FxHashMap::default(),
            errors: Vec::new(),
        }
    }

    fn links(&self, op: Op) -> Links {
        let module = self.module;
        let is_array = |value: &Value| self.number.contains_key(value);
        let results: Vec<Value> = module.results(op).filter(is_array).collect();
        let operands: Vec<Value> = module.operands(op).filter(is_array).collect();
        let first = results.first().copied();
        match module.opcode(op) {
            Opcode::Arith(ArithOp::Constant) => first.map_or(Links::None, Links::Splat),
            Opcode::Arith(_) | Opcode::Math(_) | Opcode::Vector(VectorOp::ShapeCast) => {
                Links::Equal(results.into_iter().map(|result| (result, operands.clone())).collect())
            }
            Opcode::Vector(VectorOp::Broadcast) => match (first, operands.first()) {
                (Some(result), Some(&source)) => Links::Moved(result, source),
                (Some(result), None) => Links::Splat(result),
                (None, _) => Links::None,
            },
            Opcode::Vector(VectorOp::Transpose) => match (first, operands.first()) {
                (Some(result), Some(&source)) => Links::Moved(result, source),
                _ => Links::None,
            },
            Opcode::Vector(VectorOp::Reduction) => Links::None,
            Opcode::Vector(VectorOp::MultiReduction) => Links::Fresh(results),
            Opcode::Scf(scf) => self.control_links(op, scf),
            Opcode::Tg(tg) => match tg {
                TgOp::Load => Links::Fresh(results),
                TgOp::Store | TgOp::DebugPrint => Links::None,
                _ if results.is_empty() && operands.is_empty() => Links::None,
                _ => Links::Unknown,
            },
            Opcode::Builtin(_) | Opcode::Opaque(_) if results.is_empty() && operands.is_empty() => {
                Links::None
            }
            Opcode::Builtin(_) | Opcode::Opaque(_) => Links::Unknown,
        }
    }

    fn control_links(&self, op: Op, scf: ScfOp) -> Links {
        let module = self.module;
        let end = |index: usize| -> Vec<Value> {
            let block = module.region_block(op, index).and_then(|block| module.terminator(block));
            block.map(|end| module.operands(end).collect()).unwrap_or_default()
        };
        let args = |index: usize| -> Vec<Value> {
            module.region_block(op, index).map(|block| module.block_args(block).to_vec()).unwrap_or_default()
        };
        let mut links: Vec<(Value, Vec<Value>)> = Vec::new();
        match scf {
            ScfOp::For => {
                let (args, yielded) = (args(0), end(0));
                for (index, result) in module.results(op).enumerate() {
                    let (Some(init), Some(&next), Some(&arg)) =
                        (module.get_operand(op, index + 3), yielded.get(index), args.get(index + 1))
                    else {
                        continue;
                    };
                    links.push((arg, vec![init, next]));
                    links.push((result, vec![init, next, arg]));
                }
            }
            ScfOp::If => {
                let (yes, no) = (end(0), end(1));
                for (index, result) in module.results(op).enumerate() {
                    if let (Some(&yes), Some(&no)) = (yes.get(index), no.get(index)) {
                        links.push((result, vec![yes, no]));
                    }
                }
            }
            ScfOp::While => {
                let (before, next) = (args(0), end(1));
                for (index, arg) in before.into_iter().enumerate() {
                    if let (Some(init), Some(&next)) = (module.get_operand(op, index), next.get(index)) {
                        links.push((arg, vec![init, next]));
                    }
                }
                let (after, handed_on) = (args(1), end(0));
                for (index, result) in module.results(op).enumerate() {
                    if let (Some(&value), Some(&arg)) = (handed_on.get(index + 1), after.get(index)) {
                        links.push((arg, vec![value]));
                        links.push((result, vec![value, arg]));
                    }
                }
            }
            // Seen from the op around.
            ScfOp::Condition | ScfOp::Yield => return Links::None,
        }
        links.retain(|(value, _)| self.number.contains_key(value));
        Links::Equal(links)
    }

    /// The greatest solution: an array is a splat unless something makes it none.
    fn find_splats(&mut self) {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.arrays.len()];
        let mut worklist = Vec::new();
        let mut defined = vec![false; self.arrays.len()];
        for &op in &self.ops {
            match self.links(op) {
                Links::Equal(links) => {
                    for (value, sources) in links {
                        let value = self.number[&value];
                        defined[value] = true;
                        for source in sources {
                            if let Some(&source) = self.number.get(&source) {
                                users[source].push(value);
                            }
                        }
                    }
                }
                Links::Moved(result, source) => {
                    let result = self.number[&result];
                    defined[result] = true;
                    users[self.number[&source]].push(result);
                }
                Links::Splat(result) => defined[self.number[&result]] = true,
                Links::Fresh(_) | Links::None | Links::Unknown => {}
            }
        }
        for (index, defined) in defined.into_iter().enumerate() {
            if !defined {
                self.splat[index] = false;
                worklist.push(index);
            }
        }
        while let Some(index) = worklist.pop() {
            for &user in &users[index] {
                if std::mem::replace(&mut self.splat[user], false) {
                    worklist.push(user);
                }
            }
        }
    }

    fn find(&self, mut index: usize) -> usize {
        while self.parent[index] != index {
            index = self.parent[index];
        }
        index
    }
    fn join(&mut self, a: Value, b: Value) {
        let (Some(&a), Some(&b)) = (self.number.get(&a), self.number.get(&b)) else { return };
        if self.splat[a] || self.splat[b] {
            return;
        }
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number is the root, so that the order of ops decides nothing.
        let (root, other) = (a.min(b), a.max(b));
        self.parent[other] = root;
        // Keep paths short.
        let mut index = other;
        while self.parent[index] != root && index != root {
            index = std::mem::replace(&mut self.parent[index], root);
        }
    }
    fn component(&self, value: Value) -> Option<usize> {
        let &index = self.number.get(&value)?;
        (!self.splat[index]).then(|| self.find(index))
    }
    fn is_splat(&self, value: Value) -> bool {
        self.number.get(&value).is_some_and(|&index| self.splat[index])
    }

    fn unite(&mut self) {
        for op in self.ops.clone() {
            match self.links(op) {
                Links::Equal(links) => {
                    for (value, sources) in links {
                        for source in sources {
                            self.join(value, source);
                        }
                    }
                }
                Links::Fresh(results) => {
                    // The accumulator of a reduction is combined with the result element by element.
                    if let (Opcode::Vector(_), Some(&result), Some(acc)) =
                        (self.module.opcode(op), results.first(), self.module.get_operand(op, 1))
                    {
                        self.join(result, acc);
                    }
                }
                Links::Unknown => {
                    let name = self.module.op_name(op);
                    let diagnostic = Diagnostic::error(
                        codes::LAYOUT_INFERENCE,
                        format!("nothing is known of how `{name}` wants arrays to lie in registers"),
                    )
                    .at(self.module.span(op), "takes or makes an array");
                    self.errors.push(diagnostic);
                }
                Links::Moved(..) | Links::Splat(_) | Links::None => {}
            }
        }
    }

    /// Chooses V for each component.
    fn choose(&mut self) {
        let module = self.module;
        let mut limits: FxHashMap<usize, i64> = FxHashMap::default();
        let mut wished: FxHashMap<usize, (u32, Op)> = FxHashMap::default();
        for &op in &self.ops {
            let value = match module.opcode(op) {
                Opcode::Tg(TgOp::Load) => module.results(op).next(),
                Opcode::Tg(TgOp::Store) => module.get_operand(op, 0),
                _ => continue,
            };
            let Some(component) = value.and_then(|value| self.component(value)) else { continue };
            let chunk = access_chunk(module, op);
            let limit = limits.entry(component).or_insert(chunk);
            *limit = (*limit).min(chunk);
            let given = module.attr(op, LAYOUT_ATTR).and_then(|attr| Layout::from_attr(module, attr));
            if let (Opcode::Tg(TgOp::Load), Some(Layout::Strided { vec })) = (module.opcode(op), given) {
                match wished.get(&component) {
                    Some(&(other, first)) if other != vec => {
                        let diagnostic = Diagnostic::error(
                            codes::LAYOUT_INFERENCE,
                            format!("two layouts are asked for arrays that meet: {vec} and {other} elements to a lane"),
                        )
                        .at(module.span(op), format!("asks for {}", Layout::Strided { vec }))
                        .label(module.span(first), format!("asks for {}", Layout::Strided { vec: other }));
                        self.errors.push(diagnostic);
                    }
                    _ => {
                        wished.insert(component, (vec, op));
                    }
                }
            }
        }
        for (index, &value) in self.arrays.iter().enumerate() {
            if self.splat[index] || self.find(index) != index {
                continue;
            }
            let Some(elements) = array_elements(module, value) else { continue };
            let lanes = self.lanes_of(value);
            let vec = match wished.get(&index) {
                Some(&(vec, _)) => vec,
                None => chunk_for(
                    elements,
                    lanes,
                    limits.get(&index).copied().unwrap_or_else(|| self.widest(value)),
                ),
            };
            self.vec.insert(index, vec);
        }
        self.check_lanes();
    }

    /// The chunk of an array that is neither loaded nor stored: 16 bytes of it.
    fn widest(&self, value: Value) -> i64 {
        let elem = self.module.types.elem_of(self.module.ty(value));
        let bits = self.module.types.bytes_of(elem, 8).unwrap_or(64).max(1);
        let limit = 128 / bits;
        if limit < 1 { 1 } else { 1 << limit.ilog2() }
    }

    fn lanes_of(&self, value: Value) -> i64 {
        let module = self.module;
        let block = module.defining_block(value);
        let op = module.defining_op(value).or_else(|| block.and_then(|block| module.block_parent(block)));
        op.map_or(128, |op| lanes_at(module, op))
    }

    /// An array in the registers of a warpgroup is not in those of a warp.
    fn check_lanes(&mut self) {
        let module = self.module;
        for &op in &self.ops {
            for value in module.operands(op) {
                if self.component(value).is_none() {
                    continue;
                }
                let (made, used) = (self.lanes_of(value), lanes_at(module, op));
                if made != used {
                    let diagnostic = Diagnostic::error(
                        codes::LAYOUT_INFERENCE,
                        format!("an array lies in the registers of {made} lanes and is used by {used}"),
                    )
                    .at(module.span(op), format!("executed by {used} lanes"))
                    .label(module.value_span(value), format!("made by {made} lanes"))
                    .help("store the array to shared memory and load it in the role that uses it");
                    self.errors.push(diagnostic);
                }
            }
        }
    }

    fn layout(&self, value: Value) -> Option<Layout> {
        if self.is_splat(value) {
            return Some(Layout::Splat);
        }
        self.vec.get(&self.component(value)?).map(|&vec| Layout::Strided { vec })
    }

    /// The attributes to write.
    fn plan(&self) -> Vec<(Op, &'static str, Vec<Layout>)> {
        let module = self.module;
        let mut plan = Vec::new();
        for &op in &self.ops {
            let layouts: Vec<Layout> = module.results(op).filter_map(|value| self.layout(value)).collect();
            if !layouts.is_empty() {
                plan.push((op, LAYOUT_ATTR, layouts));
            }
            match module.opcode(op) {
                Opcode::Scf(ScfOp::While) => {
                    let args =
                        module.region_block(op, 0).map(|block| module.block_args(block)).unwrap_or_default();
                    let layouts: Vec<Layout> = args.iter().filter_map(|&value| self.layout(value)).collect();
                    if !layouts.is_empty() {
                        plan.push((op, BEFORE_LAYOUT_ATTR, layouts));
                    }
                }
                Opcode::Tg(TgOp::Store) => {
                    let value = module.get_operand(op, 0).filter(|&value| self.is_splat(value));
                    if let Some(elements) = value.and_then(|value| array_elements(module, value)) {
                        let vec = chunk_for(elements, lanes_at(module, op), access_chunk(module, op));
                        plan.push((op, LAYOUT_ATTR, vec![Layout::Strided { vec }]));
                    }
                }
                _ => {}
            }
        }
        plan
    }
}

/// The chunk of at most `limit` elements with which `elements` divide evenly among `lanes`; 1 when they do not.
fn chunk_for(elements: i64, lanes: i64, limit: i64) -> u32 {
    let mut chunk = limit.max(1);
    while chunk > 1 && elements % (lanes * chunk) != 0 {
        chunk /= 2;
    }
    u32::try_from(chunk).unwrap_or(1)
}
