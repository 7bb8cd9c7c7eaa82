//! Numbers and names as bytes, in what is small and read once.

use super::error::Damage;

/// Appends a number, seven bits a byte.
pub(crate) fn put(value: u64, out: &mut Vec<u8>) {
    let mut rest = value;
    loop {
        let [low, ..] = (rest & 0x7f).to_le_bytes();
        rest >>= 7;
        out.push(if rest == 0 { low } else { low | 0x80 });
        if rest == 0 {
            return;
        }
    }
}

/// Appends a text.
pub(crate) fn put_text(text: &str, out: &mut Vec<u8>) {
    put(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a list of texts.
pub(crate) fn put_texts(texts: &[String], out: &mut Vec<u8>) {
    put(texts.len() as u64, out);
    for text in texts {
        put_text(text, out);
    }
}

/// What is read, piece by piece.
#[derive(Debug)]
pub(crate) struct Bytes<'b>(pub(crate) &'b [u8]);

impl Bytes<'_> {
    pub(crate) fn get(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Damage::Short)?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Damage::Number);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Damage::Number)
    }

    /// A number that is not larger than it can be.
    pub(crate) fn get_up_to(&mut self, most: u64) -> Result<u64, Damage> {
        self.get().and_then(|value| {
            if value <= most {
                Ok(value)
            } else {
                Err(Damage::Number)
            }
        })
    }

    /// How many things follow, each of which takes at least a byte.
    pub(crate) fn count(&mut self) -> Result<usize, Damage> {
        let count = usize::try_from(self.get()?).map_err(|_| Damage::Number)?;
        if count > self.0.len() {
            return Err(Damage::Short);
        }
        Ok(count)
    }

    pub(crate) fn get_flag(&mut self) -> Result<bool, Damage> {
        Ok(self.get_up_to(1)? == 1)
    }

    pub(crate) fn text(&mut self) -> Result<String, Damage> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        let text = str::from_utf8(text).map_err(|_| Damage::Name)?;
        Ok(text.to_owned())
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<String>, Damage> {
        (0..self.count()?).map(|_| self.text()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers: Vec<u64>, texts: Vec<String>) {
            let mut out = Vec::new();
            for &number in &numbers {
                put(number, &mut out);
            }
            put_texts(&texts, &mut out);
            let mut bytes = Bytes(&out);
            for &number in &numbers {
                prop_assert_eq!(bytes.get().unwrap(), number);
            }
            prop_assert_eq!(bytes.texts().unwrap(), texts);
            prop_assert!(bytes.0.is_empty());
            prop_assert!(bytes.get().is_err());
        }

        #[test]
        fn nonsense_is_refused(bytes: Vec<u8>) {
            let mut bytes = Bytes(&bytes);
            while bytes.texts().is_ok() || bytes.get().is_ok() {}
        }
    }
}
