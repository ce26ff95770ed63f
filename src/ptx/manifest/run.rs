//! A launch by a manifest: arrays in, a device with everything in place, arrays out.

use super::array::{Array, DType, count, shape_text};
use super::error::{Kind, ManifestError};
use super::{Direction, GridSize, Manifest, Operand, ParamKind, Size, fit};
use crate::env::Dims;
use crate::error::ParseError;
use crate::launch::{Device, Launch, LaunchError, Loaded, Module, Outcome, RunOptions};
use crate::program::{Formal, FunctionId};
use thiserror::Error;
use tidegate_machine::grid::Gauge;
use tidegate_machine::schedule::{RoundRobin, Schedule};
use tidegate_machine::tensormap::MAP_BYTES;

type Result<T> = std::result::Result<T, ManifestError>;

/// A manifest, held against a module, with the arrays of a launch.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    manifest: &'a Manifest,
    module: &'a Module,
    kernel: FunctionId,
    given: Vec<Option<Array>>,
    shapes: Vec<Option<Vec<u64>>>,
    values: Vec<Option<Vec<u8>>>,
    grid: Option<[u32; 3]>,
}

/// A device with a launch in place.
#[derive(Debug)]
pub struct Prepared {
    /// Global memory, with the operands in it.
    pub device: Device,
    /// The module on it.
    pub loaded: Loaded,
    /// The kernel.
    pub kernel: FunctionId,
    /// How it is launched.
    pub launch: Launch,
    buffers: Vec<Buffer>,
}

/// An operand in global memory.
#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    direction: Direction,
    dtype: DType,
    shape: Vec<u64>,
    /// In elements.
    strides: Vec<u64>,
    address: u64,
}

fn operand_error(o: &Operand, text: impl Into<String>) -> ManifestError {
    ManifestError::new(Kind::Operand, format!("operand `{}`", o.name), text)
}

fn launch_error(error: LaunchError) -> ManifestError {
    ManifestError::new(Kind::Launch, "", error.to_string())
}

impl<'a> Run<'a> {
    /// Holds the manifest against the module.
    ///
    /// # Errors
    ///
    /// Each misfit.
    pub fn new(
        manifest: &'a Manifest,
        module: &'a Module,
    ) -> std::result::Result<Run<'a>, Vec<ManifestError>> {
        let kernel = fit::check(manifest, module)?;
        let operands = manifest.operands.len();
        Ok(Run {
            manifest,
            module,
            kernel,
            given: vec![None; operands],
            shapes: vec![None; operands],
            values: vec![None; manifest.params.len()],
            grid: None,
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &'a Manifest {
        self.manifest
    }

    /// Gives an operand its contents: what an input holds, or what is in an output before the kernel writes it.
    ///
    /// # Errors
    ///
    /// A type or shape other than the manifest's.
    ///
    /// # Panics
    ///
    /// Never: an index that is none is ignored.
    pub fn set(&mut self, operand: usize, array: Array) -> Result<()> {
        let Some(o) = self.manifest.operands.get(operand) else { return Ok(()) };
        if array.dtype != o.dtype {
            let text = format!("the array is {}, the kernel takes {}", array.dtype.name(), o.dtype.name());
            return Err(operand_error(o, text).help(format!("in numpy: x.astype(\"{}\")", o.dtype.name())));
        }
        self.set_shape(operand, array.shape.clone())?;
        self.given[operand] = Some(array);
        Ok(())
    }

    /// Gives the shape of an operand with extents that only the launch knows.
    ///
    /// # Errors
    ///
    /// A shape other than the manifest's.
    pub fn set_shape(&mut self, operand: usize, shape: Vec<u64>) -> Result<()> {
        let Some(o) = self.manifest.operands.get(operand) else { return Ok(()) };
        let fits = shape.len() == o.shape.len()
            && shape.iter().zip(&o.shape).all(|(&found, &wanted)| match wanted {
                Size::Known(n) => n == found,
                Size::Extent { .. } | Size::Stride { .. } => true,
            });
        if !fits {
            let wanted: Vec<String> = o
                .shape
                .iter()
                .map(|s| match s {
                    Size::Known(n) => n.to_string(),
                    Size::Extent { .. } | Size::Stride { .. } => "?".to_owned(),
                })
                .collect();
            let wanted = if wanted.is_empty() { "scalar".to_owned() } else { wanted.join(" x ") };
            let text = format!("the array's shape is {}, the kernel takes {wanted}", shape_text(&shape));
            return Err(operand_error(o, text));
        }
        self.shapes[operand] = Some(shape);
        Ok(())
    }

    /// Gives the number of a scalar: an operand of shape `[]`, or a parameter of kind `scalar`, by name.
    ///
    /// # Errors
    ///
    /// There is none of this name; a text that denotes no such number.
    pub fn set_scalar(&mut self, name: &str, text: &str) -> Result<()> {
        if let Some(index) = self.manifest.operand(name) {
            let o = &self.manifest.operands[index];
            if !o.shape.is_empty() {
                return Err(operand_error(
                    o,
                    format!("it is an array of {} dimensions, no scalar", o.shape.len()),
                ));
            }
            let bytes = o.dtype.encode(text).map_err(|text| operand_error(o, text))?;
            self.given[index] = Some(Array { dtype: o.dtype, shape: Vec::new(), bytes });
            self.shapes[index] = Some(Vec::new());
            return Ok(());
        }
        let param = self.manifest.params.iter().position(|p| p.name == name);
        if let Some(index) = param
            && let ParamKind::Bytes(_, Some(dtype)) = &self.manifest.params[index].kind
        {
            let bytes = dtype.encode(text);
            self.values[index] = Some(
                bytes.map_err(|text| ManifestError::new(Kind::Operand, format!("params[{index}]"), text))?,
            );
            return Ok(());
        }
        let mut known: Vec<&str> =
            self.manifest.operands.iter().filter(|o| o.shape.is_empty()).map(|o| o.name.as_str()).collect();
        for p in &self.manifest.params {
            if matches!(p.kind, ParamKind::Bytes(_, Some(_))) {
                known.push(&p.name);
            }
        }
        let has =
            if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        Err(ManifestError::new(Kind::Operand, "", format!("the kernel has no scalar `{name}`; {has}")))
    }

    /// Gives the grid, in blocks.
    ///
    /// # Errors
    ///
    /// An extent other than the one that the manifest states.
    pub fn set_grid(&mut self, grid: [u32; 3]) -> Result<()> {
        for (axis, (&found, wanted)) in grid.iter().zip(&self.manifest.grid).enumerate() {
            let wrong = match *wanted {
                GridSize::Known(n) if n != found => {
                    Some(format!("{found} blocks, while the kernel was made for {n}"))
                }
                GridSize::Launch(factor) if found % factor != 0 => {
                    Some(format!("{found} blocks are no multiple of {factor}"))
                }
                _ => None,
            };
            if let Some(text) = wrong {
                return Err(ManifestError::new(Kind::Launch, format!("grid[{axis}]"), text));
            }
        }
        self.grid = Some(grid);
        Ok(())
    }

    /// The operands that need contents and have none.
    pub fn missing(&self) -> Vec<usize> {
        let needs = |(i, o): &(usize, &Operand)| {
            self.given[*i].is_none() && (o.direction != Direction::Out || self.is_scalar(*i))
        };
        self.manifest.operands.iter().enumerate().filter(needs).map(|(i, _)| i).collect()
    }

    /// Whether an operand is passed by value.
    fn is_scalar(&self, operand: usize) -> bool {
        self.manifest.params.iter().any(|p| p.kind == ParamKind::Scalar(operand))
    }

    /// Gives all missing inputs random whole numbers ([`Array::random`]), other ones for each operand.
    ///
    /// # Errors
    ///
    /// A shape that only the launch knows.
    pub fn randomise(&mut self, seed: u64) -> Result<()> {
        for index in self.missing() {
            let o = &self.manifest.operands[index];
            let shape = self.shape(index, 0)?;
            let array = Array::random(o.dtype, &shape, seed.wrapping_add((index as u64) << 32))
                .ok_or_else(|| operand_error(o, format!("{} elements are too many", shape_text(&shape))))?;
            self.given[index] = Some(array);
        }
        Ok(())
    }

    fn shape(&self, operand: usize, depth: u32) -> Result<Vec<u64>> {
        if let Some(shape) = &self.shapes[operand] {
            return Ok(shape.clone());
        }
        let o = &self.manifest.operands[operand];
        let mut shape = Vec::with_capacity(o.shape.len());
        for (d, &size) in o.shape.iter().enumerate() {
            let own = matches!(size, Size::Extent { operand: other, .. } | Size::Stride { operand: other, .. } if other == operand);
            if own || depth > 16 {
                let text = format!("the extent of its dimension {d} is known at the launch only");
                return Err(operand_error(o, text).help("give an array, or the shape"));
            }
            shape.push(self.size(size, depth + 1)?);
        }
        Ok(shape)
    }

    /// Strides in elements.
    fn strides(&self, operand: usize, shape: &[u64]) -> Vec<u64> {
        let mut strides = vec![1u64; shape.len()];
        let stated = self.manifest.operands[operand].strides.as_deref().unwrap_or(&[]);
        let mut dense = 1u64;
        for d in (0..shape.len()).rev() {
            strides[d] = stated.get(d).copied().flatten().unwrap_or(dense);
            dense = strides[d].saturating_mul(shape[d].max(1));
        }
        strides
    }

    fn size(&self, size: Size, depth: u32) -> Result<u64> {
        match size {
            Size::Known(n) => Ok(n),
            Size::Extent { operand, dim, divisor } => {
                let extent = self.shape(operand, depth)?[dim];
                if extent % divisor != 0 {
                    let o = &self.manifest.operands[operand];
                    let text =
                        format!("its extent of dimension {dim}, {extent}, is no multiple of {divisor}");
                    return Err(operand_error(o, text));
                }
                Ok(extent / divisor)
            }
            Size::Stride { operand, dim, factor } => {
                let shape = self.shape(operand, depth)?;
                Ok(self.strides(operand, &shape)[dim].saturating_mul(factor))
            }
        }
    }

    /// Puts everything in place on a new device.
    ///
    /// # Errors
    ///
    /// An input without contents, a map or a launch that a driver would refuse.
    pub fn prepare(&self) -> Result<Prepared> {
        let manifest = self.manifest;
        if let Some(&index) = self.missing().first() {
            let o = &manifest.operands[index];
            return Err(operand_error(
                o,
                format!("the kernel reads it (`{}`), and it has no contents", o.direction.as_str()),
            ));
        }
        let dims = self.dims()?;
        let mut device = Device::new();
        let loaded = device.load(self.module).map_err(launch_error)?;
        let mut buffers = Vec::with_capacity(manifest.operands.len());
        for (index, o) in manifest.operands.iter().enumerate() {
            buffers.push(self.place(&mut device, index, o)?);
        }
        let function = &self.module.code.program.functions[self.kernel.0 as usize];
        let mut params = vec![0; usize::try_from(function.param_bytes).unwrap_or(0)];
        for (index, (param, formal)) in manifest.params.iter().zip(&function.params).enumerate() {
            let Formal::Memory(id) = formal else { continue };
            let bytes = self.param_bytes(&mut device, index, param, &buffers)?;
            let at = self.module.code.program.symbols[id.0 as usize].offset as usize;
            if let Some(to) = params.get_mut(at..at + bytes.len()) {
                to.copy_from_slice(&bytes);
            }
        }
        let launch = Launch {
            dims,
            dynamic_shared_bytes: manifest.dynamic_shared_bytes,
            dynamic_shared_symbol: manifest
                .dynamic_shared_symbol
                .clone()
                .filter(|_| manifest.dynamic_shared_bytes > 0),
            dynamic_shared_align: manifest.dynamic_shared_min_align,
            params,
        };
        device.check(&loaded, self.kernel, &launch).map_err(launch_error)?;
        Ok(Prepared { device, loaded, kernel: self.kernel, launch, buffers })
    }

    fn dims(&self) -> Result<Dims> {
        let mut grid = [1; 3];
        for (axis, size) in self.manifest.grid.iter().enumerate() {
            grid[axis] = match (self.grid, *size) {
                (Some(given), _) => given[axis],
                (None, GridSize::Known(n)) => n,
                (None, GridSize::Launch(_)) => {
                    let text = "the launch decides how many blocks there are, and nobody has said";
                    return Err(
                        ManifestError::new(Kind::Launch, format!("grid[{axis}]"), text).help("give the grid")
                    );
                }
            };
        }
        Ok(Dims {
            grid,
            block: self.manifest.block,
            cluster: self.manifest.cluster,
            explicit_cluster: self.manifest.cluster_attribute,
        })
    }

    /// Reserves an operand's memory and writes its contents.
    fn place(&self, device: &mut Device, index: usize, o: &Operand) -> Result<Buffer> {
        let shape = self.shape(index, 0)?;
        let strides = self.strides(index, &shape);
        let size = o.dtype.bytes() as u64;
        let last = shape.iter().zip(&strides).try_fold(0u64, |at, (&extent, &stride)| {
            at.checked_add(extent.saturating_sub(1).checked_mul(stride)?)
        });
        let empty = count(&shape) == Some(0);
        let bytes = last.and_then(|n| n.checked_add(1)?.checked_mul(size)).filter(|_| !empty);
        let bytes = match bytes {
            Some(bytes) => bytes,
            None if empty => 0,
            None => return Err(operand_error(o, format!("{} elements are too many", shape_text(&shape)))),
        };
        let address = device.allocate(&o.name, bytes).map_err(launch_error)?;
        let buffer =
            Buffer { name: o.name.clone(), direction: o.direction, dtype: o.dtype, shape, strides, address };
        if let Some(array) = &self.given[index] {
            for (at, from, len) in buffer.runs() {
                if let Some(data) = array.bytes.get(from..from + len) {
                    device.write(address + at, data);
                }
            }
        }
        if buffer.direction == Direction::In {
            // What a kernel only reads is checked to stay as it is, and needs no watch for races.
            device.protect(address);
        }
        Ok(buffer)
    }

    /// The descriptor of a tensor map.
    fn map_bytes(&self, map: usize, buffers: &[Buffer]) -> Result<[u8; MAP_BYTES]> {
        let spec = &self.manifest.tensor_maps[map];
        let address = buffers[spec.operand].address.wrapping_add(spec.offset);
        let path = format!("tensor_maps[{map}] (of `{}`)", buffers[spec.operand].name);
        spec.encode(&path, address, &|size| self.size(size, 0))
    }

    fn param_bytes(
        &self,
        device: &mut Device,
        index: usize,
        param: &super::Param,
        buffers: &[Buffer],
    ) -> Result<Vec<u8>> {
        Ok(match &param.kind {
            ParamKind::Pointer { operand, byte_offset, align } => {
                let address = buffers[*operand].address.wrapping_add(*byte_offset);
                if !address.is_multiple_of(*align) {
                    let text = format!("{address:#x} is no multiple of {align}, which the kernel relies on");
                    let path = format!("params[{index}].byte_offset");
                    return Err(ManifestError::new(Kind::Launch, path, text));
                }
                address.to_le_bytes().to_vec()
            }
            ParamKind::TensorMaps(maps) => {
                let mut bytes = Vec::with_capacity(128 * maps.len());
                for &map in maps {
                    bytes.extend(self.map_bytes(map, buffers)?);
                }
                bytes
            }
            ParamKind::Structure(s) => {
                let mut bytes = s.bytes.clone();
                let mut put = |offset: usize, data: &[u8]| {
                    if let Some(to) = bytes.get_mut(offset..offset.saturating_add(data.len())) {
                        to.copy_from_slice(data);
                    }
                };
                for &(offset, map) in &s.maps {
                    put(offset, &self.map_bytes(map, buffers)?);
                }
                for &(offset, operand, add) in &s.addresses {
                    put(offset, &buffers[operand].address.wrapping_add(add).to_le_bytes());
                }
                bytes
            }
            ParamKind::Scalar(operand) => {
                self.given[*operand].as_ref().map(|array| array.bytes.clone()).unwrap_or_default()
            }
            ParamKind::Bytes(bytes, _) => self.values[index].clone().unwrap_or_else(|| bytes.clone()),
            ParamKind::Number(size) => self.size(*size, 0)?.to_le_bytes().to_vec(),
            ParamKind::Scratch { bytes: 0, .. } => vec![0; 8],
            ParamKind::Scratch { bytes, align } => {
                let address = device.allocate(&param.name, *bytes).map_err(launch_error)?;
                device.fill_zeros(address);
                // Allocations start at multiples of 512.
                if !address.is_multiple_of(*align) {
                    let text = format!("scratch is aligned to 512 bytes at most, {align} is asked for");
                    return Err(ManifestError::new(
                        Kind::Launch,
                        format!("params[{index}].scratch_align"),
                        text,
                    ));
                }
                address.to_le_bytes().to_vec()
            }
        })
    }
}

impl Buffer {
    /// Pieces that are dense on both sides: offset in the buffer, offset in the dense array, bytes.
    fn runs(&self) -> Vec<(u64, usize, usize)> {
        let size = self.dtype.bytes();
        let total = count(&self.shape).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let mut dense = 1u64;
        let is_dense = self.shape.iter().zip(&self.strides).rev().all(|(&extent, &stride)| {
            let fits = stride == dense || extent == 1;
            dense = dense.saturating_mul(extent);
            fits
        });
        if is_dense || total == 0 {
            return if total == 0 { Vec::new() } else { vec![(0, 0, total * size)] };
        }
        let (inner, inner_stride) = match (self.shape.last(), self.strides.last()) {
            (Some(&extent), Some(&stride)) => (extent as usize, stride),
            _ => (1, 1),
        };
        let per_run = if inner_stride == 1 { inner } else { 1 };
        let mut runs = Vec::with_capacity(total / per_run.max(1));
        for first in (0..total).step_by(per_run.max(1)) {
            let mut rest = first as u64;
            let mut at = 0u64;
            for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
                at += rest % extent * stride;
                rest /= extent;
            }
            runs.push((at * size as u64, first * size, per_run * size));
        }
        runs
    }
}

impl Prepared {
    /// Runs the kernel under a schedule for each cluster.
    ///
    /// # Errors
    ///
    /// A launch that a driver would refuse. What goes wrong while it runs is a finding in the outcome.
    pub fn run(
        &mut self,
        options: &RunOptions,
        gauge: &Gauge,
        schedule: &(dyn Fn(u64) -> Box<dyn Schedule> + Sync),
    ) -> Result<Outcome> {
        let result = self.device.launch(&self.loaded, self.kernel, &self.launch, options, gauge, schedule);
        result.map_err(launch_error)
    }

    /// How many clusters the grid has.
    pub fn clusters(&self) -> u64 {
        let d = &self.launch.dims;
        (0..3).map(|i| u64::from(d.grid[i] / d.cluster[i].max(1))).product()
    }

    /// The contents of an operand.
    pub fn array(&self, operand: usize) -> Option<Array> {
        let buffer = self.buffers.get(operand)?;
        let mut array = Array::zeros(buffer.dtype, &buffer.shape)?;
        for (at, to, len) in buffer.runs() {
            let data = self.device.read(buffer.address + at, len as u64)?;
            array.bytes.get_mut(to..to + len)?.copy_from_slice(&data);
        }
        Some(array)
    }

    /// The index of the first element of an operand that nothing has written in full.
    pub fn unwritten(&self, operand: usize) -> Option<Vec<u64>> {
        let buffer = self.buffers.get(operand)?;
        let missing = |(at, from, len): (u64, usize, usize)| {
            let byte = self.device.first_unwritten(buffer.address + at, len as u64)?;
            Some(from + byte as usize)
        };
        let byte = buffer.runs().into_iter().find_map(missing)?;
        let position = byte / buffer.dtype.bytes();
        Some(Array { dtype: buffer.dtype, shape: buffer.shape.clone(), bytes: Vec::new() }.index(position))
    }

    /// The operands that the kernel writes, in order: name and contents.
    pub fn outputs(&self) -> Vec<(String, Array)> {
        let written = self.buffers.iter().enumerate().filter(|(_, b)| b.direction != Direction::In);
        written.filter_map(|(i, b)| Some((b.name.clone(), self.array(i)?))).collect()
    }
}

/// Why [`run_manifest`] did not come to run the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The PTX has mistakes.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Ptx(Vec<ParseError>),
    /// The manifest has, or does not fit.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Manifest(Vec<ManifestError>),
}

/// Launches a kernel by its manifest, agents in turn. `inputs` are the contents of the operands that the kernel reads
/// (`in` and `inout`), in the order of the manifest; other operands start without contents.
///
/// # Errors
///
/// Mistakes in the PTX or the manifest, arrays that do not fit, a launch that a driver would refuse. What goes wrong
/// while the kernel runs is a finding in the outcome.
pub fn run_manifest(
    ptx: &str,
    manifest: &str,
    inputs: &[Array],
    options: &RunOptions,
) -> std::result::Result<(Vec<(String, Array)>, Outcome), RunError> {
    let one = |error: ManifestError| RunError::Manifest(vec![error]);
    let module = Module::from_text(ptx).map_err(RunError::Ptx)?;
    let manifest = Manifest::from_json(manifest).map_err(one)?;
    let mut run = Run::new(&manifest, &module).map_err(RunError::Manifest)?;
    let read = run.missing();
    if read.len() != inputs.len() {
        let text = format!("{} arrays are given, the kernel reads {}", inputs.len(), read.len());
        return Err(one(ManifestError::new(Kind::Operand, "operands", text)));
    }
    for (operand, array) in read.into_iter().zip(inputs) {
        run.set(operand, array.clone()).map_err(one)?;
    }
    let mut prepared = run.prepare().map_err(one)?;
    let schedule = |_| Box::new(RoundRobin::default()) as Box<dyn Schedule>;
    let outcome = prepared.run(options, &Gauge::default(), &schedule).map_err(one)?;
    Ok((prepared.outputs(), outcome))
}
