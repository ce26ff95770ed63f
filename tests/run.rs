//! `tidegate run`, from end to end: exit codes, texts, files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Doubles `n` numbers of `x` into `y`.
const DOUBLE: &str = r#"
.version 9.0
.target sm_90a
.address_size 64
.visible .entry double(.param .u64 double_param_0, .param .u64 double_param_1, .param .u32 double_param_2)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [double_param_0];
    ld.param.u64 %rd2, [double_param_1];
    ld.param.u32 %r1, [double_param_2];
    .loc 1 3 7
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    .loc 1 5 3
    ld.global.f32 %f1, [%rd4];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd5], %f2;
DONE:
    ret;
}
.file 1 "double.py"
"#;

const MANIFEST: &str = r#"{
  "kernel": "double", "entry": "double", "target": "sm_90a",
  "grid": [2, 1, 1], "cluster": [1, 1, 1], "cluster_attribute": false, "block": [32, 1, 1],
  "dynamic_shared_bytes": 0, "dynamic_shared_symbol": null, "dynamic_shared_min_align": 1024,
  "params": [
    {"name": "double_param_0", "bytes": 8, "align": 8, "kind": "pointer", "operand": 0, "byte_offset": 0},
    {"name": "double_param_1", "bytes": 8, "align": 8, "kind": "pointer", "operand": 1, "byte_offset": 0},
    {"name": "double_param_2", "bytes": 4, "align": 4, "kind": "scalar", "operand": 2}
  ],
  "tensor_maps": [],
  "operands": [
    {"index": 0, "name": "x", "direction": "in", "dtype": "float32", "shape": [50], "bytes": 200, "layout": "row-major, dense"},
    {"index": 1, "name": "y", "direction": "out", "dtype": "float32", "shape": [50], "bytes": 200, "layout": "row-major, dense"},
    {"index": 2, "name": "n", "direction": "in", "dtype": "int32", "shape": []}
  ]
}
"#;

/// A kernel of 64 threads without parameters.
fn kernel(body: &str) -> String {
    format!(
        ".version 9.0
.target sm_90a
.address_size 64
.visible .entry k()
.reqntid 64
{{
    .reg .pred %p<8>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .reg .f32 %f<16>;
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    .shared .align 128 .b8 buf[1024];
{body}
    ret;
}}
"
    )
}

/// An npy file of one dimension.
fn npy(descr: &str, count: usize, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}\n");
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    let data: Vec<f32> = values.collect();
    npy("<f4", data.len(), &data.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

struct Folder(TempDir);

impl Folder {
    /// With the kernel that doubles, its manifest, and `x.npy`.
    fn double() -> Folder {
        let folder = Folder::of(DOUBLE);
        folder.write("k.manifest.json", MANIFEST);
        folder.write("x.npy", floats((0..50).map(|i| i as f32)));
        folder.write("y.npy", floats((0..50).map(|i| 2.0 * i as f32)));
        folder
    }

    fn of(ptx: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        folder.write("k.ptx", ptx);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn run(&self, arguments: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        command.arg("run").args(arguments.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        Ran(command.output().expect("tidegate runs"))
    }
}

struct Ran(Output);

impl Ran {
    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    #[track_caller]
    fn ends(self, code: i32, says: &[&str]) -> Ran {
        let text = self.stderr();
        assert_eq!(self.0.status.code(), Some(code), "{text}{}", self.stdout());
        for said in says {
            assert!(text.contains(said), "`{said}` is not in\n{text}");
        }
        self
    }
}

#[test]
fn a_kernel_runs_by_its_manifest() {
    let folder = Folder::double();
    folder.run("k.ptx --in x=x.npy --scalar n=50 --out y=out.npy --expect y=y.npy --stats").ends(
        0,
        &[
            "`y` is what is expected, to the last bit",
            "`double` ran to its end: 2 blocks, 1 schedule",
            "warp instructions a second",
            "no findings",
        ],
    );
    // numpy aligns the header to 64 bytes; the data is what counts.
    let written = std::fs::read(folder.path("out.npy")).expect("the output");
    let wanted = std::fs::read(folder.path("y.npy")).expect("what is expected");
    assert!(written.starts_with(b"\x93NUMPY"));
    assert_eq!(written[written.len() - 200..], wanted[wanted.len() - 200..]);
    let quiet = folder.run("k.ptx --in x=x.npy --scalar n=50 --quiet --schedule all --seeds 3").ends(0, &[]);
    assert_eq!(quiet.stderr(), "");
    folder
        .run("k.ptx --in x=x.npy --scalar n=50 --expect y=out.npy --manifest k.manifest.json --kernel double")
        .ends(0, &[]);
    folder.run("k.ptx --random-inputs --scalar n=50").ends(0, &["no findings"]);
}

#[test]
fn a_kernel_runs_without_a_manifest() {
    let folder = Folder::of(DOUBLE);
    folder.write("x.npy", floats((0..50).map(|i| i as f32)));
    folder.write("y.npy", floats((0..50).map(|i| 2.0 * i as f32)));
    let launch = "k.ptx --grid 2 --block 32 --in x=x.npy --shape y=f32:50 --expect y=y.npy";
    folder.run(&format!("{launch} --param ptr:x --param ptr:y --param u32:50")).ends(0, &["to the last bit"]);
    for (params, says) in [
        (
            "",
            "there is no manifest beside `k.ptx`; --manifest names one, or --param says what is passed for each of double_param_0 (8 bytes)",
        ),
        ("--param ptr:x", "`double` takes 3 parameters: `double_param_0` of 8 bytes"),
        ("--param ptr:x --param ptr:z --param u32:50", "there is no array `z`"),
        (
            "--param ptr:x --param ptr:y --param u64:50",
            "that has 8 bytes, and `double_param_2`, the parameter 2 of `double`, has 4",
        ),
        ("--param ptr:x --param ptr:y --param u32:x", "`x` is no uint32"),
        ("--param ptr:x --param ptr:y --param int:5", "`int` is no kind"),
        ("--param x --param ptr:y --param u32:50", "KIND:VALUE is wanted"),
        ("--param ptr:x+y --param ptr:y --param u32:50", "`y` is no number of bytes"),
        ("--param map:x --param ptr:y --param u32:50", "the box is missing"),
        ("--param map:x,box=64,swizzle=7 --param ptr:y --param u32:50", "`7` is no swizzle"),
        ("--param map:x,box=64,colour=7 --param ptr:y --param u32:50", "`colour` is unknown"),
        ("--param bytes:0 --param ptr:y --param u32:50", "pairs of hexadecimal digits"),
    ] {
        folder.run(&format!("{launch} {params}")).ends(2, &[says]);
    }
    folder
        .run("k.ptx --grid 0 --param ptr:x --param ptr:y --param u32:1 --in x=x.npy --init y=y.npy")
        .ends(1, &["TG1105", "each dimension is at least 1"]);
    folder
        .run("k.ptx --shape y=50 --param ptr:y --param ptr:y --param u32:1")
        .ends(2, &["TYPE:EXTENTS is wanted"]);
    folder.run("k.ptx --grid 1,2,3,4").ends(2, &["one to three numbers"]);
    folder.run("k.ptx --block 32 --manifest m.json").ends(2, &["cannot be used with"]);
    folder.run("k.ptx --kernel other").ends(2, &["the module has no kernel `other`; it has `double`"]);
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = Folder::double();
    for (arguments, says) in [
        (
            "k.ptx",
            "`double` reads what nobody has given: --in x=FILE.npy (float32), --scalar n=NUMBER (int32)",
        ),
        ("k.ptx --in z=x.npy", "--in z: `double` has no operand of this name; it has x, y, n"),
        ("k.ptx --in y=x.npy", "--in y: the kernel writes `y`; --init y=x.npy"),
        ("k.ptx --out x=x2.npy", "--out x: the kernel only reads `x`"),
        ("k.ptx --in x", "NAME=VALUE is wanted"),
        ("k.ptx --scalar m=5", "no scalar `m`; it has n"),
        ("k.ptx --rtol=-1", "at least 0"),
        ("k.ptx --seeds 0", "0 is not in"),
        ("k.ptx --replay nonsense", "cannot read `nonsense`"),
        ("k.ptx --replay 0:x", "no step of a schedule"),
        ("k.ptx --kernel other", "`k.manifest.json` is about `double`, not about `other`"),
        ("k.ptx --shape x=a", "extents are wanted"),
        ("k.ptx --shared 100", "--shared: `k.manifest.json` says how the kernel is launched"),
        ("k.ptx --cluster 2", "--cluster: `k.manifest.json` says how the kernel is launched"),
        ("k.ptx --frobnicate", "unexpected argument"),
        ("", "required"),
    ] {
        folder.run(arguments).ends(2, &[says]);
    }
}

#[test]
fn what_does_not_fit_ends_with_1() {
    let folder = Folder::double();
    folder.write("short.npy", floats((0..49).map(|i| i as f32)));
    folder.write("double.npy", npy("<f8", 50, &[0; 400]));
    folder.write("cut.npy", &floats((0..50).map(|i| i as f32))[..100]);
    folder.write("garbage.npy", "hello");
    for (arguments, code, says) in [
        ("k.ptx --in x=short.npy", "TG1104", "operand `x`: the array's shape is 49, the kernel takes 50"),
        ("k.ptx --in x=double.npy", "TG1104", "operand `x`: the array is float64, the kernel takes float32"),
        ("k.ptx --in x=cut.npy", "TG1104", "`cut.npy`: it is cut off"),
        ("k.ptx --in x=garbage.npy", "TG1104", "`garbage.npy`: it is no .npy file"),
        ("k.ptx --in x=none.npy", "TG0015", "cannot read `none.npy`"),
        ("none.ptx", "TG0015", "cannot read `none.ptx`"),
        ("k.ptx --scalar n=1.5", "TG1104", "operand `n`: `1.5` is no int32"),
        ("k.ptx --random-inputs --grid 3", "TG1105", "grid[0]: 3 blocks, while the kernel was made for 2"),
        (
            "k.ptx --random-inputs --scalar n=50 --expect y=short.npy",
            "TG1104",
            "`short.npy` has the shape 49, `y` has 50",
        ),
    ] {
        let unreadable = tidegate::ir::diag::codes::UNREADABLE_FILE.id();
        let code = if code == "TG0015" { unreadable } else { code };
        folder.run(arguments).ends(1, &[code, says]);
    }
    folder.write("k.manifest.json", MANIFEST.replace("\"grid\": [2, 1, 1]", "\"grid\": [2, 1]"));
    folder.run("k.ptx").ends(1, &["error[TG1102]: grid: invalid length 2", "k.manifest.json:3:"]);
    folder.write("k.manifest.json", MANIFEST.replace("double_param_2", "double_param_9"));
    folder.run("k.ptx").ends(
        1,
        &[
            "TG1103",
            "params[2].name: `double_param_9`, while the PTX has `double_param_2`",
            "in `k.manifest.json`",
        ],
    );
    folder.write("k.manifest.json", format!("[{MANIFEST}, {MANIFEST}]"));
    folder.run("k.ptx").ends(2, &["is about `double`, `double`; --kernel says which"]);
    folder.write("k.ptx", DOUBLE.replace("add.f32", "add.f23"));
    folder.run("k.ptx").ends(1, &["error[TG1101]", "k.ptx:26:", "add.f23 %f2, %f1, %f1;"]);
}

#[test]
fn a_result_is_held_against_what_is_expected() {
    let folder = Folder::double();
    folder.write("off.npy", floats((0..50).map(|i| 2.0 * i as f32 + if i == 7 { 0.5 } else { 0.0 })));
    let run = "k.ptx --in x=x.npy --scalar n=50 --out y=out.npy --expect y=off.npy";
    folder.run(run).ends(
        1,
        &[
            "error[TG1106]: `y` is not what `off.npy` has: 1 of 50 elements are off, by 0.5 at most",
            "at [7] it is 14, and 14.5 is expected",
        ],
    );
    assert!(!folder.path("out.npy").exists(), "nothing is written when something is wrong");
    folder.run(&format!("{run} --atol 0.5")).ends(0, &["`y` is what is expected, within 0.5: at [7]"]);
    assert!(folder.path("out.npy").exists());
    // The kernel writes half of it only.
    folder
        .run("k.ptx --in x=x.npy --scalar n=25")
        .ends(0, &["warning[TG1107]", "the first element left is [25]"]);
    folder
        .run("k.ptx --in x=x.npy --scalar n=25 --init y=x.npy --expect y=x.npy --atol 100")
        .ends(0, &["within 24"]);
}

#[test]
fn a_finding_has_its_places() {
    let folder = Folder::double();
    folder.write("double.py", "# one\n# two\ni = block * 32 + thread\nif i < n:\n  y[i] = x[i] + x[i]\n");
    folder.write("x.manifest.json", MANIFEST);
    // 64 threads, and 50 elements.
    let ran = folder.run("k.ptx --in x=x.npy --scalar n=64 --out y=out.npy");
    ran.ends(
        1,
        &[
            "error[TG1012]",
            "--> k.ptx:25:",
            "ld.global.f32 %f1, [%rd4];",
            "double.py:5:3",
            "y[i] = x[i] + x[i]",
            "from double.py:5:3",
            "in cluster 1 of 2",
            "1 error",
        ],
    );
    assert!(!folder.path("out.npy").exists());
    std::fs::remove_file(folder.path("double.py")).expect("removed");
    folder.run("k.ptx --in x=x.npy --scalar n=64").ends(1, &["from double.py:5:3"]);
    let json = folder.run("k.ptx --in x=x.npy --scalar n=64 --format json").ends(1, &[]);
    let line = json.stdout();
    let value: serde_json::Value =
        serde_json::from_str(line.lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(value["code"], "TG1012");
    assert_eq!(value["labels"][0]["line_start"], 25);
    let sarif = folder.run("k.ptx --in x=x.npy --scalar n=64 --format sarif").ends(1, &[]);
    let value: serde_json::Value = serde_json::from_str(&sarif.stdout()).expect("SARIF");
    assert_eq!(value["runs"][0]["results"][0]["ruleId"], "TG1012");
}

#[test]
fn checks_can_be_turned_off() {
    let folder = Folder::of(&kernel("ld.shared.u32 %r1, [buf];"));
    folder.run("k.ptx").ends(1, &["error[TG1011]"]);
    folder.run("k.ptx --no-uninitialised").ends(0, &[]);
    folder.run("k.ptx --no-uninitialised --uninitialised").ends(1, &["TG1011"]);
    let folder = Folder::of(&kernel("mov.u32 %r1, %tid.x; st.shared.u32 [buf], %r1;"));
    folder.run("k.ptx").ends(1, &["error[TG1009]"]);
    folder.run("k.ptx --no-races").ends(0, &[]);
    let folder = Folder::of(&kernel("L: add.u32 %r1, %r1, 1; bra L;"));
    folder.run("k.ptx --fuel 1000").ends(1, &["error[TG1002]", "1000 warp instructions"]);
}

#[test]
fn schedules_are_recorded_and_run_again() {
    let hang = "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra W; mbarrier.init.shared.b64 [full], 2;
        W: bar.sync 0; L: mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; @!%p2 bra L;";
    let folder = Folder::of(&kernel(hang));
    folder.run("k.ptx").ends(1, &["error[TG1001]"]);
    folder
        .run("k.ptx --seed 5")
        .ends(1, &["TG1001", "under `--schedule random --seed 5`, which shows it again"]);
    folder
        .run("k.ptx --schedule hold-back --record r.txt")
        .ends(1, &["`--replay r.txt` runs this schedule again"]);
    let record = std::fs::read_to_string(folder.path("r.txt")).expect("a record");
    assert!(record.starts_with("# --schedule hold-back --seed 0\ncluster 0: "), "{record}");
    folder.run("k.ptx --replay r.txt").ends(1, &["TG1001"]);
    folder.run("k.ptx --replay 0:1024").ends(1, &["TG1001"]);
    folder.run("k.ptx --schedule all").ends(1, &["TG1001"]);
}

#[test]
fn a_result_that_depends_on_the_schedule_is_told() {
    // Two warps exchange: the last one stays.
    let text = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{
        .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred %p<2>;
        ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0;
        @%p1 bra D; atom.global.exch.b32 %r3, [%rd1], %r1;
        D: ret;\n}\n";
    let folder = Folder::of(text);
    folder.write("y.npy", npy("<u4", 1, &[0; 4]));
    let run = "k.ptx --block 64 --param ptr:y --init y=y.npy";
    folder
        .run(&format!("{run} --schedule all --seeds 20"))
        .ends(0, &["warning[TG1108]: `y` depends on the schedule: 1 of 1 elements"]);
    folder.run(run).ends(0, &["no findings"]);
}

#[test]
fn what_the_machine_has_no_model_of_is_said() {
    let text = kernel("call.uni frob;").replace(".visible", ".extern .func frob;\n.visible");
    Folder::of(&text).run("k.ptx").ends(1, &["error[TG1020]: a call of `frob`"]);
}

#[test]
fn standard_input_is_read() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command.args(["run", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("tidegate runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), kernel("").as_bytes())
        .expect("written");
    Ran(child.wait_with_output().expect("it ends")).ends(0, &["`k` ran to its end: 1 block"]);
}

/// What JAX made, where it is at hand.
#[test]
fn kernels_of_jax_run() {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/jax/modules");
    if !modules.is_dir() {
        eprintln!("skipped: there is no {}", modules.display());
        return;
    }
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    for name in ["producer_consumer", "tma_copy"] {
        let ptx = modules.join(format!("{name}.ptx"));
        folder
            .run(&format!("{} --random-inputs --schedule all --seeds 2", ptx.display()))
            .ends(0, &["no findings"]);
    }
}
