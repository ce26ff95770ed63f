//! Tensor maps of a manifest: their names for types and modes, and how they become descriptors.

use super::error::{Kind, ManifestError};
use super::raw::{Number, wrong};
use super::{Size, TensorMapSpec};
use serde::de::IgnoredAny;
use tidegate_machine::tensormap::{
    Descriptor, ElementType, Interleave, L2Promotion, MAP_BYTES, Mode, OobFill, Swizzle, TensorMap,
};

type Result<T> = std::result::Result<T, ManifestError>;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMap {
    operand: usize,
    element_type: String,
    global_dim: Vec<Number>,
    global_stride_bytes: Vec<Number>,
    #[serde(rename = "box")]
    box_dim: Vec<u32>,
    index: Option<usize>,
    rank: Option<usize>,
    element_bytes: Option<u64>,
    box_bytes: Option<u64>,
    #[serde(default)]
    base_offset_bytes: u64,
    element_strides: Option<Vec<u32>>,
    swizzle: Option<String>,
    swizzle_span_bytes: Option<u32>,
    interleave: Option<String>,
    l2_promotion: Option<String>,
    oob_fill: Option<String>,
    #[serde(rename = "param")]
    _param: Option<IgnoredAny>,
    #[serde(rename = "offset_in_param")]
    _offset_in_param: Option<IgnoredAny>,
    #[serde(rename = "operand_name")]
    _operand_name: Option<IgnoredAny>,
    #[serde(rename = "operand_direction")]
    _operand_direction: Option<IgnoredAny>,
    #[serde(rename = "used_by")]
    _used_by: Option<IgnoredAny>,
    #[serde(rename = "covers_whole_operand")]
    _covers_whole_operand: Option<IgnoredAny>,
}

/// Element types by name. The hardware copies bits: types that it has no name for go as those of their size.
const ELEMENTS: &[(&str, ElementType)] = &[
    ("uint8", ElementType::U8),
    ("int8", ElementType::U8),
    ("bool", ElementType::U8),
    ("float8_e4m3fn", ElementType::U8),
    ("float8_e5m2", ElementType::U8),
    ("float8_e8m0fnu", ElementType::U8),
    ("uint16", ElementType::U16),
    ("int16", ElementType::U16),
    ("uint32", ElementType::U32),
    ("int32", ElementType::S32),
    ("uint64", ElementType::U64),
    ("int64", ElementType::S64),
    ("float16", ElementType::F16),
    ("bfloat16", ElementType::Bf16),
    ("float32", ElementType::F32),
    ("float64", ElementType::F64),
    ("float32_ftz", ElementType::F32Ftz),
    ("tfloat32", ElementType::Tf32),
    ("tfloat32_ftz", ElementType::Tf32Ftz),
    ("uint4x16_align8", ElementType::U4x16Align8),
    ("uint4x16_align16", ElementType::U4x16Align16),
    ("uint6x16_align16", ElementType::U6x16Align16),
];

const SWIZZLES: &[(&str, Swizzle)] = &[
    ("none", Swizzle::None),
    ("32B", Swizzle::B32),
    ("64B", Swizzle::B64),
    ("128B", Swizzle::B128),
    ("128B_ATOM_32B", Swizzle::B128Atom32),
    ("128B_ATOM_32B_FLIP_8B", Swizzle::B128Atom32Flip8),
    ("128B_ATOM_64B", Swizzle::B128Atom64),
];

const INTERLEAVES: &[(&str, Interleave)] =
    &[("none", Interleave::None), ("16B", Interleave::B16), ("32B", Interleave::B32)];

const PROMOTIONS: &[(&str, L2Promotion)] = &[
    ("none", L2Promotion::None),
    ("64B", L2Promotion::B64),
    ("128B", L2Promotion::B128),
    ("256B", L2Promotion::B256),
];

const FILLS: &[(&str, OobFill)] = &[("zeros", OobFill::Zeros), ("nan", OobFill::Nan)];

fn named<T: Copy>(path: String, name: Option<&str>, table: &[(&str, T)]) -> Result<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    if let Some((_, value)) = table.iter().find(|row| row.0 == name) {
        return Ok(Some(*value));
    }
    let known: Vec<_> = table.iter().map(|row| row.0).collect();
    Err(ManifestError::new(Kind::Manifest, path, format!("`{name}` is unknown"))
        .help(format!("one of {} is wanted", known.join(", "))))
}

impl RawMap {
    pub(super) fn check(self, i: usize, ranks: &[usize]) -> Result<TensorMapSpec> {
        let path = format!("tensor_maps[{i}]");
        let at = |field: &str| format!("{path}.{field}");
        if let Some(index) = self.index.filter(|&index| index != i) {
            return wrong(at("index"), format!("{index}, while this is the entry {i}"));
        }
        if self.operand >= ranks.len() {
            return wrong(
                at("operand"),
                format!("{}, while there are {} operands", self.operand, ranks.len()),
            );
        }
        let rank = self.global_dim.len();
        if let Some(stated) = self.rank.filter(|&stated| stated != rank) {
            return wrong(at("rank"), format!("{stated}, while `global_dim` has {rank} entries"));
        }
        let lengths = [
            ("global_stride_bytes", self.global_stride_bytes.len(), rank.saturating_sub(1)),
            ("box", self.box_dim.len(), rank),
            ("element_strides", self.element_strides.as_ref().map_or(rank, Vec::len), rank),
        ];
        for (field, found, wanted) in lengths {
            if found != wanted {
                return wrong(at(field), format!("{found} entries; a map of rank {rank} has {wanted}"));
            }
        }
        let element =
            named(at("element_type"), Some(&self.element_type), ELEMENTS)?.unwrap_or(ElementType::U8);
        if let Some(bytes) =
            self.element_bytes.filter(|&n| n * 8 != u64::from(element.bits()) && element.bits() >= 8)
        {
            return wrong(
                at("element_bytes"),
                format!("{bytes}, while {} has {}", self.element_type, element.bits() / 8),
            );
        }
        let swizzle = named(at("swizzle"), self.swizzle.as_deref(), SWIZZLES)?.unwrap_or(Swizzle::None);
        let span = if swizzle == Swizzle::None { 0 } else { swizzle.span() };
        if let Some(stated) = self.swizzle_span_bytes.filter(|&stated| stated != span) {
            return wrong(at("swizzle_span_bytes"), format!("{stated}, while the swizzle's is {span}"));
        }
        let numbers = |field: &str, list: &[Number]| -> Result<Vec<Size>> {
            list.iter().enumerate().map(|(k, n)| n.check(&at(&format!("{field}[{k}]")), ranks)).collect()
        };
        let spec = TensorMapSpec {
            operand: self.operand,
            offset: self.base_offset_bytes,
            element,
            global_dim: numbers("global_dim", &self.global_dim)?,
            global_stride: numbers("global_stride_bytes", &self.global_stride_bytes)?,
            element_strides: self.element_strides.unwrap_or_else(|| vec![1; rank]),
            box_dim: self.box_dim,
            swizzle,
            interleave: named(at("interleave"), self.interleave.as_deref(), INTERLEAVES)?.unwrap_or_default(),
            l2_promotion: named(at("l2_promotion"), self.l2_promotion.as_deref(), PROMOTIONS)?
                .unwrap_or_default(),
            oob_fill: named(at("oob_fill"), self.oob_fill.as_deref(), FILLS)?.unwrap_or_default(),
        };
        if let Some(stated) = self.box_bytes {
            let elements = spec.box_dim.iter().try_fold(1u64, |all, &n| all.checked_mul(u64::from(n)));
            let bytes = elements.map(|n| element.bytes(n));
            if bytes != Some(stated) && spec.element_strides.iter().all(|&n| n == 1) {
                let found = bytes.map_or("too many".to_owned(), |n| n.to_string());
                return wrong(at("box_bytes"), format!("{stated}, while the box has {found}"));
            }
        }
        Ok(spec)
    }
}

impl TensorMapSpec {
    /// The element type, swizzle or fill of a name, as manifests have them.
    pub fn element_named(name: &str) -> Option<ElementType> {
        ELEMENTS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The swizzle of a name: `none`, `128B`, `128B_ATOM_32B`.
    pub fn swizzle_named(name: &str) -> Option<Swizzle> {
        SWIZZLES.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The fill of a name: `zeros`, `nan`.
    pub fn fill_named(name: &str) -> Option<OobFill> {
        FILLS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The map's bytes, as the kernel gets them.
    pub(super) fn encode(
        &self,
        path: &str,
        address: u64,
        size: &dyn Fn(Size) -> Result<u64>,
    ) -> Result<[u8; MAP_BYTES]> {
        let dims = self.global_dim.iter().map(|&s| size(s)).collect::<Result<Vec<u64>>>()?;
        let strides = self.global_stride.iter().map(|&s| size(s)).collect::<Result<Vec<u64>>>()?;
        let refused = |error: tidegate_machine::tensormap::TensorMapError| {
            ManifestError::new(Kind::Launch, path, format!("cuTensorMapEncodeTiled refuses the map: {error}"))
        };
        let mut d = Descriptor::tiled(self.element, address, &dims, &strides, &self.box_dim, self.swizzle)
            .map_err(refused)?;
        debug_assert!(matches!(d.mode, Mode::Tiled { .. }));
        for (to, from) in d.element_stride.iter_mut().zip(&self.element_strides) {
            *to = *from;
        }
        d.interleave = self.interleave;
        d.l2_promotion = self.l2_promotion;
        d.oob_fill = self.oob_fill;
        Ok(TensorMap::new(d).map_err(refused)?.to_bytes())
    }
}
