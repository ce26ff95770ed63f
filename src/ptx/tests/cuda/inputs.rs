//! Inputs of the CUDA kernels beside this file, made from the `fill` of their manifests (README.md says how).

use serde_json::Value;

/// Bytes of an element, or nothing when the type is unknown.
pub(crate) fn size_of(dtype: &str) -> Option<usize> {
    Some(match dtype {
        "bool" | "int8" | "uint8" | "float8_e4m3fn" | "float8_e5m2" => 1,
        "int16" | "uint16" | "float16" | "bfloat16" => 2,
        "int32" | "uint32" | "float32" => 4,
        "int64" | "uint64" | "float64" => 8,
        _ => return None,
    })
}

/// FNV-1a, 64 bits.
pub(crate) fn fnv1a64(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Element `index` of the sequence `seed`: splitmix64.
fn hash(seed: u64, index: u64) -> u64 {
    let mut z = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(seed << 32);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A small float of `exponent` and `mantissa` bits, to the nearest, ties to even. `value` must be finite and in range.
fn small_float(value: f32, exponent: i32, mantissa: i32) -> u8 {
    let bias = (1 << (exponent - 1)) - 1;
    let magnitude = f64::from(value.abs());
    let sign = u8::from(value.is_sign_negative()) << 7;
    if magnitude == 0.0 {
        return sign;
    }
    let at = (magnitude.log2().floor() as i32).max(1 - bias);
    let steps = (magnitude / f64::from(mantissa - at).exp2().recip()).round_ties_even() as i32;
    sign | (steps + ((at + bias - 1) << mantissa)) as u8
}

/// A number as the bytes of a type.
fn encode(value: f64, dtype: &str) -> Option<Vec<u8>> {
    let whole = value as i64;
    Some(match dtype {
        "int8" | "uint8" | "bool" => vec![whole as u8],
        "int16" | "uint16" => (whole as u16).to_le_bytes().to_vec(),
        "int32" | "uint32" => (whole as u32).to_le_bytes().to_vec(),
        "int64" | "uint64" => whole.to_le_bytes().to_vec(),
        "float16" => half::f16::from_f64(value).to_le_bytes().to_vec(),
        "bfloat16" => half::bf16::from_f32(value as f32).to_le_bytes().to_vec(),
        "float32" => (value as f32).to_le_bytes().to_vec(),
        "float64" => value.to_le_bytes().to_vec(),
        "float8_e4m3fn" => vec![small_float(value as f32, 4, 3)],
        "float8_e5m2" => vec![small_float(value as f32, 5, 2)],
        _ => return None,
    })
}

/// A number of a manifest, as text where JSON has none.
fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("nan") => Some(f64::NAN),
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
        None => value.as_f64(),
    }
}

/// The bytes of `count` elements, or what in `fill` cannot be read.
pub(crate) fn fill(fill: &Value, dtype: &str, count: usize) -> Result<Vec<u8>, String> {
    let wrong = || format!("cannot make {count} elements of type `{dtype}` from {fill}");
    let size = size_of(dtype).ok_or_else(wrong)?;
    let kind = fill["kind"].as_str().ok_or_else(wrong)?;
    if kind == "concat" {
        let mut bytes = Vec::with_capacity(count * size);
        for part in fill["parts"].as_array().ok_or_else(wrong)? {
            let dtype = part["dtype"].as_str().ok_or_else(wrong)?;
            let count = part["count"].as_u64().ok_or_else(wrong)? as usize;
            bytes.extend(self::fill(&part["fill"], dtype, count)?);
        }
        return if bytes.len() == count * size { Ok(bytes) } else { Err(wrong()) };
    }
    let seed = fill["seed"].as_u64().unwrap_or(0);
    let mut bytes = Vec::with_capacity(count * size);
    for index in 0..count as u64 {
        let value = match kind {
            "zeros" => 0.0,
            "const" => number(&fill["value"]).ok_or_else(wrong)?,
            "iota" => index as f64,
            "values" => {
                let values =
                    fill["values"].as_array().filter(|values| !values.is_empty()).ok_or_else(wrong)?;
                let value = &values[index as usize % values.len()];
                if let (Some(whole), true) = (value.as_i64(), dtype.contains("int")) {
                    bytes.extend(&whole.to_le_bytes()[..size]);
                    continue;
                }
                number(value).ok_or_else(wrong)?
            }
            "bits" => {
                bytes.extend(&hash(seed, index).to_le_bytes()[8 - size..]);
                continue;
            }
            "int" => {
                let lo = fill["lo"].as_i64().ok_or_else(wrong)?;
                let hi = fill["hi"].as_i64().filter(|hi| *hi >= lo).ok_or_else(wrong)?;
                (lo + ((hash(seed, index) >> 33) % (hi - lo + 1) as u64) as i64) as f64
            }
            "unit" => {
                let lo = number(&fill["lo"]).ok_or_else(wrong)?;
                let hi = number(&fill["hi"]).ok_or_else(wrong)?;
                lo + (hi - lo) * ((hash(seed, index) >> 40) as f64 / 16_777_216.0)
            }
            _ => return Err(wrong()),
        };
        bytes.extend(encode(value, dtype).ok_or_else(wrong)?);
    }
    Ok(bytes)
}
