use crate::ast::Module;use crate::error::ParseError;use crate::program::Program;
/// x
pub fn resolve(_m:&Module)->Result<Program,Vec<ParseError>>{Err(vec![])}
