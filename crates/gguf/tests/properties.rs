//! What is written is read, what is cut is an error, and no bytes at all make
//! the reader fail otherwise or take more memory than they are worth.

mod common;

use std::io::{self, Read};

use callsign_gguf::{ErrorKind, Gguf, Place};
use common::{File, any_file};
use proptest::prelude::*;

/// Memory that reading so many bytes may take at any time: three times those
/// that are kept, the nodes of the keys, and the buffer.
fn allowed(length: usize) -> u64 {
    // A key takes 14 bytes at least, and a node has room for 11.
    let keys = length / 14 + 11;
    (3 * length + 160 * keys + (65 << 10)) as u64
}

/// Reads and counts.
fn read(bytes: &[u8]) -> Result<Gguf, callsign_gguf::Error> {
    let mut read = Gguf::read(bytes);
    let used = allocation_counter::measure(|| read = Gguf::read(bytes));
    assert!(used.bytes_max <= allowed(bytes.len()), "{used:?} for {} bytes", bytes.len());
    read
}

/// Hands out a few bytes at a time, is interrupted at times, and counts.
struct Trickle<'a> {
    rest: &'a [u8],
    step: usize,
    interrupted: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = self.step.min(buffer.len()).min(self.rest.len());
        let (now, later) = self.rest.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.rest = later;
        Ok(length)
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(file in any_file(), behind in prop::collection::vec(any::<u8>(), 0..40)) {
        let bytes = [file.bytes(), behind].concat();
        let gguf = read(&bytes).expect("a sound file");
        prop_assert_eq!(gguf.version(), file.version);
        prop_assert_eq!(gguf.byte_order(), file.order);
        prop_assert_eq!(gguf.tensors(), file.tensors);
        prop_assert_eq!(gguf.entries().count(), file.entries.len());
        for (key, datum) in &file.entries {
            let value = gguf.get(key).expect(key);
            prop_assert!(datum.is(value), "{}: {:?} and {:?}", key, datum, value);
        }
    }

    #[test]
    fn pieces_do_not_matter(file in any_file(), step in 1..9_usize) {
        let bytes = file.bytes();
        let whole = format!("{:?}", Gguf::read(&*bytes).expect("a sound file"));
        let trickle = Trickle { rest: &bytes, step, interrupted: false };
        prop_assert_eq!(format!("{:?}", Gguf::read(trickle).expect("a sound file")), whole);
    }

    #[test]
    fn what_is_not_wanted_is_read_over(file in any_file(), chosen in any::<u8>()) {
        let wanted = |key: &str| key.bytes().fold(chosen, u8::wrapping_add) % 2 == 0;
        let gguf = Gguf::read_where(&*file.bytes(), wanted).expect("a sound file");
        for (key, datum) in &file.entries {
            match gguf.get(key) {
                Some(value) => prop_assert!(wanted(key) && datum.is(value)),
                None => prop_assert!(!wanted(key)),
            }
        }
        prop_assert!(gguf.entries().map(|(key, _)| key).is_sorted());
        prop_assert_eq!(gguf.entries().count(), file.entries.len());
    }

    #[test]
    fn every_cut_is_an_error(file in any_file()) {
        let bytes = file.bytes();
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            for error in [read(cut).err(), Gguf::read_where(cut, |_| false).err()] {
                let error = error.expect("it was cut");
                match error.kind() {
                    ErrorKind::NotGguf(first) => prop_assert!(length == 0 && first.is_empty()),
                    ErrorKind::Truncated => prop_assert_eq!(error.offset(), length as u64),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }
    }

    #[test]
    fn damage_is_no_panic(
        file in any_file(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file.bytes();
        for (at, byte) in damage {
            let length = bytes.len();
            bytes[at.index(length)] = byte;
        }
        sound_or_placed(&bytes)?;
    }

    #[test]
    fn noise_is_no_panic(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        sound_or_placed(&noise)?;
        sound_or_placed(&[&b"GGUF\x03\0\0\0"[..], &noise].concat())?;
    }
}

/// Whatever the bytes are, they are read, or are wrong at one of them.
fn sound_or_placed(bytes: &[u8]) -> Result<(), TestCaseError> {
    let read = read(bytes);
    let over = Gguf::read_where(bytes, |_| false);
    if let Err(error) = &read {
        prop_assert!(error.offset() <= bytes.len() as u64);
        prop_assert!(!error.to_string().contains('\n'));
        let of_text = matches!(error.kind(), ErrorKind::NotUtf8 | ErrorKind::NotABoolean(_));
        let in_a_value = matches!(error.place(), Place::Value(_));
        // Only what is inside a value may be overlooked where it is not wanted.
        prop_assert!(over.is_err() || of_text && in_a_value, "{}", error);
    } else {
        prop_assert!(over.is_ok());
    }
    Ok(())
}

#[test]
fn nothing_behind_the_metadata_is_needed() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the tensors were touched"))
        }
    }
    let bytes = File::new([]).bytes();
    assert!(Gguf::read((&*bytes).chain(Broken)).is_ok());
}
