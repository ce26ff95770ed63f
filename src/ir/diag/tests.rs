//! Tests of the whole of `diag`: the code table, golden output of each renderer, and odd spans.

mod codes;
mod golden;
mod odd_spans;
mod sink;
mod source;
