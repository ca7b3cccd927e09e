//! Whole lines of a file from a place on, in a buffer that never outgrows its bound however long
//! a line is.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use memchr::{memchr, memrchr};

/// Stays in the cache of a core between being read and being looked through.
const CHUNK: usize = 256 << 10;
/// A longer line is passed over: it holds what a tool gave back, never an answer.
pub(crate) const LINE_MAX: usize = 8 << 20;

/// Where reading has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Just behind the last whole line.
    pub(crate) offset: u64,
    /// Lines that were too long.
    pub(crate) too_long: u64,
}

/// Gives every whole line of `span` to `taker`, with its place in the file and
/// without its end. A line that has no end yet is left for the next time.
pub(crate) fn read(
    file: &File,
    span: Range<u64>,
    buffer: &mut Vec<u8>,
    taker: &mut impl Take,
) -> io::Result<Reached> {
    let mut reached = Reached { offset: span.start, too_long: 0 };
    let mut next = span.start;
    let mut held = 0;
    let mut is_skipping = false;
    buffer.resize(CHUNK.max(buffer.len()), 0);
    while next < span.end {
        let room = buffer.len() - held;
        let want = usize::try_from(span.end - next).unwrap_or(room).min(room);
        let got = match file.read_at(&mut buffer[held..held + want], next) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        next += got as u64;
        let filled = held + got;
        let mut start = 0;
        if is_skipping {
            match memchr(b'\n', &buffer[..filled]) {
                Some(end) => {
                    start = end + 1;
                    reached.too_long += 1;
                    reached.offset = next - (filled - start) as u64;
                    is_skipping = false;
                }
                None => {
                    held = 0;
                    continue;
                }
            }
        }
        // Only what is new can hold the end of what is held.
        let whole = memrchr(b'\n', &buffer[start.max(held)..filled])
            .map_or(start, |end| start.max(held) + end + 1);
        let (from, first) = (reached.offset, start);
        let mut place = from;
        while start < whole {
            let length = memchr(b'\n', &buffer[start..whole]).unwrap_or(whole - start - 1);
            taker.take(place, &buffer[start..start + length]);
            start += length + 1;
            place += length as u64 + 1;
        }
        reached.offset = place;
        taker.rest(from, &buffer[first..whole]);
        held = filled - whole;
        buffer.copy_within(whole..filled, 0);
        if held == buffer.len() {
            if held >= LINE_MAX {
                (is_skipping, held) = (true, 0);
            } else {
                buffer.resize((held * 4).min(LINE_MAX), 0);
            }
        }
    }
    if buffer.len() > CHUNK {
        buffer.truncate(CHUNK);
        buffer.shrink_to_fit();
    }
    Ok(reached)
}

pub(crate) trait Take {
    /// One line that starts at `place`.
    fn take(&mut self, place: u64, line: &[u8]);

    /// All lines of `piece`, which starts at `from`, have been given.
    fn rest(&mut self, from: u64, piece: &[u8]);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[derive(Default)]
    struct Seen(Vec<(u64, usize)>);

    impl Take for Seen {
        fn take(&mut self, place: u64, line: &[u8]) {
            self.0.push((place, line.len()));
        }

        fn rest(&mut self, _: u64, _: &[u8]) {}
    }

    fn seen(parts: &[(usize, usize)], from: u64) -> (Vec<(u64, usize)>, Reached) {
        let mut file = tempfile::tempfile().unwrap();
        for (length, ends) in parts {
            file.write_all(&vec![b'x'; *length]).unwrap();
            file.write_all(&b"\n".repeat(*ends)).unwrap();
        }
        let size = file.metadata().unwrap().len();
        let (mut seen, mut buffer) = (Seen::default(), Vec::new());
        let reached = read(&file, from..size, &mut buffer, &mut seen).unwrap();
        assert!(buffer.capacity() <= LINE_MAX);
        (seen.0, reached)
    }

    #[test]
    fn lines_are_given_whole_and_a_torn_one_is_left() {
        let (lines, reached) = seen(&[(3, 2), (CHUNK + 5, 1), (7, 1), (2, 0)], 0);
        let long = 5 + CHUNK as u64 + 6;
        assert_eq!(lines, [(0, 3), (4, 0), (5, CHUNK + 5), (long, 7)]);
        assert_eq!(reached, Reached { offset: long + 8, too_long: 0 });
        assert_eq!(seen(&[(3, 1), (3, 1)], 4).0, [(4, 3)]);
    }

    #[test]
    fn lines_that_are_too_long_are_passed_over_in_bounded_memory() {
        let huge = 50 << 20;
        let (lines, reached) = seen(&[(3, 1), (huge, 1), (5, 1), (huge, 0)], 0);
        let after = 4 + huge as u64 + 1;
        assert_eq!(lines, [(0, 3), (after, 5)]);
        assert_eq!(reached, Reached { offset: after + 6, too_long: 1 });
    }
}
