//! A launch without a manifest: `--grid`, `--block` and one `--param` for each parameter make one.
//!
//! | `--param` | what is passed |
//! |---|---|
//! | `ptr:x`, `ptr:x+256` | the address of array `x`, plus bytes |
//! | `i32:5`, `f32:1.5`, `bool:true` | a number |
//! | `map:x,box=64x8,swizzle=128B` | a tensor map of `x`, the innermost dimension first; several with `;` between |
//! | `bytes:00ff` | a structure |
//! | `scratch:4096` | the address of a buffer of zeros |

use tidegate::machine::tensormap::{ElementType, Interleave, L2Promotion, OobFill, Swizzle};
use tidegate::ptx::launch::Module;
use tidegate::ptx::manifest::{
    Array, DType, Direction, GridSize, Manifest, Operand, Param, ParamKind, Size, TensorMapSpec, from_hex,
};
use tidegate::ptx::program::{Formal, Symbol};

use super::super::args::RunArgs;

/// An array that the command line names.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) direction: Direction,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<u64>,
}

impl Named {
    /// Of an array from a file.
    pub(crate) fn of(name: &str, direction: Direction, array: &Array) -> Named {
        Named { name: name.to_owned(), direction, dtype: array.dtype, shape: array.shape.clone() }
    }
}

/// The parameters that a kernel declares.
pub(crate) fn declared<'a>(module: &'a Module, kernel: &str) -> Vec<&'a Symbol> {
    let program = &module.code.program;
    let function = program.functions.iter().find(|f| f.entry && f.defined && f.name == kernel);
    let params = function.map_or(&[] as &[Formal], |f| &f.params);
    let symbols = params.iter().filter_map(|p| match p {
        Formal::Memory(id) => program.symbols.get(id.0 as usize),
        Formal::Register(..) => None,
    });
    symbols.collect()
}

/// The manifest that the arguments amount to.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn manifest(
    args: &RunArgs,
    module: &Module,
    kernel: &str,
    arrays: &[Named],
) -> Result<Manifest, String> {
    let symbols = declared(module, kernel);
    if symbols.len() != args.params.len() {
        let wanted: Vec<String> =
            symbols.iter().map(|s| format!("`{}` of {} bytes", s.name, s.size)).collect();
        return Err(format!(
            "`{kernel}` takes {} parameters{}{}; {} are given with --param",
            symbols.len(),
            if wanted.is_empty() { "" } else { ": " },
            wanted.join(", "),
            args.params.len()
        ));
    }
    let operands = arrays
        .iter()
        .map(|a| Operand {
            name: a.name.clone(),
            direction: a.direction,
            dtype: a.dtype,
            shape: a.shape.iter().map(|&n| Size::Known(n)).collect(),
            strides: None,
            fill: None,
        })
        .collect();
    let mut tensor_maps = Vec::new();
    let mut params = Vec::new();
    for (text, symbol) in args.params.iter().zip(&symbols) {
        let kind =
            param(text, arrays, &mut tensor_maps).map_err(|error| format!("--param {text}: {error}"))?;
        let bytes = match &kind {
            ParamKind::TensorMaps(maps) => 128 * maps.len() as u64,
            ParamKind::Bytes(bytes, _) => bytes.len() as u64,
            ParamKind::Structure(structure) => structure.bytes.len() as u64,
            _ => 8,
        };
        if bytes != symbol.size {
            return Err(format!(
                "--param {text}: that has {bytes} bytes, and `{}`, the parameter {} of `{kernel}`, has {}",
                symbol.name,
                params.len(),
                symbol.size
            ));
        }
        params.push(Param { name: symbol.name.clone(), bytes, align: symbol.align, kind });
    }
    let cluster =
        args.cluster.unwrap_or_else(|| of_directive(module, kernel, "reqnctapercluster").unwrap_or([1; 3]));
    Ok(Manifest {
        kernel: kernel.to_owned(),
        entry: kernel.to_owned(),
        target: None,
        grid: args.grid.unwrap_or([1; 3]).map(GridSize::Known),
        cluster,
        cluster_attribute: args.cluster.is_some(),
        block: args.block.or_else(|| of_directive(module, kernel, "reqntid")).unwrap_or([32, 1, 1]),
        dynamic_shared_bytes: args.shared.unwrap_or(0),
        dynamic_shared_symbol: args.shared_symbol.clone(),
        dynamic_shared_min_align: 1024,
        params,
        tensor_maps,
        operands,
        checks: None,
    })
}

/// The numbers of a directive of the kernel.
fn of_directive(module: &Module, kernel: &str, name: &str) -> Option<[u32; 3]> {
    let function = module.code.program.functions.iter().find(|f| f.entry && f.name == kernel)?;
    let (_, numbers) = function.directives.iter().find(|d| d.0 == name)?;
    Some(std::array::from_fn(|i| numbers.get(i).copied().and_then(|n| u32::try_from(n).ok()).unwrap_or(1)))
}

fn array(name: &str, arrays: &[Named]) -> Result<usize, String> {
    arrays.iter().position(|a| a.name == name).ok_or_else(|| {
        format!("there is no array `{name}`; --in {name}=FILE, --init {name}=FILE or --shape {name}=f32:128,64 makes one")
    })
}

fn param(text: &str, arrays: &[Named], maps: &mut Vec<TensorMapSpec>) -> Result<ParamKind, String> {
    let form =
        "KIND:VALUE is wanted, as in ptr:x, i32:5, f32:1.5, map:x,box=64x8, bytes:00ff or scratch:4096";
    let (kind, value) = text.split_once(':').ok_or(form)?;
    match kind {
        "ptr" => {
            let (name, offset) = value.split_once('+').unwrap_or((value, "0"));
            let byte_offset = offset.parse().map_err(|_| format!("`{offset}` is no number of bytes"))?;
            Ok(ParamKind::Pointer { operand: array(name, arrays)?, byte_offset, align: 1 })
        }
        "map" => {
            let mut indices = Vec::new();
            for one in value.split(';') {
                indices.push(maps.len());
                maps.push(map(one, arrays)?);
            }
            Ok(ParamKind::TensorMaps(indices))
        }
        "bytes" => {
            let bytes = from_hex(value)
                .ok_or_else(|| format!("`{value}` is no list of pairs of hexadecimal digits"))?;
            Ok(ParamKind::Bytes(bytes, None))
        }
        "scratch" => {
            let bytes = value.parse().map_err(|_| format!("`{value}` is no number of bytes"))?;
            Ok(ParamKind::Scratch { bytes, align: 1 })
        }
        _ => {
            let dtype = DType::parse(kind).ok_or_else(|| format!("`{kind}` is no kind; {form}"))?;
            Ok(ParamKind::Bytes(dtype.encode(value)?, Some(dtype)))
        }
    }
}

fn map(text: &str, arrays: &[Named]) -> Result<TensorMapSpec, String> {
    let mut parts = text.split(',');
    let operand = array(parts.next().unwrap_or_default(), arrays)?;
    let a = &arrays[operand];
    let element = TensorMapSpec::element_named(a.dtype.name()).unwrap_or(ElementType::U8);
    let mut dims: Vec<u64> = a.shape.iter().rev().copied().collect();
    let mut strides = None;
    let mut spec = TensorMapSpec {
        operand,
        offset: 0,
        element,
        global_dim: Vec::new(),
        global_stride: Vec::new(),
        box_dim: Vec::new(),
        element_strides: Vec::new(),
        swizzle: Swizzle::None,
        interleave: Interleave::None,
        l2_promotion: L2Promotion::None,
        oob_fill: OobFill::Zeros,
    };
    for part in parts {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("`{part}` is no KEY=VALUE"))?;
        match key {
            "box" => spec.box_dim = list(value)?,
            "dims" => dims = list(value)?,
            "strides" => strides = Some(list::<u64>(value)?),
            "steps" => spec.element_strides = list(value)?,
            "offset" => {
                spec.offset = value.parse().map_err(|_| format!("`{value}` is no number of bytes"))?
            }
            "swizzle" => {
                spec.swizzle = TensorMapSpec::swizzle_named(value).ok_or_else(|| {
                    format!("`{value}` is no swizzle; none, 32B, 64B, 128B, 128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B or 128B_ATOM_64B is wanted")
                })?;
            }
            "oob" => {
                spec.oob_fill = TensorMapSpec::fill_named(value)
                    .ok_or_else(|| format!("`{value}` is no fill; zeros or nan is wanted"))?;
            }
            "element" => {
                let full = DType::parse(value).map_or(value, |dtype| dtype.name());
                spec.element = TensorMapSpec::element_named(full)
                    .ok_or_else(|| format!("`{value}` is no element type"))?;
            }
            _ => {
                return Err(format!(
                    "`{key}` is unknown; box, dims, strides, steps, offset, swizzle, oob or element is wanted"
                ));
            }
        }
    }
    if spec.box_dim.is_empty() {
        return Err("the box is missing: box=64x8, the innermost dimension first".to_owned());
    }
    let dense = || {
        dims.iter().take(dims.len().saturating_sub(1)).scan(spec.element.bits() as u64, |bits, &n| {
            *bits = bits.saturating_mul(n);
            Some(*bits / 8)
        })
    };
    spec.global_stride = strides.unwrap_or_else(|| dense().collect()).into_iter().map(Size::Known).collect();
    spec.global_dim = dims.into_iter().map(Size::Known).collect();
    if spec.element_strides.is_empty() {
        spec.element_strides = vec![1; spec.global_dim.len()];
    }
    Ok(spec)
}

fn list<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    let items = text
        .split('x')
        .map(|n| n.parse().map_err(|_| format!("`{text}` is no list of numbers such as 64x8")));
    items.collect()
}
