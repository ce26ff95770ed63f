//! Tests of the text form: what is printed reads back to the same module, whatever the module; what is read never
//! makes the reader panic or run away.

mod generate;
mod round_trip;
