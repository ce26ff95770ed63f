// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Between `index` and integers, as unsigned numbers.

// CHECK-LABEL: tg.kernel @index_castui
tg.kernel @index_castui(%x: !tg.ref<128xi32, gmem>, %a: i32) {
  %v = tg.load %x : !tg.ref<128xi32, gmem> -> vector<128xi32>
  // CHECK: arith.index_castui %{{.*}} : i32 to index
  %row = arith.index_castui %a : i32 to index
  // CHECK: arith.index_castui %{{.*}} : index to i64
  %number = arith.index_castui %row : index to i64
  // CHECK: arith.index_castui %{{.*}} : vector<128xi32> to vector<128xindex>
  %rows = arith.index_castui %v : vector<128xi32> to vector<128xindex>
}
