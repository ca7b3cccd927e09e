//! Tokens of one answer, and how they are kept: records of a fixed size, which add up the same
//! whatever the order in which they are met and however often.

use crate::stamp::Stamp;

/// Bytes of one record.
pub const SIZE: usize = 40;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Equal for all copies of an answer: forks and resumed sessions carry their history along.
    pub key: u64,
    pub at: Stamp,
    /// Place in the list of models of its file.
    pub model: u16,
    pub searches: u16,
    pub input: u32,
    pub output: u32,
    pub cache_read: u32,
    pub cache_write_5m: u32,
    pub cache_write_1h: u32,
}

impl Usage {
    /// An answer comes in several lines; those written early may not have all of its tokens yet.
    pub fn merge(&mut self, other: &Usage) {
        self.at = self.at.min(other.at);
        self.searches = self.searches.max(other.searches);
        self.input = self.input.max(other.input);
        self.output = self.output.max(other.output);
        self.cache_read = self.cache_read.max(other.cache_read);
        self.cache_write_5m = self.cache_write_5m.max(other.cache_write_5m);
        self.cache_write_1h = self.cache_write_1h.max(other.cache_write_1h);
    }

    /// Tokens that the model had before it when it answered.
    pub fn context(&self) -> u64 {
        let parts = [self.input, self.cache_read, self.cache_write_5m, self.cache_write_1h];
        parts.into_iter().map(u64::from).sum()
    }

    pub fn encode(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.at.0.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.model.to_le_bytes());
        bytes[18..20].copy_from_slice(&self.searches.to_le_bytes());
        let counts =
            [self.input, self.output, self.cache_read, self.cache_write_5m, self.cache_write_1h];
        for (place, count) in bytes[20..].chunks_exact_mut(4).zip(counts) {
            place.copy_from_slice(&count.to_le_bytes());
        }
        bytes
    }

    pub fn decode(bytes: &[u8; SIZE]) -> Usage {
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        Usage {
            key: u64_at(0),
            at: Stamp(u64_at(8).cast_signed()),
            model: u16_at(16),
            searches: u16_at(18),
            input: u32_at(20),
            output: u32_at(24),
            cache_read: u32_at(28),
            cache_write_5m: u32_at(32),
            cache_write_1h: u32_at(36),
        }
    }

    /// A torn record at the end tells nothing.
    pub fn decode_all(bytes: &[u8]) -> impl Iterator<Item = Usage> {
        bytes.as_chunks::<SIZE>().0.iter().map(Usage::decode)
    }
}

/// Message and request together name an answer; without them the record's own id does, and
/// without that its `place`.
pub(super) fn key(
    message: Option<&str>,
    request: Option<&str>,
    uuid: Option<&str>,
    place: u64,
) -> u64 {
    match (message, uuid) {
        (Some(message), _) => {
            hash(&[message.as_bytes(), b"/", request.unwrap_or_default().as_bytes()])
        }
        (None, Some(uuid)) => hash(&[b"uuid/", uuid.as_bytes()]),
        (None, None) => hash(&[b"place/", &place.to_le_bytes()]),
    }
}

/// FNV-1a with a last mixing step. Kept on disk: it must never change.
pub fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().copied().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_encoded_and_decoded_is_the_same() {
        let usage = Usage {
            key: u64::MAX - 5,
            at: Stamp(-3),
            model: 513,
            searches: 258,
            input: 1,
            output: u32::MAX,
            cache_read: 3,
            cache_write_5m: 1 << 24,
            cache_write_1h: 5,
        };
        assert_eq!(Usage::decode(&usage.encode()), usage);
        let two = [usage.encode(), usage.encode()].concat();
        assert_eq!(Usage::decode_all(&two[..SIZE + 7]).collect::<Vec<_>>(), [usage]);
    }

    #[test]
    fn key_is_that_of_message_and_request() {
        let of = |message, request| key(Some(message), Some(request), Some("u"), 1);
        assert_eq!(of("m", "r"), key(Some("m"), Some("r"), None, 2));
        assert_ne!(of("m", "r"), of("m", "s"));
        assert_ne!(of("ab", "c"), of("a", "bc"));
        assert_ne!(key(None, None, Some("u"), 1), key(None, None, None, 1));
    }
}
