//! What the renderer makes of each kind of value.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};
use serde_json::Value;

use super::render::{List, Object, Renderer};
use super::{JsonError, text};

/// The name under which `serde_json` hands over the digits of a number, where another crate of the
/// build switched on its numbers of any precision.
const DIGITS: &str = "$serde_json::private::Number";

/// A structure under way.
pub(super) enum Structure<'a, 'r> {
    Object(Object<'a, 'r>),
    /// One whose only field holds the digits of a number.
    Digits(&'a mut Renderer<'r>),
}

/// A key as a text, as `serde_json` has it.
fn key_of<T: Serialize + ?Sized>(key: &T) -> Result<String, JsonError> {
    match super::to_value(&key)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        _ => Err(JsonError::custom("a key is no text")),
    }
}

/// Which of several forms it has is told by a field in every format of ours.
fn untold(variant: &str) -> JsonError {
    JsonError::custom(format!("{variant} is told by no field of its own"))
}

impl SerializeSeq for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeTuple for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeTupleStruct for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.item(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish();
        Ok(())
    }
}

impl SerializeMap for Object<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        let key = key_of(key)?;
        self.key = (self.renderer.texts)(&key).unwrap_or(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let key = std::mem::take(&mut self.key);
        self.field(Cow::Owned(key), |renderer| value.serialize(renderer))
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl SerializeStruct for Structure<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        match self {
            Self::Object(object) => {
                object.field(Cow::Borrowed(key), |renderer| value.serialize(renderer))
            }
            Self::Digits(renderer) => {
                renderer.put(key_of(value)?);
                Ok(())
            }
        }
    }

    fn end(self) -> Result<(), JsonError> {
        match self {
            Self::Object(object) => object.finish(),
            Self::Digits(_) => Ok(()),
        }
    }
}

impl<'a, 'r> Serializer for &'a mut Renderer<'r> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = List<'a, 'r>;
    type SerializeTuple = List<'a, 'r>;
    type SerializeTupleStruct = List<'a, 'r>;
    type SerializeTupleVariant = Impossible<(), JsonError>;
    type SerializeMap = Object<'a, 'r>;
    type SerializeStruct = Structure<'a, 'r>;
    type SerializeStructVariant = Impossible<(), JsonError>;

    fn serialize_bool(self, value: bool) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), JsonError> {
        self.put(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), JsonError> {
        self.serialize_f64(value.into())
    }

    /// The shortest digits that read back; `null` where it is not finite, as `serde_json` has it.
    fn serialize_f64(self, value: f64) -> Result<(), JsonError> {
        match serde_json::Number::from_f64(value) {
            Some(number) => self.put(number),
            None => self.put("null"),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), JsonError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), JsonError> {
        match (self.texts)(value) {
            Some(other) => text::emit(&other, self.out),
            None => text::emit(value, self.out),
        }
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), JsonError> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), JsonError> {
        self.put("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    /// A name of the program's own, as a field's is.
    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), JsonError> {
        text::emit(variant, self.out);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _value: &T,
    ) -> Result<(), JsonError> {
        Err(untold(variant))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple(self, _len: usize) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<List<'a, 'r>, JsonError> {
        Ok(self.list())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), JsonError>, JsonError> {
        Err(untold(variant))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Object<'a, 'r>, JsonError> {
        Ok(self.object())
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _len: usize,
    ) -> Result<Structure<'a, 'r>, JsonError> {
        Ok(match name {
            DIGITS => Structure::Digits(self),
            _ => Structure::Object(self.object()),
        })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), JsonError>, JsonError> {
        Err(untold(variant))
    }
}
