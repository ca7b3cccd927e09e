//! Looks at 64 bytes at once: which of them are quotes, backslashes, brackets, as one bit each.
//! This is how simdjson finds its way (Langdale and Lemire 2019, §3.1), written so that
//! the compiler vectorises it. Not `memchr`: it asks the processor what it can do, which takes
//! 40 µs in a virtual machine, as long as all the rest of a small event.

pub(super) const BLOCK: usize = 64;

const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

/// What the bytes before a block mean for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Escapes {
    /// 1 if a backslash takes the next byte with it.
    carry: u64,
}

impl Escapes {
    /// The quotes of a block that no backslash takes.
    pub(super) fn free_quotes(&mut self, block: &[u8; BLOCK]) -> u64 {
        if self.carry == 0 && !any(block, |b| b == b'"' || b == b'\\') {
            return 0;
        }
        let quotes = bits(block, |b| b == b'"');
        if self.carry == 0 && !any(block, |b| b == b'\\') {
            return quotes;
        }
        quotes & !self.escaped(bits(block, |b| b == b'\\'))
    }

    /// The same, byte by byte.
    pub(super) fn is_free_quote(&mut self, byte: u8) -> bool {
        let is_escaped = self.carry == 1;
        self.carry = u64::from(byte == b'\\' && !is_escaped);
        byte == b'"' && !is_escaped
    }

    /// A run of backslashes takes the byte after it if its length is odd. Subtracting the
    /// beginnings of runs lets a borrow travel to their ends, by even and odd positions.
    fn escaped(&mut self, backslashes: u64) -> u64 {
        let free = backslashes & !self.carry;
        let ends = ((free << 1) | ODD).wrapping_sub(free) ^ ODD;
        let escaped = ends ^ (backslashes | self.carry);
        self.carry = (ends & backslashes) >> 63;
        escaped
    }
}

/// Opening and closing brackets of either kind.
pub(super) fn brackets(block: &[u8; BLOCK]) -> u64 {
    // `[` and `{`, `]` and `}` differ in one bit only.
    bits(block, |b| (b | 0x20 == b'{') | (b | 0x20 == b'}'))
}

/// Which bits have an odd number of ones at or below them: the inside of strings, from quotes.
pub(super) fn between(quotes: u64) -> u64 {
    [1, 2, 4, 8, 16, 32].iter().fold(quotes, |bits, shift| bits ^ (bits << shift))
}

fn any(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(0, |any, b| any | u8::from(is(*b))) != 0
}

fn bits(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let ones = block.map(|b| u8::from(is(b)));
    let (words, _) = ones.as_chunks::<8>();
    words.iter().enumerate().fold(0, |bits, (at, word)| {
        // The product brings the lowest bits of all bytes together in the highest byte.
        let byte = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits | byte << (8 * at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn blocks_agree_with_bytes(
            input in prop::collection::vec(prop::sample::select(b"\\\\\\\"\"{}[]a\xa2\xff".to_vec()), 256),
        ) {
            let (mut by_block, mut by_byte) = (Escapes::default(), Escapes::default());
            let (blocks, _) = input.as_chunks::<BLOCK>();
            for block in blocks {
                let each = |is: &mut dyn FnMut(u8) -> bool| {
                    block.iter().enumerate().fold(0, |m, (at, b)| m | u64::from(is(*b)) << at)
                };
                let quotes = each(&mut |b| by_byte.is_free_quote(b));
                prop_assert_eq!(by_block.free_quotes(block), quotes);
                prop_assert_eq!(by_block, by_byte);
                let expected = each(&mut |b| matches!(b, b'[' | b'{' | b']' | b'}'));
                prop_assert_eq!(brackets(block), expected);
                let mut is_inside = false;
                let inside = (0..64).fold(0, |m, at| {
                    is_inside ^= quotes >> at & 1 == 1;
                    m | u64::from(is_inside) << at
                });
                prop_assert_eq!(between(quotes), inside);
            }
        }
    }
}
