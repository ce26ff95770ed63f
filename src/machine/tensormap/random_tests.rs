//! Copies against a model that visits one element at a time.

use super::{
    Descriptor, Direction, ElementType, Im2colCopy, MAX_RANK, Mode, Run, Swizzle, SwizzleAtom, SwizzleMode,
    TensorMap, TileCopy,
};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Shared byte address to global byte address, or none out of bounds.
type Bytes = BTreeMap<u32, Option<u64>>;

fn collect(
    runs: impl FnOnce(&mut dyn FnMut(Run) -> Result<(), Infallible>) -> Result<(), Infallible>,
) -> (Bytes, usize) {
    let mut out = Bytes::new();
    let mut count = 0;
    let done = runs(&mut |r| {
        count += 1;
        for i in 0..r.bytes {
            assert!(
                out.insert(r.shared + i, r.global.map(|g| g + u64::from(i))).is_none(),
                "byte written twice"
            );
        }
        Ok(())
    });
    assert!(done.is_ok());
    (out, count)
}

fn random_map(rng: &mut fastrand::Rng) -> TensorMap {
    loop {
        let rank = rng.usize(1..=MAX_RANK);
        let element =
            [ElementType::U8, ElementType::F16, ElementType::F32, ElementType::F64][rng.usize(0..4)];
        let size = element.bits() / 8;
        let swizzle = Swizzle::from_cuda(rng.u32(0..7)).unwrap();
        let mut dims = [1; MAX_RANK];
        let mut boxes = [1; MAX_RANK];
        let mut strides = [0; MAX_RANK - 1];
        for i in 0..rank {
            dims[i] = rng.u64(1..if i == 0 { 300 } else { 12 });
            boxes[i] = rng.u32(1..6);
        }
        boxes[0] = rng.u32(1..=8) * 16 / size;
        for s in &mut strides {
            *s = rng.u64(1..100) * 16;
        }
        let d =
            Descriptor::tiled(element, 1 << 20, &dims[..rank], &strides[..rank - 1], &boxes[..rank], swizzle);
        let mut d = d.unwrap();
        for s in &mut d.element_stride {
            *s = rng.u32(1..=3);
        }
        if let Ok(map) = TensorMap::new(d) {
            assert_eq!(TensorMap::from_bytes(&map.to_bytes()), Ok(map));
            return map;
        }
    }
}

#[test]
fn tiles_as_element_by_element() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..2000 {
        let map = random_map(&mut rng);
        let d = *map.descriptor();
        let Mode::Tiled { box_dim } = d.mode else { unreachable!("tiled") };
        let rank = map.rank();
        let coords: Vec<i32> = (0..rank).map(|i| rng.i32(-5..d.global_dim[i] as i32 + 5)).collect();
        let base = rng.u32(0..16) * 128;
        let copy = TileCopy::new(&map, Direction::Load, &coords, base).unwrap();
        let (found, _) = collect(|f| copy.runs(f));

        let size = d.element.bits() / 8;
        let pitch = (box_dim[0] * size).max(map.swizzle().span());
        let mut want = Bytes::new();
        let steps: Vec<u32> = (0..rank)
            .map(|i| if i == 0 { box_dim[0] } else { box_dim[i].div_ceil(d.element_stride[i]) })
            .collect();
        for n in 0..steps.iter().product::<u32>() {
            let (mut rest, mut row, mut address, mut inside, mut radix) = (n, 0, d.global_address, true, 1);
            let mut inner = 0;
            for i in 0..rank {
                let index = rest % steps[i];
                rest /= steps[i];
                let step = if i == 0 { 1 } else { d.element_stride[i] };
                let at = i64::from(coords[i]) + i64::from(index * step);
                inside &= at >= 0 && at < d.global_dim[i] as i64;
                let stride = if i == 0 { u64::from(size) } else { d.global_stride[i - 1] };
                address = address.wrapping_add_signed(at * stride as i64);
                if i == 0 {
                    inner = index;
                } else {
                    row += index * radix;
                    radix *= steps[i];
                }
            }
            for b in 0..size {
                let at = map.swizzle().apply(base + row * pitch + inner * size + b);
                want.insert(at, inside.then_some(address + u64::from(b)));
            }
        }
        assert_eq!(found, want, "{map:?} at {coords:?}");
        assert_eq!(found.len() as u64, copy.complete_tx());
    }
}

/// A convolution's columns: outputs in the order Q, P, N for one filter tap.
#[test]
fn im2col_as_a_convolution() {
    let mut rng = fastrand::Rng::with_seed(2);
    for _ in 0..500 {
        let (c, w, h, n) = (8u64, rng.u64(3..9), rng.u64(3..9), rng.u64(1..4));
        let (r, s) = (rng.i32(1..4), rng.i32(1..4));
        let (pad_h, pad_w) = (rng.i32(0..2), rng.i32(0..2));
        let step = rng.u32(1..3);
        let count = |size: u64, pad: i32, filter: i32| (size as i32 + 2 * pad - filter) / step as i32 + 1;
        if count(h, pad_h, r) < 1
            || count(w, pad_w, s) < 1
            || (h as i32) + 2 * pad_h < r
            || (w as i32) + 2 * pad_w < s
        {
            continue;
        }
        let (p, q) = (count(h, pad_h, r), count(w, pad_w, s));
        let strides = [c * 2, c * w * 2, c * w * h * 2];
        let mut d =
            Descriptor::tiled(ElementType::F16, 0, &[c, w, h, n], &strides, &[8, 1, 1, 1], Swizzle::None)
                .unwrap();
        let pixels = rng.u32(1..20);
        d.mode = Mode::Im2col {
            lower: [-pad_w, -pad_h, 0],
            upper: [pad_w - (s - 1), pad_h - (r - 1), 0],
            channels: 8,
            pixels,
        };
        d.element_stride = [1, step, step, 1, 1];
        let Ok(map) = TensorMap::new(d) else { continue };
        let (tap_r, tap_s) = (rng.i32(0..r), rng.i32(0..s));
        let first = rng.i32(0..p * q * n as i32);
        let at = |m: i32| (m % q, m / q % p, m / (q * p));
        let (q0, p0, n0) = at(first);
        let coords = [0, q0 * step as i32 - pad_w, p0 * step as i32 - pad_h, n0];
        let copy = Im2colCopy::new(&map, Direction::Load, &coords, &[tap_s as u16, tap_r as u16], 0).unwrap();
        let (found, _) = collect(|f| copy.runs(f));
        for i in 0..pixels {
            let (qi, pi, ni) = at(first + i as i32);
            let (x, y) = (qi * step as i32 - pad_w + tap_s, pi * step as i32 - pad_h + tap_r);
            let inside = x >= 0 && y >= 0 && x < w as i32 && y < h as i32 && ni < n as i32;
            let address =
                ni as u64 * strides[2] + (y.max(0) as u64) * strides[1] + (x.max(0) as u64) * strides[0];
            assert_eq!(found[&(i * 16)], inside.then_some(address), "pixel {i} of {map:?}");
        }
        assert_eq!(found.len() as u64, copy.complete_tx());
    }
}

/// Reading any 128 bytes, and using whatever they say, ends in a value.
#[test]
fn damaged_bytes_never_panic() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..4000 {
        let mut bytes = random_map(&mut rng).to_bytes();
        for _ in 0..rng.usize(0..4) {
            bytes[rng.usize(8..124)] = rng.u8(..);
        }
        // A right checksum, so that the fields are read.
        let sum =
            bytes[..124].iter().fold(0x811c_9dc5u32, |s, &b| (s ^ u32::from(b)).wrapping_mul(0x0100_0193));
        bytes[124..].copy_from_slice(&sum.to_le_bytes());
        let Ok(map) = TensorMap::from_bytes(&bytes) else { continue };
        if map.box_bytes() > 1 << 16 {
            continue;
        }
        let coords: Vec<i32> = (0..map.rank()).map(|_| rng.i32(..)).collect();
        if let Ok(copy) = TileCopy::new(&map, Direction::Store, &coords, 0) {
            let done: Result<(), Infallible> = copy.runs(|_| Ok(()));
            assert!(done.is_ok());
        }
    }
}

#[test]
fn swizzle_numbers_agree() {
    for n in 0..7 {
        let s = Swizzle::from_cuda(n).unwrap();
        assert_eq!(s as u32, n);
    }
    assert!(Swizzle::new(SwizzleMode::B64, SwizzleAtom::B32).is_err());
}
