//! The format strings of `printf` as the device takes them (CUDA C programming guide, "formatted output": flags, width,
//! precision, sizes `h l ll`, types `%c d i o u x X p e E f F g G a A s`).

use tidegate_machine::hardware::Stop;

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// 4 bytes.
    Word,
    /// 8 bytes.
    Long,
    /// A number of f64.
    Double,
    /// An address of a string.
    String,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Gives the next argument: its bits, and for strings the text.
type Next<'a> = dyn FnMut(Argument) -> Result<(u64, Vec<u8>), Stop> + 'a;

/// Widths and precisions are cut to this, so that no format string fills the memory.
const WIDEST: usize = 4096;

/// Formats. What is no conversion is copied as it is.
pub(super) fn format(template: &[u8], out: &mut Vec<u8>, next: &mut Next<'_>) -> Result<(), Stop> {
    let mut at = 0;
    while let Some(&byte) = template.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = at - 1;
        if template.get(at) == Some(&b'%') {
            out.push(b'%');
            at += 1;
            continue;
        }
        let mut spec = Spec::default();
        while let Some(&flag) = template.get(at) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        if let Some(width) = number(template, &mut at, next)? {
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(WIDEST);
        }
        if template.get(at) == Some(&b'.') {
            at += 1;
            let precision = number(template, &mut at, next)?.unwrap_or(0);
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(WIDEST));
        }
        let mut long = false;
        let mut halves = 0;
        while let Some(&size) = template.get(at) {
            match size {
                b'l' | b'j' | b'z' | b't' => long = true,
                b'h' => halves += 1,
                _ => break,
            }
            at += 1;
        }
        let Some(&kind) = template.get(at) else {
            out.extend_from_slice(&template[start..]);
            return Ok(());
        };
        at += 1;
        let word = if long { Argument::Long } else { Argument::Word };
        match kind {
            b'd' | b'i' => {
                let (v, _) = next(word)?;
                let v = match (long, halves) {
                    (true, _) => v as i64,
                    (false, 0) => i64::from(v as i32),
                    (false, 1) => i64::from(v as i16),
                    _ => i64::from(v as i8),
                };
                integer(out, &spec, sign(&spec, v < 0), &v.unsigned_abs().to_string());
            }
            b'u' | b'x' | b'X' | b'o' => {
                let (v, _) = next(word)?;
                let v = match (long, halves) {
                    (true, _) => v,
                    (false, 0) => u64::from(v as u32),
                    (false, 1) => u64::from(v as u16),
                    _ => u64::from(v as u8),
                };
                let (prefix, digits) = match kind {
                    b'u' => ("", v.to_string()),
                    b'x' => ("0x", format!("{v:x}")),
                    b'X' => ("0X", format!("{v:X}")),
                    _ => ("0", format!("{v:o}")),
                };
                let prefix = if spec.alternate && v != 0 { prefix } else { "" };
                integer(out, &spec, prefix, &digits);
            }
            b'p' => {
                let (v, _) = next(Argument::Long)?;
                pad(out, &Spec { zero: false, ..spec }, "", format!("0x{v:x}").as_bytes());
            }
            b'c' => {
                let (v, _) = next(Argument::Word)?;
                pad(out, &Spec { zero: false, ..spec }, "", &[v as u8]);
            }
            b's' => {
                let (_, text) = next(Argument::String)?;
                let text = text.get(..spec.precision.unwrap_or(text.len()).min(text.len())).unwrap_or(&text);
                pad(out, &Spec { zero: false, ..spec }, "", text);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (v, _) = next(Argument::Double)?;
                float(out, &spec, kind, f64::from_bits(v));
            }
            _ => out.extend_from_slice(&template[start..at]),
        }
    }
    Ok(())
}

/// Digits, or `*`: an argument.
fn number(template: &[u8], at: &mut usize, next: &mut Next<'_>) -> Result<Option<i32>, Stop> {
    if template.get(*at) == Some(&b'*') {
        *at += 1;
        return Ok(Some(next(Argument::Word)?.0 as i32));
    }
    let mut value: Option<i32> = None;
    while let Some(digit) = template.get(*at).filter(|b| b.is_ascii_digit()) {
        value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(i32::from(digit - b'0')));
        *at += 1;
    }
    Ok(value)
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(out: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: &str) {
    let digits = match spec.precision {
        Some(p) => format!("{digits:0>p$}"),
        None => digits.to_owned(),
    };
    // A precision takes the place of the flag `0`.
    pad(out, &Spec { zero: spec.zero && spec.precision.is_none(), ..*spec }, prefix, digits.as_bytes());
}

fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, text: &[u8]) {
    let fill = spec.width.saturating_sub(prefix.len() + text.len());
    if !spec.left && !spec.zero {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(prefix.as_bytes());
    if !spec.left && spec.zero {
        out.extend(std::iter::repeat_n(b'0', fill));
    }
    out.extend_from_slice(text);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn float(out: &mut Vec<u8>, spec: &Spec, kind: u8, value: f64) {
    let sign = sign(spec, value.is_sign_negative());
    let magnitude = value.abs();
    let upper = kind.is_ascii_uppercase();
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let text = if upper { text.to_uppercase() } else { text.to_owned() };
        return pad(out, &Spec { zero: false, ..*spec }, sign, text.as_bytes());
    }
    let p = spec.precision.unwrap_or(6);
    let text = match kind.to_ascii_lowercase() {
        b'f' => format!("{magnitude:.p$}"),
        b'e' => exponential(magnitude, p),
        b'g' => general(magnitude, p.max(1), spec.alternate),
        _ => {
            return pad(
                out,
                spec,
                &format!("{sign}0x"),
                hexadecimal(magnitude, spec.precision, upper).as_bytes(),
            );
        }
    };
    let text = if upper { text.to_uppercase() } else { text };
    pad(out, spec, sign, text.as_bytes());
}

/// `1.500000e+03`
fn exponential(v: f64, p: usize) -> String {
    let text = format!("{v:.p$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let e: i32 = exponent.parse().unwrap_or(0);
            format!("{mantissa}e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
        }
        None => text,
    }
}

/// The shorter of the two (C, 7.21.6.1 `g`).
fn general(v: f64, p: usize, alternate: bool) -> String {
    let rounded = exponential(v, p - 1);
    let exponent: i64 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let scientific = exponent < -4 || exponent >= p as i64;
    let text =
        if scientific { rounded } else { format!("{v:.*}", (p as i64 - 1 - exponent).max(0) as usize) };
    if alternate {
        return text;
    }
    let (mantissa, rest) = match text.split_once('e') {
        Some((m, e)) => (m.to_owned(), format!("e{e}")),
        None => (text, String::new()),
    };
    let short = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => &mantissa,
    };
    format!("{short}{rest}")
}

/// `1.8p+1`, without the `0x`.
fn hexadecimal(v: f64, precision: Option<usize>, upper: bool) -> String {
    let bits = v.to_bits();
    let (mut exponent, mut mantissa) = ((bits >> 52 & 0x7ff) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut lead = 1;
    if exponent == -1023 {
        (lead, exponent) = (0, if mantissa == 0 { 0 } else { -1022 });
    }
    if let Some(p) = precision.filter(|&p| p < 13) {
        let drop = 52 - 4 * p as u32;
        let all = (lead << 52) | mantissa;
        let (kept, rest) = (all >> drop, all & ((1 << drop) - 1));
        let half = 1u64 << (drop - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        let all = (kept + u64::from(up)) << drop;
        (lead, mantissa) = (all >> 52, all & ((1 << 52) - 1));
    }
    let digits = format!("{mantissa:013x}");
    let digits = match precision {
        Some(p) if p <= 13 => digits[..p].to_owned(),
        Some(p) => format!("{digits:0<p$}"),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let text = format!("{lead}{point}{digits}p{exponent:+}");
    if upper { text.to_uppercase() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(template: &str, args: &[u64]) -> String {
        let mut out = Vec::new();
        let mut args = args.iter();
        format(template.as_bytes(), &mut out, &mut |_| Ok((*args.next().unwrap(), b"word".to_vec())))
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn conversions() {
        let f = |v: f64| v.to_bits();
        assert_eq!(text("a%%b", &[]), "a%b");
        assert_eq!(text("%d|%5d|%-5d|%05d|%+d", &[7, 7, 7, 0xffff_fff9, 7]), "7|    7|7    |-0007|+7");
        assert_eq!(
            text("%u %x %#X %lld %lu", &[9, 255, 255, u64::MAX, 1 << 40]),
            "9 ff 0XFF -1 1099511627776"
        );
        assert_eq!(text("%hhd %hu %.3d", &[0x1ff, 0x1_0002, 5]), "-1 2 005");
        assert_eq!(text("%s|%6s|%.2s|%c", &[0, 0, 0, 65]), "word|  word|wo|A");
        assert_eq!(
            text("%f %.2f %8.1f %e", &[f(1.5), f(-2.345), f(3.0), f(1500.0)]),
            "1.500000 -2.35      3.0 1.500000e+03"
        );
        assert_eq!(
            text("%g %g %g %g", &[f(1.0), f(1e-5), f(123456789.0), f(0.5)]),
            "1 1e-05 1.23457e+08 0.5"
        );
        assert_eq!(text("%a %.1a %p", &[f(3.0), f(1.0), 16]), "0x1.8p+1 0x1.0p+0 0x10");
        assert_eq!(text("%f %F", &[f(f64::NAN), f(f64::INFINITY)]), "nan INF");
        assert_eq!(text("%*d %.*f", &[4, 7, 1, f(2.0)]), "   7 2.0");
        assert_eq!(text("100% %y %", &[]), "100% %y %");
    }
}
