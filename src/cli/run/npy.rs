//! Arrays from and to `.npy` files.

use npyz::{DType as NpyType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriteOptions, WriterBuilder};
use tidegate::ptx::manifest::{Array, DType};

/// numpy refuses longer headers, too.
const HEADER: usize = 10_000;

/// Reads an array. With `wanted`, types that numpy lacks are taken from what they are stored as.
///
/// # Errors
/// What is wrong with the file.
pub(crate) fn read(bytes: &[u8], wanted: Option<DType>) -> Result<Array, String> {
    check_header(bytes)?;
    let mut rest = bytes;
    let header =
        NpyHeader::from_reader(&mut rest).map_err(|error| format!("its header cannot be read: {error}"))?;
    let NpyType::Plain(ty) = header.dtype() else {
        return Err("it holds structures; an array of numbers is wanted".to_owned());
    };
    let (dtype, size) = element(&ty, wanted)?;
    let shape = header.shape().to_vec();
    let count = shape.iter().try_fold(1u64, |all, &n| all.checked_mul(n));
    let total = count.and_then(|n| n.checked_mul(size as u64)).and_then(|n| usize::try_from(n).ok());
    let total = total.ok_or("its shape has more elements than memory can hold")?;
    if rest.len() != total {
        let what = if rest.len() < total { "it is cut off" } else { "something follows the array" };
        return Err(format!("{what}: {} bytes of data, where the header announces {total}", rest.len()));
    }
    let mut data = rest.to_vec();
    if ty.endianness() == Endianness::Big && size > 1 {
        for item in data.chunks_exact_mut(size) {
            item.reverse();
        }
    }
    if header.order() == Order::Fortran && shape.len() > 1 {
        data = row_major(&data, &shape, size);
    }
    Ok(Array { dtype, shape, bytes: data })
}

/// The parser of the header follows brackets as deep as they go, and multiplies what it finds: garbage is refused before.
fn check_header(bytes: &[u8]) -> Result<(), String> {
    let no = || "it is no .npy file".to_owned();
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else { return Err(no()) };
    let (len, start) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        [version, _, _, ..] => {
            return Err(format!("it is of version {version} of the format; 1 to 3 are known"));
        }
        _ => return Err("it is cut off in its header".to_owned()),
    };
    let text = rest.get(start..start + len.min(HEADER + 1)).ok_or("it is cut off in its header")?;
    if len > HEADER {
        return Err(format!("its header has {len} bytes, {HEADER} at most are read"));
    }
    let mut depth = 0i32;
    let mut product = 1u64;
    let mut number: Option<u64> = None;
    for &byte in text.iter().chain(b" ") {
        if byte.is_ascii_digit() {
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(byte - b'0')));
            continue;
        }
        if let Some(n) = number.take()
            && n > 0
        {
            product = product
                .checked_mul(n)
                .filter(|&p| p < 1 << 62)
                .ok_or("its shape has more elements than memory can hold")?;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if !(0..=8).contains(&depth) {
            return Err("its header is garbage".to_owned());
        }
    }
    Ok(())
}

/// The type of the elements, and their bytes.
fn element(ty: &TypeStr, wanted: Option<DType>) -> Result<(DType, usize), String> {
    let size = usize::try_from(ty.size_field()).unwrap_or(usize::MAX);
    let found = match (ty.type_char(), size) {
        (TypeChar::Bool, 1) => Some(DType::Bool),
        (TypeChar::Int, 1) => Some(DType::I8),
        (TypeChar::Int, 2) => Some(DType::I16),
        (TypeChar::Int, 4) => Some(DType::I32),
        (TypeChar::Int, 8) => Some(DType::I64),
        (TypeChar::Uint, 1) => Some(DType::U8),
        (TypeChar::Uint, 2) => Some(DType::U16),
        (TypeChar::Uint, 4) => Some(DType::U32),
        (TypeChar::Uint, 8) => Some(DType::U64),
        (TypeChar::Float, 2) => Some(DType::F16),
        (TypeChar::Float, 4) => Some(DType::F32),
        (TypeChar::Float, 8) => Some(DType::F64),
        _ => None,
    };
    // numpy has no bfloat16 and no floats of 8 bits: ml_dtypes saves them as void, others as unsigned.
    let stored = matches!(ty.type_char(), TypeChar::RawData | TypeChar::Uint);
    if let Some(wanted) = wanted
        && stored
        && size == wanted.bytes()
        && matches!(wanted, DType::Bf16 | DType::F8E4M3 | DType::F8E5M2 | DType::F8E8M0)
    {
        return Ok((wanted, size));
    }
    match found {
        Some(dtype) => Ok((dtype, size)),
        None if ty.type_char() == TypeChar::RawData => {
            let known = match size {
                1 => "an 8-bit float",
                2 => "bfloat16",
                _ => "nothing known here",
            };
            Err(format!(
                "its elements are untyped ({ty}), which is how numpy stores {known}; the kernel takes {}",
                wanted.map_or("no such type", DType::name)
            ))
        }
        None => Err(format!(
            "its elements are `{ty}`; whole numbers, floats of 2, 4 or 8 bytes, or booleans are wanted"
        )),
    }
}

/// Elements with the first dimension innermost, put in order.
fn row_major(data: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0u64; shape.len()];
    for _ in 0..data.len() / size.max(1) {
        let mut at = 0u64;
        for (i, extent) in index.iter().zip(shape).rev() {
            at = at * extent + i;
        }
        let at = at as usize * size;
        out.extend_from_slice(data.get(at..at + size).unwrap_or(&[]));
        for (i, &extent) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < extent {
                break;
            }
            *i = 0;
        }
    }
    out
}

/// The bytes of a file with the array. `bfloat16` is stored as `uint16`, floats of 8 bits as `uint8`.
///
/// # Errors
/// None that is known of: the header is written to memory.
pub(crate) fn write(array: &Array) -> Result<Vec<u8>, String> {
    let ty = match array.dtype {
        DType::Bool => "|b1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U8 | DType::F8E4M3 | DType::F8E5M2 | DType::F8E8M0 => "|u1",
        DType::U16 | DType::Bf16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F16 => "<f2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
    };
    let ty: TypeStr = ty.parse().map_err(|error| format!("{error}"))?;
    let options = WriteOptions::new_header_only().dtype(NpyType::Plain(ty)).shape(&array.shape);
    let mut out = options.writer(Vec::new()).write_header_only().map_err(|error| error.to_string())?;
    out.extend_from_slice(&array.bytes);
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_type_reads_back() {
        for &dtype in DType::ALL {
            for shape in [vec![], vec![5], vec![3, 4], vec![0, 3], vec![2, 1, 3]] {
                let array = Array::random(dtype, &shape, 3).unwrap();
                assert_eq!(read(&write(&array).unwrap(), Some(dtype)), Ok(array));
            }
        }
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn orders_and_stored_types() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
        let array = read(&file(header, &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6]), None).unwrap();
        assert_eq!((array.dtype, &array.shape[..]), (DType::I16, &[2, 3][..]));
        assert_eq!((0..6).map(|i| array.get(i).to_f64()).collect::<Vec<_>>(), [1., 2., 3., 4., 5., 6.]);
        let void = file("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }\n", &[0x80, 0x3f]);
        assert_eq!(read(&void, Some(DType::Bf16)).unwrap().get(0).to_f64(), 1.0);
        let error = read(&void, Some(DType::F32)).unwrap_err();
        assert!(error.contains("stores bfloat16"), "{error}");
        let small = file("{'descr': '<V1', 'fortran_order': False, 'shape': (1,), }\n", &[0x38]);
        assert_eq!(read(&small, Some(DType::F8E4M3)).unwrap().get(0).to_f64(), 1.0);
    }

    #[test]
    fn damage_is_told() {
        let good = write(&Array::random(DType::F32, &[4], 1).unwrap()).unwrap();
        for (bytes, said) in [
            (good[..good.len() - 1].to_vec(), "it is cut off: 15 bytes of data"),
            ([&good[..], b"x"].concat(), "something follows the array"),
            (good[..20].to_vec(), "cut off in its header"),
            (good[..7].to_vec(), "cut off in its header"),
            (b"PK\x03\x04".to_vec(), "no .npy file"),
            (vec![], "no .npy file"),
            (file(&"(".repeat(5000), &[]), "garbage"),
            (
                file(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }\n",
                    &[],
                ),
                "more elements",
            ),
            (
                file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", &[]),
                "its elements are `|O`",
            ),
            (
                file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", &[]),
                "its elements are `<c8`",
            ),
            (file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", &[]), "structures"),
            (file("{'descr': '<f4', 'shape': (1,), }\n", &[]), "fortran_order"),
            (file("nonsense", &[]), "header"),
        ] {
            let error = read(&bytes, None).unwrap_err();
            assert!(error.contains(said), "{said}: {error}");
        }
        // Whatever is in the file, it is an array or an error.
        for at in 0..good.len() {
            for value in [0, 0x28, 0x7f, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                let _ = read(&bytes, None);
            }
        }
    }
}
