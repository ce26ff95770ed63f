//! The manifest as it stands in JSON, and the checks that make a [`super::Manifest`] of it.

use super::array::{DType, count};
use super::error::{Kind, ManifestError};
use super::{Direction, GridSize, Operand, Param, ParamKind, Size, Structure};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor, value::MapAccessDeserializer};
use serde_json::Value;
use std::fmt;

type Result<T> = std::result::Result<T, ManifestError>;

/// Reads JSON; an error names the path and the place.
pub(super) fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let bad = |path: String, error: serde_json::Error| {
        let place = (error.line() > 0).then(|| (error.line(), error.column().max(1)));
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message).to_owned();
        let path = if path == "." { String::new() } else { path };
        ManifestError { place, ..ManifestError::new(Kind::Manifest, path, message) }
    };
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| bad(error.path().to_string(), error.into_inner()))?;
    reader.end().map_err(|error| bad(String::new(), error))?;
    Ok(value)
}

/// Fields with `IgnoredAny` annotate: nothing here depends on them.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    kernel: String,
    entry: String,
    target: Option<String>,
    grid: [GridNumber; 3],
    #[serde(default, rename = "grid_axes")]
    _grid_axes: Option<IgnoredAny>,
    #[serde(default = "ones")]
    cluster: [u32; 3],
    #[serde(default)]
    cluster_attribute: bool,
    block: [u32; 3],
    #[serde(default)]
    dynamic_shared_bytes: u32,
    #[serde(default)]
    dynamic_shared_symbol: Option<String>,
    #[serde(default = "one")]
    dynamic_shared_min_align: u32,
    params: Vec<RawParam>,
    #[serde(default)]
    tensor_maps: Vec<super::maps::RawMap>,
    operands: Vec<RawOperand>,
    #[serde(default)]
    checks: Option<Value>,
    #[serde(default, rename = "made_by")]
    _made_by: Option<IgnoredAny>,
    #[serde(default, rename = "what")]
    _what: Option<IgnoredAny>,
    #[serde(default, rename = "ptx")]
    _ptx: Option<IgnoredAny>,
    #[serde(default, rename = "source")]
    _source: Option<IgnoredAny>,
    #[serde(default, rename = "blocks_must_run_together")]
    _blocks_must_run_together: Option<IgnoredAny>,
}

fn ones() -> [u32; 3] {
    [1; 3]
}

fn one() -> u32 {
    1
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParam {
    name: String,
    bytes: u64,
    align: u64,
    kind: String,
    index: Option<usize>,
    operand: Option<usize>,
    byte_offset: Option<u64>,
    points_to_align: Option<u64>,
    dim: Option<usize>,
    maps: Option<Vec<RawMapUse>>,
    #[serde(default)]
    relocations: Vec<RawRelocation>,
    dtype: Option<String>,
    value: Option<Value>,
    hex: Option<String>,
    scratch_bytes: Option<u64>,
    scratch_align: Option<u64>,
    #[serde(rename = "points_to_bytes")]
    _points_to_bytes: Option<IgnoredAny>,
    #[serde(rename = "operand_name")]
    _operand_name: Option<IgnoredAny>,
    #[serde(rename = "operand_direction")]
    _operand_direction: Option<IgnoredAny>,
}

/// `2`, or `{"offset": 128, "map": 2}`.
#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "the index of a map or {\"offset\": BYTES, \"map\": INDEX} is wanted")]
enum RawMapUse {
    Index(usize),
    At(RawMapAt),
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMapAt {
    offset: usize,
    map: usize,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRelocation {
    offset: usize,
    operand: usize,
    #[serde(default)]
    byte_offset: u64,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOperand {
    name: String,
    direction: String,
    dtype: String,
    shape: Vec<Number>,
    index: Option<usize>,
    bytes: Option<u64>,
    layout: Option<String>,
    strides: Option<Vec<Option<u64>>>,
    fill: Option<Value>,
    #[serde(rename = "npy_dtype")]
    _npy_dtype: Option<IgnoredAny>,
    #[serde(rename = "expected")]
    _expected: Option<IgnoredAny>,
    #[serde(rename = "expected_fnv1a64")]
    _expected_fnv1a64: Option<IgnoredAny>,
    #[serde(rename = "input_fnv1a64")]
    _input_fnv1a64: Option<IgnoredAny>,
}

/// `5`, or `{"operand": 0, "dim": 1, "divisor": 8}`, or `{"operand": 0, "stride": 0, "factor": 2}`.
pub(super) struct Number(pub(super) std::result::Result<u64, LaunchNumber>);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchNumber {
    operand: usize,
    dim: Option<usize>,
    divisor: Option<u64>,
    stride: Option<usize>,
    factor: Option<u64>,
}

/// `5`, or `{"launch": 0, "factor": 2}`.
struct GridNumber(std::result::Result<u32, LaunchGrid>);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchGrid {
    launch: usize,
    factor: Option<u32>,
}

/// A number or an object.
struct Either<T>(std::marker::PhantomData<T>, &'static str);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = std::result::Result<u64, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number, or an object {}", self.1)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> std::result::Result<Self::Value, E> {
        Ok(Ok(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Err)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<Number, D::Error> {
        let form = "{\"operand\": N, \"dim\": D} or {\"operand\": N, \"stride\": D}";
        d.deserialize_any(Either(std::marker::PhantomData, form)).map(Number)
    }
}

impl<'de> Deserialize<'de> for GridNumber {
    fn deserialize<D: Deserializer<'de>>(d: D) -> std::result::Result<GridNumber, D::Error> {
        let either: std::result::Result<u64, LaunchGrid> =
            d.deserialize_any(Either(std::marker::PhantomData, "{\"launch\": AXIS, \"factor\": N}"))?;
        match either {
            Ok(n) => u32::try_from(n).map(|n| GridNumber(Ok(n))).map_err(|_| {
                serde::de::Error::custom(format_args!("{n} blocks are more than a grid can have"))
            }),
            Err(launch) => Ok(GridNumber(Err(launch))),
        }
    }
}

pub(super) fn wrong<T>(path: impl Into<String>, message: impl Into<String>) -> Result<T> {
    Err(ManifestError::new(Kind::Manifest, path, message))
}

impl Number {
    /// Checks that what it refers to is there.
    pub(super) fn check(&self, path: &str, operands: &[usize]) -> Result<Size> {
        let launch = match &self.0 {
            Ok(n) => return Ok(Size::Known(*n)),
            Err(launch) => launch,
        };
        let rank = |dim: usize| match operands.get(launch.operand) {
            None => wrong(path, format!("there is no operand {}", launch.operand)),
            Some(&rank) if dim >= rank => wrong(
                path,
                format!("operand {} has {rank} dimensions, dimension {dim} is asked for", launch.operand),
            ),
            Some(_) => Ok(()),
        };
        match (launch.dim, launch.stride) {
            (Some(dim), None) if launch.factor.is_none() => {
                rank(dim)?;
                let divisor = launch.divisor.unwrap_or(1);
                if divisor == 0 {
                    return wrong(path, "`divisor` is 0");
                }
                Ok(Size::Extent { operand: launch.operand, dim, divisor })
            }
            (None, Some(dim)) if launch.divisor.is_none() => {
                rank(dim)?;
                Ok(Size::Stride { operand: launch.operand, dim, factor: launch.factor.unwrap_or(1) })
            }
            _ => wrong(path, "either `dim` (with `divisor`) or `stride` (with `factor`) is wanted"),
        }
    }
}

impl Manifest {
    pub(super) fn check(self) -> Result<super::Manifest> {
        let ranks: Vec<usize> = self.operands.iter().map(|o| o.shape.len()).collect();
        let mut grid = [GridSize::Known(1); 3];
        for (axis, number) in self.grid.iter().enumerate() {
            grid[axis] = match &number.0 {
                Ok(n) => GridSize::Known(*n),
                Err(launch) if launch.launch != axis => {
                    return wrong(
                        format!("grid[{axis}]"),
                        format!("`launch` is {}, {axis} is wanted", launch.launch),
                    );
                }
                Err(launch) => GridSize::Launch(launch.factor.unwrap_or(1).max(1)),
            };
        }
        if !self.dynamic_shared_min_align.is_power_of_two() {
            let text = format!("{} is no power of two", self.dynamic_shared_min_align);
            return wrong("dynamic_shared_min_align", text);
        }
        let mut operands: Vec<Operand> = Vec::with_capacity(self.operands.len());
        for (i, raw) in self.operands.into_iter().enumerate() {
            let operand = raw.check(i, &ranks)?;
            if operands.iter().any(|o| o.name == operand.name) {
                return wrong(format!("operands[{i}].name"), format!("`{}` is there twice", operand.name));
            }
            operands.push(operand);
        }
        let maps = self.tensor_maps.len();
        let mut tensor_maps = Vec::with_capacity(maps);
        for (i, raw) in self.tensor_maps.into_iter().enumerate() {
            tensor_maps.push(raw.check(i, &ranks)?);
        }
        let mut params = Vec::with_capacity(self.params.len());
        for (i, raw) in self.params.into_iter().enumerate() {
            params.push(raw.check(i, &operands, maps)?);
        }
        Ok(super::Manifest {
            kernel: self.kernel,
            entry: self.entry,
            target: self.target,
            grid,
            cluster: self.cluster,
            cluster_attribute: self.cluster_attribute,
            block: self.block,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            dynamic_shared_symbol: self.dynamic_shared_symbol.filter(|s| !s.is_empty()),
            dynamic_shared_min_align: self.dynamic_shared_min_align,
            params,
            tensor_maps,
            operands,
            checks: self.checks,
        })
    }
}

fn index_is(path: &str, found: Option<usize>, wanted: usize) -> Result<()> {
    match found {
        Some(found) if found != wanted => {
            wrong(format!("{path}.index"), format!("{found}, while this is the entry {wanted}"))
        }
        _ => Ok(()),
    }
}

impl RawOperand {
    fn check(self, i: usize, ranks: &[usize]) -> Result<Operand> {
        let path = format!("operands[{i}]");
        index_is(&path, self.index, i)?;
        let direction = match self.direction.as_str() {
            "in" => Direction::In,
            "out" => Direction::Out,
            "inout" => Direction::InOut,
            other => {
                return wrong(format!("{path}.direction"), format!("`{other}`; in, out or inout is wanted"));
            }
        };
        let dtype = dtype(&format!("{path}.dtype"), &self.dtype)?;
        let mut shape = Vec::with_capacity(self.shape.len());
        for (d, number) in self.shape.iter().enumerate() {
            shape.push(number.check(&format!("{path}.shape[{d}]"), ranks)?);
        }
        let strides = match (self.layout.as_deref(), self.strides) {
            (_, Some(strides)) if strides.len() != shape.len() => {
                let text = format!("{} strides for {} dimensions", strides.len(), shape.len());
                return wrong(format!("{path}.strides"), text);
            }
            (_, Some(strides)) => Some(strides),
            (None | Some("row-major, dense"), None) => None,
            // The strides that the kernel knows are not told: the dense ones are all that can be passed.
            (Some("strided"), None) => Some(vec![None; shape.len()]),
            (Some(other), None) => {
                let text = format!("`{other}`; `row-major, dense` or `strided` is wanted");
                return wrong(format!("{path}.layout"), text);
            }
        };
        let known: Option<Vec<u64>> = shape
            .iter()
            .map(|s| match s {
                Size::Known(n) => Some(*n),
                _ => None,
            })
            .collect();
        if let (Some(bytes), Some(known), None) = (self.bytes, &known, &strides) {
            let wanted = count(known).and_then(|n| n.checked_mul(dtype.bytes() as u64));
            if wanted != Some(bytes) {
                let text = format!(
                    "{bytes}, while {} elements of {} take {}",
                    super::array::shape_text(known),
                    dtype.name(),
                    wanted.map_or("more than there can be".to_owned(), |n| n.to_string())
                );
                return wrong(format!("{path}.bytes"), text);
            }
        }
        Ok(Operand { name: self.name, direction, dtype, shape, strides, fill: self.fill })
    }
}

fn dtype(path: &str, name: &str) -> Result<DType> {
    DType::parse(name).ok_or_else(|| {
        let known: Vec<_> = DType::ALL.iter().map(|d| d.name()).collect();
        ManifestError::new(Kind::Manifest, path, format!("`{name}` is no type of arrays here"))
            .help(format!("the types are {}", known.join(", ")))
    })
}

impl RawParam {
    fn check(self, i: usize, operands: &[Operand], maps: usize) -> Result<Param> {
        let path = format!("params[{i}]");
        index_is(&path, self.index, i)?;
        if !self.align.is_power_of_two() {
            return wrong(format!("{path}.align"), format!("{} is no power of two", self.align));
        }
        let needs = |what: &str| format!("`{what}` is missing; a parameter of kind `{}` needs it", self.kind);
        let operand = || match self.operand {
            None => wrong(path.as_str(), needs("operand")),
            Some(index) if index >= operands.len() => wrong(
                format!("{path}.operand"),
                format!("{index}, while there are {} operands", operands.len()),
            ),
            Some(index) => Ok(index),
        };
        let dim = |operand: usize| match self.dim {
            None => wrong(path.as_str(), needs("dim")),
            Some(dim) if dim >= operands[operand].shape.len() => wrong(
                format!("{path}.dim"),
                format!(
                    "{dim}, while `{}` has {} dimensions",
                    operands[operand].name,
                    operands[operand].shape.len()
                ),
            ),
            Some(dim) => Ok(dim),
        };
        let (kind, bytes) = match self.kind.as_str() {
            "pointer" => {
                let align = self.points_to_align.unwrap_or(1).max(1);
                let byte_offset = self.byte_offset.unwrap_or(0);
                (ParamKind::Pointer { operand: operand()?, byte_offset, align }, 8)
            }
            "tensor_maps" => {
                let Some(uses) = &self.maps else { return wrong(path.as_str(), needs("maps")) };
                let mut list = Vec::with_capacity(uses.len());
                for (k, one) in uses.iter().enumerate() {
                    let RawMapUse::Index(index) = one else {
                        let text = "an index is wanted; only structures (`bytes`) have maps at an offset";
                        return wrong(format!("{path}.maps[{k}]"), text);
                    };
                    map_exists(&format!("{path}.maps[{k}]"), *index, maps)?;
                    list.push(*index);
                }
                let bytes = 128 * list.len() as u64;
                (ParamKind::TensorMaps(list), bytes)
            }
            "extent" => {
                let operand = operand()?;
                (ParamKind::Number(Size::Extent { operand, dim: dim(operand)?, divisor: 1 }), 8)
            }
            "stride" => {
                let operand = operand()?;
                (ParamKind::Number(Size::Stride { operand, dim: dim(operand)?, factor: 1 }), 8)
            }
            "scalar" => match (&self.value, self.operand) {
                (Some(value), _) => {
                    let Some(name) = &self.dtype else { return wrong(path.as_str(), needs("dtype")) };
                    let dtype = dtype(&format!("{path}.dtype"), name)?;
                    let text = match value {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    let bytes = dtype
                        .encode(&text)
                        .map_err(|text| ManifestError::new(Kind::Manifest, format!("{path}.value"), text))?;
                    (ParamKind::Bytes(bytes, Some(dtype)), dtype.bytes() as u64)
                }
                (None, Some(_)) => {
                    let operand = operand()?;
                    let o = &operands[operand];
                    if !o.shape.is_empty() {
                        return wrong(
                            format!("{path}.operand"),
                            format!("`{}` has {} dimensions; a scalar has none", o.name, o.shape.len()),
                        );
                    }
                    (ParamKind::Scalar(operand), o.dtype.bytes() as u64)
                }
                (None, None) => {
                    return wrong(path, "neither `operand` nor `value` is there; a scalar needs one");
                }
            },
            "bytes" => {
                let Some(hex) = &self.hex else { return wrong(path.as_str(), needs("hex")) };
                let Some(bytes) = from_hex(hex) else {
                    let text = "pairs of hexadecimal digits are wanted";
                    return wrong(format!("{path}.hex"), text);
                };
                let len = bytes.len() as u64;
                let structure = self.structure(&path, bytes, operands.len(), maps)?;
                if structure.maps.is_empty() && structure.addresses.is_empty() {
                    (ParamKind::Bytes(structure.bytes, None), len)
                } else {
                    (ParamKind::Structure(structure), len)
                }
            }
            "scratch" => {
                let Some(bytes) = self.scratch_bytes else {
                    return wrong(path.as_str(), needs("scratch_bytes"));
                };
                (ParamKind::Scratch { bytes, align: self.scratch_align.unwrap_or(1).max(1) }, 8)
            }
            other => {
                let text = format!(
                    "`{other}`; pointer, tensor_maps, scalar, extent, stride, bytes or scratch is wanted"
                );
                return wrong(format!("{path}.kind"), text);
            }
        };
        if bytes != self.bytes {
            return wrong(
                format!("{path}.bytes"),
                format!("{}, while this {} has {bytes} bytes", self.bytes, self.kind),
            );
        }
        if !self.relocations.is_empty() && self.kind != "bytes" {
            let text = format!("a {} has none; only structures (`bytes`) do", self.kind);
            return wrong(format!("{path}.relocations"), text);
        }
        Ok(Param { name: self.name, bytes, align: self.align, kind })
    }

    /// The structure of a parameter of kind `bytes`: its maps and addresses lie in it.
    fn structure(&self, path: &str, bytes: Vec<u8>, operands: usize, maps: usize) -> Result<Structure> {
        let len = bytes.len();
        let fits = |path: &str, offset: usize, size: usize| {
            if offset.checked_add(size).is_some_and(|end| end <= len) {
                return Ok(());
            }
            wrong(
                format!("{path}.offset"),
                format!("{size} bytes at {offset}, while the structure has {len}"),
            )
        };
        let mut structure = Structure { bytes, maps: Vec::new(), addresses: Vec::new() };
        for (k, one) in self.maps.iter().flatten().enumerate() {
            let path = format!("{path}.maps[{k}]");
            let RawMapUse::At(at) = one else {
                return wrong(path, "in a structure, {\"offset\": BYTES, \"map\": INDEX} is wanted");
            };
            fits(&path, at.offset, tidegate_machine::tensormap::MAP_BYTES)?;
            map_exists(&format!("{path}.map"), at.map, maps)?;
            structure.maps.push((at.offset, at.map));
        }
        for (k, at) in self.relocations.iter().enumerate() {
            let path = format!("{path}.relocations[{k}]");
            fits(&path, at.offset, 8)?;
            if at.operand >= operands {
                let text = format!("{}, while there are {operands} operands", at.operand);
                return wrong(format!("{path}.operand"), text);
            }
            structure.addresses.push((at.offset, at.operand, at.byte_offset));
        }
        Ok(structure)
    }
}

fn map_exists(path: &str, index: usize, maps: usize) -> Result<()> {
    if index < maps {
        return Ok(());
    }
    wrong(path, format!("{index}, while there are {maps} tensor maps"))
}

/// The bytes that pairs of hexadecimal digits denote.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|d| d[0] << 4 | d[1]).collect())
}
