//! Framing without IO: four bytes of length (big endian), then that many bytes of JSON.

/// Requests are small; answers hold a thousand sessions and more.
pub const MAX_REQUEST: usize = 64 * 1024;
pub const MAX_REPLY: usize = 64 * 1024 * 1024;
const HEADER: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub enum Check {
    /// More bytes are needed; a normal answer.
    Incomplete,
    /// The first frame's body is `start..end` of the buffer; the next one begins at `end`.
    Whole { start: usize, end: usize },
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("a message of {0} bytes is over the limit")]
pub struct TooLong(pub usize);

pub fn check(buffer: &[u8], max: usize) -> Result<Check, TooLong> {
    let Some(header) = buffer.first_chunk::<HEADER>() else { return Ok(Check::Incomplete) };
    let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
    if length > max {
        return Err(TooLong(length));
    }
    let end = HEADER + length;
    Ok(if buffer.len() < end { Check::Incomplete } else { Check::Whole { start: HEADER, end } })
}

pub fn encode(body: &[u8]) -> Result<Vec<u8>, TooLong> {
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= MAX_REPLY);
    let length = length.ok_or(TooLong(body.len()))?;
    let mut frame = Vec::with_capacity(HEADER + body.len());
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(body);
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn frame_round_trips_and_every_shorter_buffer_is_incomplete(body: Vec<u8>, more: Vec<u8>) {
            let mut bytes = encode(&body).unwrap();
            for cut in 0..bytes.len() {
                prop_assert_eq!(check(&bytes[..cut], MAX_REPLY).unwrap(), Check::Incomplete);
            }
            let end = bytes.len();
            bytes.extend(more);
            prop_assert_eq!(check(&bytes, MAX_REPLY).unwrap(), Check::Whole { start: 4, end });
            prop_assert_eq!(&bytes[4..end], &body[..]);
        }
    }

    #[test]
    fn frame_over_the_limit_is_refused_by_its_header_alone() {
        assert_eq!(check(&[0, 2, 0, 0], MAX_REQUEST), Err(TooLong(131_072)));
    }
}
