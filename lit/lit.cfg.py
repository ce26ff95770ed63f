"""Configuration of the lit tests; lit/README.md says how to write one.

`cargo xtask lit` sets the variables read here. Without them (`lit lit/` by hand) the programs are looked for in the
places where a build and Debian's packages put them.
"""

import os
import shutil
import sys

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
target = os.path.join(root, os.environ.get("CARGO_TARGET_DIR", "target"))
llvm_bin = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin")


def find(variable, *places):
    """The first of the variable's value and `places` that is a program, or None."""
    for place in (os.environ.get(variable), *places):
        program = place and shutil.which(place)
        if program:
            return os.path.abspath(program)
    return None


config.name = "tidegate"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "README.md"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(target, "lit")

tidegate = find("TIDEGATE", os.path.join(target, "debug", "tidegate"), os.path.join(target, "release", "tidegate"))
if not tidegate:
    lit_config.fatal("no tidegate: run `cargo build --bins`, or set TIDEGATE")
mlir_opt = find("MLIR_OPT", os.path.join(llvm_bin, "mlir-opt"), "mlir-opt-22")
ptxas = find("TIDEGATE_PTXAS", "ptxas")
nvdisasm = find("TIDEGATE_NVDISASM", "nvdisasm")

# FileCheck, not, split-file, count. Where only FileCheck's own name is known, its folder comes first.
filecheck = find("FILECHECK", os.path.join(llvm_bin, "FileCheck"), "FileCheck-22")
folders = [llvm_bin]
if filecheck and os.path.basename(filecheck) == "FileCheck":
    folders.insert(0, os.path.dirname(filecheck))
config.environment["PATH"] = os.pathsep.join([*folders, os.environ.get("PATH", "")])

# Output must not depend on whose terminal or machine this is.
config.environment["NO_COLOR"] = "1"
config.environment["COLUMNS"] = "100"
for variable in ("TIDEGATE_PTXAS", "TIDEGATE_NVDISASM", "CUDA_HOME", "LD_LIBRARY_PATH"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions.append(("%tidegate", tidegate))
config.substitutions.append(("%python", f'"{sys.executable}"'))
# `lit --param mlir=no` for an executable that was built without the feature.
if lit_config.params.get("mlir", "yes") != "no":
    config.available_features.add("mlir")
for name, program in (("mlir-opt", mlir_opt), ("ptxas", ptxas), ("nvdisasm", nvdisasm)):
    if program:
        config.available_features.add(name)
        config.substitutions.append((f"%{name}", program))
