//! Messages on a stream: a header `Content-Length: N`, an empty line, N bytes of JSON.

use std::fmt;
use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The maximal length of a message in bytes.
const MAX_MESSAGE: usize = 16 << 20;
/// The maximal length of a line of the header in bytes.
const MAX_LINE: u64 = 1_024;
/// Lines of a header.
const MAX_LINES: usize = 16;

/// The reason why an input is not the protocol.
#[derive(Debug)]
pub enum Malformed {
    /// The header is not one of a message.
    Header(String),
    /// The message is too long.
    TooLong(usize),
    /// The content is not JSON.
    Json(String),
    /// The content is no request.
    NoRequest(String),
    /// The input ends within a message.
    Ends,
    /// The input can't be read.
    Unreadable(io::Error),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Header(line) => write!(f, "expected `Content-Length: N`, found {line:?}"),
            Malformed::TooLong(length) => write!(f, "a message of {length} bytes; at most {MAX_MESSAGE} are read"),
            Malformed::Json(why) => write!(f, "a message is not JSON: {why}"),
            Malformed::NoRequest(why) => write!(f, "a message is no request: {why}"),
            Malformed::Ends => f.write_str("the input ends within a message"),
            Malformed::Unreadable(error) => write!(f, "the input can't be read: {error}"),
        }
    }
}

impl std::error::Error for Malformed {}

/// Reads a message. `None` at the end of the input.
pub fn read(input: &mut impl BufRead) -> Result<Option<Value>, Malformed> {
    let Some(length) = length(input)? else { return Ok(None) };
    let mut content = vec![0; length];
    input.read_exact(&mut content).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Malformed::Ends,
        _ => Malformed::Unreadable(error),
    })?;
    serde_json::from_slice(&content).map(Some).map_err(|error| Malformed::Json(error.to_string()))
}

/// Reads a header, and gives the length of the content.
fn length(input: &mut impl BufRead) -> Result<Option<usize>, Malformed> {
    let mut length = None;
    for number in 0..MAX_LINES {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(Malformed::Unreadable)?;
        if line.is_empty() {
            return if number == 0 { Ok(None) } else { Err(Malformed::Ends) };
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_string();
        match (line.is_empty(), length) {
            (true, Some(length)) => return Ok(Some(length)),
            (true, None) => return Err(Malformed::Header(line)),
            (false, _) => length = field(&line)?.or(length),
        }
    }
    Err(Malformed::Header("a header without end".to_string()))
}

/// The length in a line of the header, if it is that line.
fn field(line: &str) -> Result<Option<usize>, Malformed> {
    let wrong = || Malformed::Header(line.to_string());
    let (name, value) = line.split_once(':').ok_or_else(wrong)?;
    if !name.trim().eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    let length: usize = value.trim().parse().map_err(|_| wrong())?;
    if length > MAX_MESSAGE { Err(Malformed::TooLong(length)) } else { Ok(Some(length)) }
}

/// Writes a message.
pub fn write(out: &mut dyn Write, message: &Value) -> io::Result<()> {
    let content = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{content}", content.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(mut input: &[u8]) -> Result<Vec<Value>, Malformed> {
        let mut out = Vec::new();
        while let Some(message) = read(&mut input)? {
            out.push(message);
        }
        Ok(out)
    }

    #[test]
    fn messages_come_back() {
        let (one, two) = (json!({"a": "ü"}), json!([1, 2]));
        let mut stream = Vec::new();
        write(&mut stream, &one).unwrap();
        write(&mut stream, &two).unwrap();
        assert_eq!(all(&stream).unwrap(), [one, two]);
        assert_eq!(all(b"content-type: x\ncontent-length:2\n\n{}").unwrap(), [json!({})]);
        assert_eq!(all(b"").unwrap(), [json!(null); 0]);
    }

    #[test]
    fn other_input_is_refused() {
        for (input, wanted) in [
            (&b"hello\r\n"[..], "found \"hello\""),
            (b"\r\n\r\n", "expected `Content-Length"),
            (b"Content-Length: -1\r\n\r\n", "expected"),
            (b"Content-Length: 99999999999\r\n\r\n", "at most"),
            (b"Content-Length: 3\r\n\r\n{", "ends within"),
            (b"Content-Length: 3\r\n", "ends within"),
            (b"Content-Length: 3\r\n\r\n{}}", "not JSON"),
        ] {
            let why = all(input).unwrap_err().to_string();
            assert!(why.contains(wanted), "{why}");
        }
        let endless = "x: y\n".repeat(100);
        assert!(all(endless.as_bytes()).is_err());
        let long = vec![b'x'; 5_000];
        assert!(all(&long).is_err());
    }
}
