//! Values of a record that may one day be of another kind: then they tell nothing, but the rest of
//! the record still counts. Strings are borrowed where they hold no escapes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count(pub(super) u32);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

/// What was said: a plain text, or blocks.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    Nothing,
    Plain(Cow<'a, str>),
    /// Nearly always: no list has to be made for it.
    Block(Block<'a>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// Not decoded: only a search wants it.
    #[serde(borrow)]
    pub(super) text: Option<&'a RawValue>,
}

impl Text<'_> {
    pub(super) fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(super) fn or_empty(&self) -> &str {
        self.as_deref().unwrap_or_default()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.as_deref() == Some(word)
    }
}

impl Block<'_> {
    pub(super) fn decoded(&self) -> Option<String> {
        serde_json::from_str(self.text?.get()).ok()
    }
}

impl Content<'_> {
    pub(super) fn blocks(&self) -> &[Block<'_>] {
        match self {
            Content::Block(block) => std::slice::from_ref(block),
            Content::Blocks(blocks) => blocks,
            Content::Nothing | Content::Plain(_) => &[],
        }
    }
}

/// Methods of a visitor that takes in whatever comes and keeps nothing of it.
macro_rules! ignore {
    ($nothing:expr; $($method:ident($kind:ty)),*) => {
        $(fn $method<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok($nothing)
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
    };
}

fn pass_over<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Text<'de>;
            ignore!(Text(None); visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64));

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                pass_over(list).map(|()| Text(None))
            }
        }
        input.deserialize_any(Visit)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Count;
            ignore!(Count(0); visit_bool(bool), visit_i64(i64), visit_f64(f64), visit_str(&str));

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Count(u32::try_from(number).unwrap_or(u32::MAX)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                pass_over(list).map(|()| Count(0))
            }
        }
        input.deserialize_any(Visit)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Flag;
            ignore!(Flag(false); visit_u64(u64), visit_i64(i64), visit_f64(f64), visit_str(&str));

            fn visit_bool<E>(self, is_so: bool) -> Result<Self::Value, E> {
                Ok(Flag(is_so))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                pass_over(list).map(|()| Flag(false))
            }
        }
        input.deserialize_any(Visit)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Content<'de>;
            ignore!(Content::Nothing; visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64));

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Plain(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Plain(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let Some(first) = list.next_element::<Block<'de>>()? else {
                    return Ok(Content::Nothing);
                };
                let Some(second) = list.next_element()? else { return Ok(Content::Block(first)) };
                let mut blocks = vec![first, second];
                while let Some(block) = list.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        input.deserialize_any(Visit)
    }
}
