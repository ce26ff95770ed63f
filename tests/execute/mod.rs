//! A kernel's text lowered in process, executed on the PTX machine under several schedules, and compared with the walk.

use tidegate::driver;
use tidegate::ir::diag::Diagnostics;
use tidegate::ir::diag::render::Renderer;
use tidegate::ir::ops::{MathOp, Opcode};
use tidegate::ir::text::parse;
use tidegate::ir::types::{DYNAMIC, TypeKind};
use tidegate::ir::{Module, Op, Value};
use tidegate::passes::lower::mlir::Stage;
use tidegate::passes::lower::target::{Chip, CodegenOptions};
use tidegate::passes::pass::{Instrumentation, PassManager, Registry, default_pipeline};
use tidegate::passes::target::Target;
use tidegate::passes::verify::verify;
use tidegate_machine::grid::Gauge;
use tidegate_machine::schedule::{Eager, HoldBack, Random, RoundRobin, Schedule};
use tidegate_ptx::launch::RunOptions;
use tidegate_ptx::manifest::{Array, Manifest, Run};

use crate::walk::{self, Arg, Elem, Num, Output};

/// A schedule of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Agents in turn.
    RoundRobin,
    /// Asynchronous operations as late as possible, agents in the order of that seed.
    HoldBack(u64),
    /// Asynchronous operations at once.
    Eager,
    /// Anything.
    Random(u64),
}

impl Order {
    /// The schedules under which committed kernels are run.
    #[allow(dead_code, reason = "generated kernels pick theirs by seed")]
    pub(crate) const ALL: [Self; 8] = [
        Self::RoundRobin,
        Self::HoldBack(0),
        Self::HoldBack(1),
        Self::HoldBack(2),
        Self::Eager,
        Self::Random(1),
        Self::Random(2),
        Self::Random(3),
    ];

    fn make(self, cluster: u64) -> Box<dyn Schedule> {
        match self {
            Self::RoundRobin => Box::new(RoundRobin::default()),
            Self::HoldBack(seed) => Box::new(HoldBack::new(seed)),
            Self::Eager => Box::new(Eager::default()),
            Self::Random(seed) => Box::new(Random::new(seed ^ cluster << 32)),
        }
    }
}

/// A module as it was read, and what it was lowered to.
pub(crate) struct Lowered {
    /// As verified, before any pass.
    pub(crate) module: Module,
    /// The PTX of all its kernels.
    pub(crate) ptx: String,
    /// The manifest of each.
    pub(crate) manifests: Vec<String>,
}

fn rendered(module: &Module, diags: &Diagnostics) -> String {
    diags.iter().map(|diagnostic| Renderer::plain().render(&module.sources, diagnostic)).collect()
}

/// Reads, verifies and lowers.
///
/// # Errors
///
/// What the diagnostics say.
pub(crate) fn lower(name: &str, text: &str, chip: Chip) -> Result<Lowered, String> {
    let mut diags = Diagnostics::new();
    let (module, read) = parse(name, text, &mut diags);
    let target = Target::find(chip.name());
    let verified = read.and_then(|()| verify(&module, target, &mut diags));
    if verified.is_err() {
        return Err(rendered(&module, &diags));
    }
    let mut lowered = module.clone();
    let mut sources = lowered.sources.clone();
    let pipeline = default_pipeline(chip.name());
    let registry = Registry::standard();
    let Ok(mut manager) = PassManager::from_text(&pipeline, &registry, &mut sources, &mut diags) else {
        return Err(format!("the pipeline `{pipeline}` cannot be read"));
    };
    let check = |module: &Module, diags: &mut Diagnostics| verify(module, target, diags);
    let mut instrumentation = Instrumentation { verify: Some(&check), ..Instrumentation::default() };
    if manager.run(&mut lowered, &mut diags, &mut instrumentation).is_err() {
        return Err(rendered(&lowered, &diags));
    }
    match driver::emit(&lowered, Stage::Ptx, CodegenOptions::new(chip), &mut diags) {
        Ok(emitted) => {
            let manifests = emitted.manifests.iter().map(ToString::to_string).collect();
            Ok(Lowered { module, ptx: emitted.text, manifests })
        }
        Err(_) => Err(rendered(&lowered, &diags)),
    }
}

/// Whether the kernel computes functions that the hardware approximates.
fn approximates(module: &Module, kernel: Op) -> bool {
    module.walk(kernel).into_iter().any(|op| {
        matches!(
            module.opcode(op),
            Opcode::Math(
                MathOp::Exp
                    | MathOp::Exp2
                    | MathOp::Log
                    | MathOp::Log2
                    | MathOp::Log10
                    | MathOp::Rsqrt
                    | MathOp::Sin
                    | MathOp::Cos
                    | MathOp::Tanh
                    | MathOp::PowF
                    | MathOp::Erf
            )
        )
    })
}

fn same(elem: Elem, wanted: Num, found: Num, near: bool) -> bool {
    let (Num::F(wanted), Num::F(found)) = (wanted, found) else { return wanted == found };
    if wanted.is_nan() || found.is_nan() {
        return wanted.is_nan() && found.is_nan();
    }
    if near {
        // `tanh.approx` is off by 2^-11 (PTX ISA, tanh), the others by less.
        let places = match elem {
            Elem::Float(kind) => kind.mantissa_bits().min(10),
            Elem::Int(_) => 0,
        };
        return wanted == found
            || (wanted - found).abs() <= (wanted.abs().max(1.0)) * f64::powi(2.0, -(places as i32));
    }
    wanted.to_bits() == found.to_bits()
}

/// Runs kernel `name` with these arguments under each of the schedules; `grid` holds the extents that the launch gives.
///
/// # Errors
///
/// What the walk or the machine finds, or where they differ.
pub(crate) fn compare(
    lowered: &Lowered,
    name: &str,
    args: &[Arg],
    grid: &[i64],
    orders: &[Order],
) -> Result<(), String> {
    let Lowered { module, ptx, manifests } = lowered;
    let kernel = walk::find(module, name).ok_or_else(|| format!("there is no kernel `{name}`"))?;
    let wanted = walk::run(module, kernel, args, grid).map_err(|error| format!("the walk: {error}"))?;
    let code = tidegate_ptx::launch::Module::from_text(ptx)
        .map_err(|errors| errors.iter().map(|error| format!("{error}\n")).collect::<String>())?;
    let manifests = manifests.iter().map(|text| Manifest::from_json(text).map_err(|error| error.to_string()));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    let manifest = manifests.iter().find(|manifest| manifest.kernel == name).ok_or("there is no manifest")?;
    let mut run = Run::new(manifest, &code).map_err(|errors| format!("{errors:?}"))?;
    for (number, arg) in args.iter().enumerate() {
        let dtype = manifest.operands[number].dtype;
        let done = match arg {
            Arg::Array { shape, bytes: Some(bytes) } => {
                let shape = shape.iter().map(|&extent| extent as u64).collect();
                run.set(number, Array { dtype, shape, bytes: bytes.clone() })
            }
            Arg::Array { shape, bytes: None } => {
                run.set_shape(number, shape.iter().map(|&extent| extent as u64).collect())
            }
            Arg::Number(value) => {
                let elem = scalar(module, kernel, number)?;
                run.set(number, Array { dtype, shape: Vec::new(), bytes: elem.encode(*value) })
            }
        };
        done.map_err(|error| error.to_string())?;
    }
    if !grid.is_empty() {
        // Kernels of the tests that leave the grid open have one axis.
        let [blocks] = grid else { return Err("a grid of one open axis is wanted".into()) };
        run.set_grid([*blocks as u32, 1, 1]).map_err(|error| error.to_string())?;
    }
    let near = approximates(module, kernel);
    for &order in orders {
        let mut prepared = run.prepare().map_err(|error| error.to_string())?;
        let mut options = RunOptions { threads: 1, ..RunOptions::default() };
        options.config.fuel = 50_000_000;
        let outcome = prepared
            .run(&options, &Gauge::default(), &|cluster| order.make(cluster))
            .map_err(|error| error.to_string())?;
        if let Some((finding, _)) = outcome.report.findings.first() {
            return Err(format!("the machine under {order:?}: {finding:#?}"));
        }
        for (&operand, output) in &wanted {
            let found = prepared.array(operand).ok_or("the machine has lost an array")?;
            compare_array(&manifest.operands[operand].name, output, &found, near)
                .map_err(|error| format!("under {order:?}: {error}"))?;
            // What nobody has written to begin with is written by both or by neither.
            let first = output.data.iter().position(Option::is_none);
            let unwritten = prepared.unwritten(operand).map(|place| number_of(&place, &found.shape));
            if first != unwritten {
                let name = &manifest.operands[operand].name;
                return Err(format!(
                    "under {order:?}: `{name}`: the first unwritten element is {first:?} in the walk, {unwritten:?} in the machine"
                ));
            }
        }
    }
    Ok(())
}

fn number_of(place: &[u64], shape: &[u64]) -> usize {
    place.iter().zip(shape).fold(0, |number, (&at, &extent)| number * extent + at) as usize
}

fn scalar(module: &Module, kernel: Op, number: usize) -> Result<Elem, String> {
    let body = module.region_block(kernel, 0).ok_or("the kernel has no body")?;
    Elem::of(module, module.ty(module.block_args(body)[number]))
}

fn compare_array(name: &str, wanted: &Output, found: &Array, near: bool) -> Result<(), String> {
    let size = wanted.elem.bytes();
    let mut differences = Vec::new();
    for (number, (&cell, bytes)) in wanted.data.iter().zip(found.bytes.chunks(size)).enumerate() {
        let Some(value) = cell else { continue };
        let other = wanted.elem.decode(bytes);
        if !same(wanted.elem, value, other, near) {
            differences.push(format!("[{number}] {value:?} in the walk, {other:?} in the machine"));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    let count = differences.len();
    differences.truncate(6);
    Err(format!(
        "`{name}` of shape {:?} differs in {count} elements: {}",
        found.shape,
        differences.join("; ")
    ))
}

/// What each parameter of a kernel is: the shape (with 4 for extents that the launch gives, unless `dynamic` says
/// otherwise) and element type of an array, or the type of a number.
pub(crate) fn params(module: &Module, kernel: Op, dynamic: i64) -> Vec<(String, Option<Vec<i64>>, Elem)> {
    let body = module.region_block(kernel, 0).expect("a kernel has a body");
    let param = |&value: &Value| {
        let name = module.value_name(value).unwrap_or_default().to_owned();
        let elem =
            Elem::of(module, module.types.elem_of(module.ty(value))).expect("elements that the walk knows");
        let shape = match module.types.kind(module.ty(value)) {
            TypeKind::Ref(reference) => {
                Some(reference.shape.iter().map(|&dim| if dim == DYNAMIC { dynamic } else { dim }).collect())
            }
            _ => None,
        };
        (name, shape, elem)
    };
    module.block_args(body).iter().map(param).collect()
}

/// Whether the kernel writes the operand only, by the manifest.
#[allow(dead_code, reason = "generated kernels have an output by name")]
pub(crate) fn is_output(lowered: &Lowered, name: &str, operand: usize) -> bool {
    let manifests = lowered.manifests.iter().filter_map(|text| Manifest::from_json(text).ok());
    let manifest = manifests.into_iter().find(|manifest| manifest.kernel == name);
    manifest.is_some_and(|manifest| {
        manifest.operands.get(operand).is_some_and(|operand| operand.direction.as_str() == "out")
    })
}

/// The bytes of `count` numbers.
pub(crate) fn bytes(elem: Elem, count: usize, mut number: impl FnMut(usize) -> f64) -> Vec<u8> {
    let value = |at| match elem {
        Elem::Int(_) => elem.int(number(at) as i128),
        Elem::Float(_) => elem.float(number(at)),
    };
    let numbers: Vec<Num> = (0..count).map(value).collect();
    numbers.into_iter().flat_map(|value| elem.encode(value)).collect()
}
