// RUN: %tidegate opt %s | FileCheck %s
// RUN: %tidegate opt --generic %s | %tidegate opt - | FileCheck %s
// RUN: %if mlir-opt %{ %tidegate opt --generic %s | %mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | %tidegate opt - | FileCheck %s %}

// Parameters with directions, a grid with an extent given at the launch, a cluster, a thread axis, attributes.

// CHECK: tg.kernel @kernel(in %{{.*}}: !tg.ref<?x128xf32, gmem, strides = [?, 1]>, out %{{.*}}: !tg.ref<128xf32, gmem>, %{{.*}}: f32) grid ["i" = 4, "j" = ?] cluster ["c" = 2] threads ["wg" = 2] attributes {author = "tide"} {
tg.kernel @kernel(in %x: !tg.ref<?x128xf32, gmem, strides = [?, 1]>, out %y: !tg.ref<128xf32, gmem>, %scale: f32) grid ["i" = 4, "j" = ?] cluster ["c" = 2] threads ["wg" = 2] attributes {author = "tide"} {
  %i = tg.axis_index "i" : index
  %wg = tg.axis_index "wg" : index
}
