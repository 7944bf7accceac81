//! Protocol buffers on the wire: fields of a message, one after the other, borrowed.
//!
//! Only what reading needs; see "Encoding" in the documentation of protocol buffers. A message is
//! never copied and never nested deeper than its reader asks.

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'b> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'b [u8]),
    Fixed32(u32),
}

impl<'b> Field<'b> {
    /// The bytes of a text, a list of bytes or a message.
    pub(crate) const fn bytes(self) -> Option<&'b [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A text; bytes that are no UTF-8 are replaced.
    pub(crate) fn text(self) -> Option<String> {
        self.bytes()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The fields of a message with their numbers. It ends after the first that is malformed.
pub(crate) struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(crate) const fn of(message: &'b [u8]) -> Self {
        Self { rest: message }
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for (at, byte) in self.rest.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7f);
            let shifted = bits << (7 * at);
            if shifted >> (7 * at) != bits {
                return Err(Malformed("a number does not fit in 64 bits"));
            }
            value |= shifted;
            if byte & 0x80 == 0 {
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(Malformed("a number does not end"))
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8], Malformed> {
        let (taken, rest) = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length))
            .ok_or(Malformed("a field is longer than what is left"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u64, Field<'b>), Malformed> {
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 {
            return Err(Malformed("a field has the number 0"));
        }
        let value = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(array(self.take(8)?)?)),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(u32::from_le_bytes(array(self.take(4)?)?)),
            _ => return Err(Malformed("a field is of a type that is not used")),
        };
        Ok((number, value))
    }
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes
        .try_into()
        .map_err(|_| Malformed("a number is cut off"))
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u64, Field<'b>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_type_of_field_is_read() {
        let bytes = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x02, b'h', b'i', // 2: "hi"
            0x19, 1, 0, 0, 0, 0, 0, 0, 0, // 3: fixed 1
            0x25, 2, 0, 0, 0, // 4: fixed 2
        ];
        let fields: Vec<_> = Fields::of(&bytes).collect();
        assert_eq!(
            fields,
            [
                Ok((1, Field::Varint(150))),
                Ok((2, Field::Bytes(b"hi"))),
                Ok((3, Field::Fixed64(1))),
                Ok((4, Field::Fixed32(2))),
            ]
        );
    }

    #[test]
    fn what_is_malformed_ends_the_message() {
        for bytes in [
            &[0x08][..],
            &[0x12, 0x05, b'h'],
            &[0x0b],
            &[0x00, 0x01],
            &[0x19, 1],
            &[
                0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
            ],
        ] {
            let fields: Vec<_> = Fields::of(bytes).collect();
            assert_eq!(fields.len(), 1, "{bytes:?}");
            assert!(fields[0].is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(Fields::of(&bytes).count() <= bytes.len());
        }
    }
}
