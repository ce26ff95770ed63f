// Types of operands and results.
tg.kernel @casts(%i: i32, %l: i64, %f: f32, %h: f16, %b: bf16, %n: index) {
  %0 = "arith.addi"(%i, %l) : (i32, i64) -> i32 // error: TG0302 the operands of `arith.addi` are of one type, but are `i32` and `i64`
  %1 = "arith.addf"(%i, %i) : (i32, i32) -> i32 // error: TG0302 operand `lhs` of `arith.addf` has type `i32`; it has to be a floating-point number
  %2 = "arith.addi"(%i, %i) : (i32, i32) -> i64 // error: TG0303 `arith.addi` gives `i32` for operands of that type, not `i64`
  %3 = "arith.cmpi"(%i, %i) <{predicate = 2 : i64}> : (i32, i32) -> i32 // error: TG0303 it has to be `i1` or an array of `i1`
  %4 = arith.extsi %l : i64 to i32 // error: TG0303 the result has to be wider than the operand
  %5 = arith.trunci %i : i32 to i64 // error: TG0303 the result has to be narrower than the operand
  %6 = arith.extf %h : f16 to bf16 // error: TG0303 cannot convert `f16` to `bf16`
  %7 = arith.bitcast %i : i32 to f64 // error: TG0303 the result has to be as wide as the operand
  %8 = arith.index_cast %i : i32 to i64 // error: TG0303 one side is `index`
  %9 = arith.sitofp %n : index to f32 // error: TG0303 `index` is converted by `arith.index_cast` only
  %10 = arith.extsi %n : index to i64 // error: TG0303 `index` is converted
  %11 = arith.extsi %i : i32 to i64
  %12 = arith.index_cast %n : index to i32
}
// -----
tg.kernel @arrays(%f: f32) {
  %v = vector.broadcast %f : f32 to vector<4x8xf32>
  %w = vector.broadcast %f : f32 to vector<8xf32>
  %0 = "vector.broadcast"(%v) : (vector<4x8xf32>) -> vector<8x8xf32> // error: TG0402 cannot be broadcast to [8, 8]
  %1 = "vector.broadcast"(%f) : (f32) -> vector<8xf16> // error: TG0403 keeps the element type
  %2 = vector.shape_cast %v : vector<4x8xf32> to vector<31xf32> // error: TG0402 another number of elements
  %3 = "vector.transpose"(%v) <{permutation = array<i64: 1, 1>}> : (vector<4x8xf32>) -> vector<8x4xf32> // error: TG0304 names each dimension from 0 to 1 once
  %4 = "vector.transpose"(%v) <{permutation = array<i64: 1, 0>}> : (vector<4x8xf32>) -> vector<4x8xf32> // error: TG0402 the transposed array has shape [8, 4], not [4, 8]
  %5 = "vector.reduction"(%v) <{kind = #vector.kind<add>}> : (vector<4x8xf32>) -> f32 // error: TG0402 takes an array of one dimension, not of 2
  %6 = "vector.reduction"(%w) <{kind = #vector.kind<xor>}> : (vector<8xf32>) -> f32 // error: TG0304 `xor`, which does not combine `f32`
  %7 = "vector.multi_reduction"(%v, %f) <{kind = #vector.kind<add>, reduction_dims = array<i64: 2>}> : (vector<4x8xf32>, f32) -> f32 // error: TG0304 dimensions from 0 to 1, each once
  %8 = "vector.multi_reduction"(%v, %f) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<4x8xf32>, f32) -> f32 // error: TG0402 what is left of the dimensions is an array of shape [8] of `f32`
  %9 = arith.extf %w : vector<8xf32> to vector<4xf64> // error: TG0402 operands and results of `arith.extf` are of one shape
  %10 = vector.multi_reduction <add>, %v, %w [0] : vector<4x8xf32> to vector<8xf32>
  %11 = vector.reduction <maximumf>, %w, %f : vector<8xf32> into f32
  %12 = vector.transpose %v, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
}
// -----
tg.kernel @select(%c: i1, %f: f32, %d: f64) {
  %m = vector.broadcast %c : i1 to vector<4xi1>
  %0 = "arith.select"(%c, %f, %d) : (i1, f32, f64) -> f32 // error: TG0302 chooses between values of one type
  %1 = "arith.select"(%m, %f, %f) : (vector<4xi1>, f32, f32) -> f32 // error: TG0402 another shape
  %2 = arith.select %c, %f, %f : f32
}
// -----
// One error for one mistake: what follows from it is not reported.
tg.kernel @cascade(%i: i32, %l: i64) {
  %0 = "arith.addi"(%i, %l) : (i32, i64) -> f32 // error: TG0303 result `result` of `arith.addi` has type `f32`
  %1 = "arith.addi"(%0, %0) : (f32, f32) -> f32
  %2 = "vector.transpose"(%1) <{permutation = array<i64: 0>}> : (f32) -> f32
}
