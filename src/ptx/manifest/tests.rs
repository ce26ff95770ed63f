//! Manifests read, held against PTX, and launched: what is right, and each way to be wrong.

use super::*;
use crate::launch::{Module, RunOptions};
use serde_json::{Value, json};
use std::path::Path;

/// A kernel with a pointer, a tensor map, a number and a structure.
const PTX: &str = ".version 9.0
.target sm_90a
.address_size 64
.visible .entry k(
    .param .u64 .ptr .global .align 256 k_param_0,
    .param .align 64 .b8 k_param_1[128],
    .param .u32 k_param_2,
    .param .u64 k_param_3
)
.maxntid 128
{
    .shared .align 1024 .b8 smem[1];
    ret;
}
";

fn manifest() -> Value {
    json!({
        "kernel": "k", "entry": "k", "target": "sm_90a", "grid": [2, 1, 1], "cluster": [1, 1, 1],
        "cluster_attribute": false, "block": [128, 1, 1], "dynamic_shared_bytes": 1024,
        "dynamic_shared_symbol": "smem", "dynamic_shared_min_align": 1024,
        "params": [
            {"name": "k_param_0", "bytes": 8, "align": 8, "kind": "pointer", "points_to_align": 256, "operand": 1, "byte_offset": 0},
            {"name": "k_param_1", "bytes": 128, "align": 64, "kind": "tensor_maps", "maps": [0]},
            {"name": "k_param_2", "bytes": 4, "align": 4, "kind": "scalar", "operand": 2},
            {"name": "k_param_3", "bytes": 8, "align": 8, "kind": "extent", "operand": 0, "dim": 0},
        ],
        "tensor_maps": [{
            "index": 0, "operand": 0, "base_offset_bytes": 0, "element_type": "float32", "element_bytes": 4, "rank": 2,
            "global_dim": [64, {"operand": 0, "dim": 0}], "global_stride_bytes": [{"operand": 0, "stride": 0, "factor": 4}],
            "box": [32, 8], "box_bytes": 1024, "element_strides": [1, 1], "swizzle": "128B", "swizzle_span_bytes": 128,
            "interleave": "none", "l2_promotion": "none", "oob_fill": "zeros",
        }],
        "operands": [
            {"name": "x", "direction": "in", "dtype": "float32", "shape": [{"operand": 0, "dim": 0}, 64]},
            {"name": "y", "direction": "out", "dtype": "float16", "shape": [4], "bytes": 8, "layout": "row-major, dense"},
            {"name": "n", "direction": "in", "dtype": "int32", "shape": []},
        ],
    })
}

fn text() -> String {
    manifest().to_string()
}

fn set(pointer: &str, value: Value) -> Value {
    let mut m = manifest();
    *m.pointer_mut(pointer).unwrap() = value;
    m
}

fn x(rows: u64) -> Array {
    Array::random(DType::F32, &[rows, 64], 1).unwrap()
}

fn n() -> Array {
    Array { dtype: DType::I32, shape: vec![], bytes: vec![7, 0, 0, 0] }
}

#[test]
fn parameters_are_laid_out() {
    let module = Module::from_text(PTX).unwrap();
    let manifest = Manifest::from_json(&text()).unwrap();
    let mut run = Run::new(&manifest, &module).unwrap();
    assert_eq!(run.missing(), [0, 2]);
    run.set(0, x(16)).unwrap();
    run.set_scalar("n", "-2").unwrap();
    let p = run.prepare().unwrap();
    let params = &p.launch.params;
    assert_eq!(params.len(), 208);
    let address = u64::from_le_bytes(params[..8].try_into().unwrap());
    assert!(address.is_multiple_of(256) && p.device.read(address, 8).is_some());
    let map =
        tidegate_machine::tensormap::TensorMap::from_bytes(params[64..192].try_into().unwrap()).unwrap();
    assert_eq!(map.descriptor().global_dim[..2], [64, 16]);
    assert_eq!(map.descriptor().global_stride[0], 256);
    assert_eq!(p.device.read(map.descriptor().global_address, 4096), Some(x(16).bytes));
    assert_eq!(params[192..196], (-2i32).to_le_bytes());
    assert_eq!(params[200..208], 16u64.to_le_bytes());
    assert_eq!((p.launch.dims.grid, p.clusters()), ([2, 1, 1], 2));
    assert_eq!(p.unwritten(1), Some(vec![0]));
    assert_eq!(p.array(0), Some(x(16)));
}

#[test]
fn a_run_gives_the_outputs() {
    let (outputs, outcome) = run_manifest(PTX, &text(), &[x(8), n()], &RunOptions::default()).unwrap();
    assert_eq!(outputs, [("y".to_owned(), Array::zeros(DType::F16, &[4]).unwrap())]);
    assert!(outcome.report.findings.is_empty(), "{:?}", outcome.report.findings);
    assert_eq!(outcome.report.finished, 2);
}

fn read_error(m: &Value) -> ManifestError {
    let error = Manifest::from_json(&m.to_string()).unwrap_err();
    assert_eq!(error.kind, Kind::Manifest);
    error
}

#[test]
fn what_is_no_manifest_is_refused_with_its_path() {
    for (pointer, value, said) in [
        ("/grid", json!([1, 1]), "grid: invalid length 2"),
        (
            "/grid/0",
            json!("x"),
            "grid[0]: invalid type: string \"x\", expected a whole number, or an object {\"launch\"",
        ),
        ("/grid/0", json!({"launch": 1}), "grid[0]: `launch` is 1, 0 is wanted"),
        ("/grid/0", json!(1u64 << 40), "grid[0]: 1099511627776 blocks"),
        ("/block/1", json!(-1), "block[1]: invalid value: integer `-1`, expected u32"),
        ("/entry", json!(3), "entry: invalid type: integer `3`, expected a string"),
        ("/dynamic_shared_min_align", json!(3), "dynamic_shared_min_align: 3 is no power of two"),
        ("/params/0/operand", json!(9), "params[0].operand: 9, while there are 3 operands"),
        ("/params/0/operand", Value::Null, "params[0]: `operand` is missing"),
        ("/params/0/kind", json!("ptr"), "params[0].kind: `ptr`; pointer, tensor_maps"),
        ("/params/0/bytes", json!(4), "params[0].bytes: 4, while this pointer has 8 bytes"),
        ("/params/0/align", json!(0), "params[0].align: 0 is no power of two"),
        ("/params/1/maps", json!([1]), "params[1].maps[0]: 1, while there are 1 tensor maps"),
        ("/params/1/maps", Value::Null, "params[1]: `maps` is missing"),
        ("/params/2/operand", json!(1), "params[2].operand: `y` has 1 dimensions; a scalar has none"),
        ("/params/2/operand", Value::Null, "params[2]: neither `operand` nor `value`"),
        ("/params/3/dim", json!(2), "params[3].dim: 2, while `x` has 2 dimensions"),
        ("/params/3/dim", Value::Null, "params[3]: `dim` is missing"),
        ("/tensor_maps/0/operand", json!(3), "tensor_maps[0].operand: 3"),
        ("/tensor_maps/0/rank", json!(3), "tensor_maps[0].rank: 3, while `global_dim` has 2"),
        ("/tensor_maps/0/box", json!([1]), "tensor_maps[0].box: 1 entries; a map of rank 2 has 2"),
        ("/tensor_maps/0/box_bytes", json!(512), "tensor_maps[0].box_bytes: 512, while the box has 1024"),
        ("/tensor_maps/0/element_type", json!("f4"), "tensor_maps[0].element_type: `f4` is unknown"),
        ("/tensor_maps/0/element_bytes", json!(2), "tensor_maps[0].element_bytes: 2, while float32 has 4"),
        ("/tensor_maps/0/swizzle", json!("256B"), "tensor_maps[0].swizzle: `256B` is unknown"),
        (
            "/tensor_maps/0/swizzle_span_bytes",
            json!(64),
            "tensor_maps[0].swizzle_span_bytes: 64, while the swizzle's is 128",
        ),
        (
            "/tensor_maps/0/global_dim/1",
            json!({"operand": 5, "dim": 0}),
            "tensor_maps[0].global_dim[1]: there is no operand 5",
        ),
        (
            "/tensor_maps/0/global_dim/1",
            json!({"operand": 0, "dim": 2}),
            "operand 0 has 2 dimensions, dimension 2",
        ),
        ("/tensor_maps/0/global_dim/1", json!({"operand": 0}), "either `dim` (with `divisor`) or `stride`"),
        ("/tensor_maps/0/global_dim/1", json!({"operand": 0, "dim": 0, "divisor": 0}), "`divisor` is 0"),
        ("/tensor_maps/0/global_dim/1", json!({"operand": 0, "dimension": 0}), "unknown field `dimension`"),
        ("/tensor_maps/0/index", json!(1), "tensor_maps[0].index: 1, while this is the entry 0"),
        ("/operands/1/direction", json!("output"), "operands[1].direction: `output`; in, out or inout"),
        ("/operands/1/dtype", json!("float4_e2m1fn"), "operands[1].dtype: `float4_e2m1fn` is no type"),
        ("/operands/1/bytes", json!(16), "operands[1].bytes: 16, while 4 elements of float16 take 8"),
        ("/operands/1/layout", json!("column"), "operands[1].layout: `column`"),
        ("/operands/1/name", json!("x"), "operands[1].name: `x` is there twice"),
    ] {
        let error = read_error(&set(pointer, value));
        assert!(error.to_string().contains(said), "{pointer}: {error}");
    }
    let mut m = manifest();
    m["params"][0]["operandd"] = json!(1);
    let error = read_error(&m);
    assert!(error.to_string().starts_with("params[0].operandd: unknown field `operandd`"), "{error}");
    assert_eq!(error.place.map(|p| p.0), Some(1));
    let error = Manifest::from_json("{\n  \"kernel\": ").unwrap_err();
    assert_eq!(error.place.map(|p| p.0), Some(2), "{error:?}");
    for garbage in ["", "[]", "null", "{}", "{\"kernel\": \"k\"} x", "\u{0}"] {
        assert!(Manifest::from_json(garbage).is_err(), "{garbage:?}");
    }
    assert_eq!(Manifest::all_from_json(&format!("[{0}, {0}]", text())).unwrap().len(), 2);
}

#[test]
fn scalars_and_structures_with_values() {
    let mut m = manifest();
    m["params"][2] = json!({"name": "k_param_2", "bytes": 4, "align": 4, "kind": "scalar", "dtype": "float32", "value": 1.5});
    m["params"][3] =
        json!({"name": "k_param_3", "bytes": 8, "align": 8, "kind": "bytes", "hex": "0011223344556677"});
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let module = Module::from_text(PTX).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    run.set(0, x(8)).unwrap();
    run.set(2, n()).unwrap();
    let params = run.prepare().unwrap().launch.params;
    assert_eq!(params[192..196], 1.5f32.to_le_bytes());
    assert_eq!(params[200..], [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]);
    run.set_scalar("k_param_2", "2").unwrap();
    assert_eq!(run.prepare().unwrap().launch.params[192..196], 2f32.to_le_bytes());
    for (pointer, value, said) in [
        ("/params/2/value", json!("x"), "params[2].value: `x` is no float32"),
        ("/params/2/dtype", json!("f99"), "params[2].dtype: `f99` is no type"),
        ("/params/3/hex", json!("0"), "params[3].hex: pairs of hexadecimal digits"),
        ("/params/3/hex", json!("00"), "params[3].bytes: 8, while this bytes has 1"),
    ] {
        let mut m = m.clone();
        *m.pointer_mut(pointer).unwrap() = value;
        let error = read_error(&m);
        assert!(error.to_string().contains(said), "{pointer}: {error}");
    }
}

#[test]
fn structures_that_hold_maps_and_addresses() {
    const PTX: &str = ".version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 k_param_0[256])
{
    ret;
}
";
    let mut m = manifest();
    m["dynamic_shared_bytes"] = json!(0);
    m["params"] = json!([{
        "name": "k_param_0", "bytes": 256, "align": 64, "kind": "bytes", "hex": "ab".repeat(256),
        "maps": [{"offset": 64, "map": 0}], "relocations": [{"offset": 8, "operand": 1, "byte_offset": 4}],
    }]);
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let module = Module::from_text(PTX).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    run.set(0, x(8)).unwrap();
    run.set(2, n()).unwrap();
    let prepared = run.prepare().unwrap();
    let params = &prepared.launch.params;
    assert_eq!(params[..8], [0xab; 8]);
    let address = u64::from_le_bytes(params[8..16].try_into().unwrap());
    assert_eq!(address % 512, 4, "{address:#x}");
    assert_eq!(params[16..64], [0xab; 48]);
    assert_ne!(params[64..192], [0xab; 128]);
    assert_eq!(params[192..], [0xab; 64]);
    for (pointer, value, said) in [
        ("/params/0/maps/0/offset", json!(192), "params[0].maps[0].offset: 128 bytes at 192, while"),
        ("/params/0/maps/0/map", json!(1), "params[0].maps[0].map: 1, while there are 1"),
        ("/params/0/maps/0", json!(0), "params[0].maps[0]: in a structure"),
        ("/params/0/relocations/0/operand", json!(3), "params[0].relocations[0].operand: 3, while"),
        ("/params/0/relocations/0/offset", json!(249), "params[0].relocations[0].offset: 8 bytes at 249"),
    ] {
        let mut m = m.clone();
        *m.pointer_mut(pointer).unwrap() = value;
        let error = read_error(&m);
        assert!(error.to_string().contains(said), "{pointer}: {error}");
    }
    *m.pointer_mut("/params/0/maps/0/offset").unwrap() = json!(72);
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let errors = Run::new(&read, &module).unwrap_err();
    assert!(errors[0].to_string().contains("a map of `k_param_0` lies at byte 72"), "{errors:?}");
}

#[test]
fn a_manifest_of_another_kernel_does_not_fit() {
    let module = Module::from_text(PTX).unwrap();
    for (pointer, value, said) in [
        ("/entry", json!("q"), "entry: the module has no kernel `q`; it has `k`"),
        ("/target", json!("sm_100a"), "target: the manifest is for sm_100a, the PTX for sm_90a"),
        ("/params/0/name", json!("a"), "params[0].name: `a`, while the PTX has `k_param_0` there"),
        ("/params/0/align", json!(4), "params[0].align: 4, while `k_param_0` is aligned to 8 bytes"),
        (
            "/params/1",
            json!({"name": "k_param_1", "bytes": 256, "align": 64, "kind": "tensor_maps", "maps": [0, 0]}),
            "params[1].bytes: 256, while `k_param_1` has 128",
        ),
        (
            "/dynamic_shared_symbol",
            json!("dyn"),
            "dynamic_shared_symbol: the PTX has no shared variable `dyn`; it has `smem`",
        ),
        ("/block/0", json!(256), "block: 256 threads, while the PTX has .maxntid 128"),
        ("/cluster/0", json!(4), "grid[0]: 2 blocks are no multiple of the cluster's 4"),
    ] {
        let read = Manifest::from_json(&set(pointer, value).to_string()).unwrap();
        let errors = Run::new(&read, &module).unwrap_err();
        assert!(
            errors.iter().any(|e| e.to_string().contains(said) && e.kind == Kind::Misfit),
            "{pointer}: {errors:?}"
        );
    }
    let mut m = manifest();
    m["params"].as_array_mut().unwrap().pop();
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let errors = Run::new(&read, &module).unwrap_err();
    assert!(errors[0].message.contains("the manifest has 3 parameters, `k` takes 4"), "{errors:?}");
    let other = PTX.replace(".maxntid 128", ".reqntid 64\n.reqnctapercluster 2");
    let other = Module::from_text(&other).unwrap();
    let read = Manifest::from_json(&text()).unwrap();
    let errors: Vec<_> = Run::new(&read, &other).unwrap_err().iter().map(ToString::to_string).collect();
    assert!(errors.iter().any(|e| e.contains(".reqntid 64 x 1 x 1")), "{errors:?}");
    assert!(errors.iter().any(|e| e.contains(".reqnctapercluster 2 x 1 x 1")), "{errors:?}");
}

fn prepare(m: &Value, rows: u64) -> Result<(), ManifestError> {
    let module = Module::from_text(PTX).unwrap();
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    run.set(0, x(rows))?;
    run.set_scalar("n", "1")?;
    run.prepare().map(|_| ())
}

#[test]
fn what_a_driver_refuses_is_refused() {
    assert_eq!(prepare(&manifest(), 8), Ok(()));
    let error = prepare(&set("/tensor_maps/0/base_offset_bytes", json!(4)), 8).unwrap_err();
    assert_eq!(error.kind, Kind::Launch);
    assert!(
        error.to_string().starts_with(
            "tensor_maps[0] (of `x`): cuTensorMapEncodeTiled refuses the map: the tensor's global address"
        ),
        "{error}"
    );
    let mut m = set("/tensor_maps/0/box", json!([64, 8]));
    m["tensor_maps"][0]["box_bytes"] = json!(2048);
    let error = prepare(&m, 8).unwrap_err();
    assert!(error.to_string().contains("more than the span"), "{error}");
    let error = prepare(&set("/params/0/byte_offset", json!(16)), 8).unwrap_err();
    assert!(error.to_string().contains("no multiple of 256"), "{error}");
    let error = prepare(&set("/grid/1", json!(70000)), 8).unwrap_err();
    assert!(error.to_string().contains("65535 in y"), "{error}");
    let error = prepare(&set("/dynamic_shared_bytes", json!(300000)), 8).unwrap_err();
    assert!(error.to_string().contains("shared memory"), "{error}");
}

#[test]
fn arrays_have_to_fit() {
    let module = Module::from_text(PTX).unwrap();
    let read = Manifest::from_json(&text()).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    let error = run.set(0, Array::zeros(DType::F64, &[8, 64]).unwrap()).unwrap_err();
    assert!(
        error.to_string().contains("operand `x`: the array is float64, the kernel takes float32"),
        "{error}"
    );
    let error = run.set(0, Array::zeros(DType::F32, &[8, 32]).unwrap()).unwrap_err();
    assert!(error.to_string().contains("shape is 8 x 32, the kernel takes ? x 64"), "{error}");
    let error = run.randomise(0).unwrap_err();
    assert!(error.to_string().contains("known at the launch only"), "{error}");
    run.set_shape(0, vec![16, 64]).unwrap();
    let error = run.prepare().unwrap_err();
    assert!(
        error.to_string().contains("operand `x`: the kernel reads it (`in`), and it has no contents"),
        "{error}"
    );
    run.randomise(3).unwrap();
    run.prepare().unwrap();
    assert!(run.set_scalar("m", "1").unwrap_err().to_string().contains("no scalar `m`; it has n"));
    assert!(run.set_scalar("x", "1").unwrap_err().to_string().contains("an array of 2 dimensions"));
    assert!(run.set_scalar("n", "1.5").unwrap_err().to_string().contains("whole number"));
    assert!(
        run.set_grid([3, 1, 1])
            .unwrap_err()
            .to_string()
            .contains("3 blocks, while the kernel was made for 2")
    );
    let error = run_manifest(PTX, &text(), &[], &RunOptions::default()).unwrap_err();
    assert!(error.to_string().contains("0 arrays are given, the kernel reads 2"), "{error}");
    assert!(run_manifest("nonsense", &text(), &[], &RunOptions::default()).is_err());
}

#[test]
fn a_grid_that_the_launch_decides() {
    let module = Module::from_text(PTX).unwrap();
    let read = Manifest::from_json(&set("/grid/0", json!({"launch": 0, "factor": 2})).to_string()).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    run.set(0, x(8)).unwrap();
    run.set(2, n()).unwrap();
    assert!(run.prepare().unwrap_err().to_string().contains("grid[0]: the launch decides"));
    assert!(run.set_grid([3, 1, 1]).unwrap_err().to_string().contains("no multiple of 2"));
    run.set_grid([6, 1, 1]).unwrap();
    assert_eq!(run.prepare().unwrap().clusters(), 6);
}

#[test]
fn strided_operands_are_spread_and_gathered() {
    let mut m = manifest();
    m["operands"][1] =
        json!({"name": "y", "direction": "inout", "dtype": "uint8", "shape": [2, 3], "strides": [8, 2]});
    let module = Module::from_text(PTX).unwrap();
    let read = Manifest::from_json(&m.to_string()).unwrap();
    let mut run = Run::new(&read, &module).unwrap();
    run.set(0, x(8)).unwrap();
    run.set(2, n()).unwrap();
    let y = Array { dtype: DType::U8, shape: vec![2, 3], bytes: vec![1, 2, 3, 4, 5, 6] };
    run.set(1, y.clone()).unwrap();
    let p = run.prepare().unwrap();
    let address = u64::from_le_bytes(p.launch.params[..8].try_into().unwrap());
    assert_eq!(p.device.read(address, 13), Some(vec![1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6]));
    assert_eq!((p.array(1), p.unwritten(1)), (Some(y), None));
}

/// The manifests in a folder, with the PTX beside each.
fn folder(path: &Path, ending: &str) -> usize {
    let Ok(entries) = std::fs::read_dir(path) else {
        eprintln!("skipped: there is no {}", path.display());
        return 0;
    };
    let mut seen = 0;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(ending) else { continue };
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let manifest = Manifest::from_json(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        seen += 1;
        let ptx = std::fs::read_to_string(path.join(format!("{stem}.ptx"))).unwrap();
        // Whether the kernels decode is for other tests to say.
        let Ok(module) = Module::from_text(&ptx) else { continue };
        let mut run = Run::new(&manifest, &module).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        run.randomise(1).unwrap_or_else(|e| panic!("{name}: {e}"));
        let prepared = run.prepare().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!prepared.outputs().is_empty(), "{name}");
    }
    seen
}

#[test]
fn manifests_of_real_kernels_fit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(folder(&root.join("tests/cuda"), ".json") >= 60);
    for shared in ["../../../shared/jax/modules", "../../../../shared/jax/modules"] {
        folder(&root.join(shared), ".manifest.json");
    }
}
