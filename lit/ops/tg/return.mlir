// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// The end of a kernel or role is left out unless it has something to say.

// CHECK-LABEL: tg.kernel @return
tg.kernel @return(%x: !tg.ref<128xf32, gmem>) {
  tg.warp_specialize {
    role @reader {
      %v = tg.load %x : !tg.ref<128xf32, gmem> -> vector<128xf32>
      tg.return
    }
  }
  // CHECK: tg.return {why = "done"}
  tg.return {why = "done"}
}
