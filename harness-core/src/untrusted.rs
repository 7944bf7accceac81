//! A value that came from outside and has not been through the gate.

use std::fmt;

/// Input that nobody has checked.
///
/// It cannot be printed, compared with text or dereferenced, so it cannot reach an agent or a log
/// by accident. Its only ways out are the two methods below, and a lint bars those everywhere but
/// in the sanitiser.
#[derive(Clone)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Marks `value` as unchecked.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Unwraps the value. For the sanitiser, which checks what it takes out.
    pub fn into_inner_for_sanitiser(self) -> T {
        self.0
    }

    /// Looks at the value. For the sanitiser, which checks what it reads.
    pub const fn inner_for_sanitiser(&self) -> &T {
        &self.0
    }
}

impl<T: AsRef<[u8]>> Untrusted<T> {
    /// Size in bytes: all that may be said about unchecked text.
    pub fn byte_len(&self) -> usize {
        self.0.as_ref().len()
    }
}

impl<T> From<T> for Untrusted<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// The type, never the content.
impl<T> fmt::Debug for Untrusted<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Untrusted<{}>(..)", std::any::type_name::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_says_what_it_is_and_never_what_it_holds() {
        let value = Untrusted::new(String::from("open sesame"));
        let shown = format!("{value:?}");
        assert!(shown.contains("Untrusted<"), "{shown}");
        assert!(!shown.contains("sesame"), "{shown}");
        assert_eq!(value.byte_len(), 11);
    }
}
