//! What is wrong is named, with its place and a way on.

#![allow(clippy::expect_used, reason = "a test's helper fails the test")]

mod common;

use std::io::{self, Read};

use callsign_gguf::{Error, ErrorKind, Gguf, Place, Scalar, ScalarType, limits};
use common::{Datum, File, Writer};

#[track_caller]
fn error(bytes: &[u8]) -> Error {
    Gguf::read(bytes).expect_err("it is wrong")
}

#[track_caller]
fn shown(bytes: &[u8]) -> String {
    error(bytes).to_string()
}

/// A file with one key, whose value is written by hand.
fn one_value(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut out = Writer::with_keys(1);
    out.string(b"some.key");
    write(&mut out);
    out.bytes
}

/// Something endless.
fn endless(head: Vec<u8>) -> impl Read {
    io::Cursor::new(head).chain(io::repeat(0))
}

#[test]
fn another_file_is_named_by_what_it_is() {
    insta::assert_snapshot!(shown(b""), @"not a GGUF file: it is empty; fetch it again");
    insta::assert_snapshot!(shown(b"hello"), @"not a GGUF file: it begins with `hello` and not with `GGUF`; give a model file in the GGUF format");
    insta::assert_snapshot!(shown(b"GG"), @"the file ends before its metadata does: fetch or convert it again (byte 2, header)");
    insta::assert_snapshot!(shown(b"GGU?"), @"not a GGUF file: it begins with `GGU?` and not with `GGUF`; give a model file in the GGUF format");
    insta::assert_snapshot!(shown(b"PK\x03\x04\x14\0\x08\x08\x08\0\xca\xfe and on it goes"), @r#"not a GGUF file: it begins with `PK\x03\x04\x14\x00\x08\x08\x08\x00\xca\xfe and`, as a PyTorch checkpoint does; convert it to GGUF"#);
    insta::assert_snapshot!(shown(b"\x40\x1f\0\0\0\0\0\0{\"__metadata__\":{"), @r#"not a GGUF file: it begins with `@\x1f\x00\x00\x00\x00\x00\x00{\"__meta`, as a safetensors file does; convert it to GGUF"#);
    insta::assert_snapshot!(shown(b"version https://git-lfs.github.com/spec/v1\n"), @"not a GGUF file: it begins with `version https://`: a pointer of Git LFS; fetch the file itself with `git lfs pull`");
    insta::assert_snapshot!(shown(b"tjgg\x03\0\0\0"), @r#"not a GGUF file: it begins with `tjgg\x03\x00\x00\x00`, as the formats before GGUF do; convert the model again"#);
}

#[test]
fn versions_that_are_not_known() {
    insta::assert_snapshot!(shown(b"GGUF\x04\0\0\0"), @"the file is in version 4 of GGUF, and only 1 to 3 are known: convert the model again (byte 4, header)");
    insta::assert_snapshot!(shown(b"GGUF\0\0\0\x04"), @"the file is in version 4 of GGUF, and only 1 to 3 are known: convert the model again (byte 4, header)");
    insta::assert_snapshot!(shown(b"GGUF\0\0\0\0"), @"the file is in version 0 of GGUF, and only 1 to 3 are known: convert the model again (byte 4, header)");
}

#[test]
fn a_cut_file() {
    let whole = File::new([
        ("general.name", Datum::String("Ada".into())),
        ("tokenizer.ggml.tokens", Datum::Strings(vec!["<s>".into(), "</s>".into()])),
    ])
    .bytes();
    insta::assert_snapshot!(shown(&whole[..20]), @"the file ends before its metadata does: fetch or convert it again (byte 20, header)");
    insta::assert_snapshot!(shown(&whole[..30]), @"the file ends before its metadata does: fetch or convert it again (byte 30, key number 1)");
    insta::assert_snapshot!(shown(&whole[..whole.len() - 1]), @"the file ends before its metadata does: fetch or convert it again (byte 126, value of `tokenizer.ggml.tokens`)");
}

#[test]
fn types_that_are_not_known() {
    insta::assert_snapshot!(shown(&one_value(|out| out.u32(13))), @"no type has the number 13: the file is damaged or newer than this reader (byte 40, value of `some.key`)");
    insta::assert_snapshot!(shown(&one_value(|out| [9, 77].into_iter().for_each(|number| out.u32(number)))), @"no type has the number 77: the file is damaged or newer than this reader (byte 44, value of `some.key`)");
}

#[test]
fn arrays_of_arrays() {
    let nested = one_value(|out| {
        out.u32(9);
        out.u32(9);
        out.count(1);
    });
    insta::assert_snapshot!(shown(&nested), @"an array holds arrays, which is not supported: convert the file without this key (byte 44, value of `some.key`)");
}

#[test]
fn keys_that_are_none() {
    let twice = [("a.b", Datum::Scalar(Scalar::U8(1))), ("a.b", Datum::Scalar(Scalar::U8(2)))];
    insta::assert_snapshot!(shown(&File::new(twice).bytes()), @"the key was there before, and only one value can hold: convert the model again (byte 40, key number 2)");
    insta::assert_snapshot!(shown(&File::new([("", Datum::String("a".into()))]).bytes()), @"the key is empty: the file is damaged (byte 24, key number 1)");
    let mut out = Writer::with_keys(1);
    out.string(b"a.\xff");
    insta::assert_snapshot!(shown(&out.bytes), @"the string is not UTF-8: the file is damaged, or its converter wrote other text (byte 34, key number 1)");
    let long = "k".repeat(70_000);
    insta::assert_snapshot!(shown(&File::new([(&long, Datum::Strings(vec![]))]).bytes()), @"more than 65535 bytes in a key, which no sound file has: the file is damaged (byte 24, key number 1)");
}

#[test]
fn a_key_is_shown_in_one_short_line() {
    let key = format!("a\nb{}", "é".repeat(1_000));
    let mut bytes = File::new([(&key, Datum::String("abc".into()))]).bytes();
    bytes.pop();
    insta::assert_snapshot!(shown(&bytes), @r#"the file ends before its metadata does: fetch or convert it again (byte 2049, value of `a\nbééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…`)"#);
}

#[test]
fn text_that_is_no_text() {
    let value = one_value(|out| {
        out.u32(8);
        out.string(b"abc\xffdef");
    });
    insta::assert_snapshot!(shown(&value), @"the string is not UTF-8: the file is damaged, or its converter wrote other text (byte 55, value of `some.key`)");
    assert_eq!(value[error(&value).offset() as usize], 0xff);

    let strings = |strings: &[&[u8]]| {
        one_value(|out| {
            out.u32(9);
            out.u32(8);
            out.count(strings.len() as u64);
            strings.iter().for_each(|string| out.string(string));
        })
    };
    let element = strings(&[b"", b"abc", b"", b"de\xff", b"f"]);
    insta::assert_snapshot!(shown(&element), @"the string is not UTF-8: the file is damaged, or its converter wrote other text (byte 93, value of `some.key`)");
    assert_eq!(element[error(&element).offset() as usize], 0xff);

    // Together they are text, each alone is not.
    let divided = strings(&[b"a", b"b\xc3", b"\xa9", b""]);
    insta::assert_snapshot!(shown(&divided), @"the string is not UTF-8: the file is damaged, or its converter wrote other text (byte 74, value of `some.key`)");
    assert_eq!(divided[error(&divided).offset() as usize], 0xc3);
}

#[test]
fn booleans_that_are_none() {
    let value = one_value(|out| {
        out.u32(7);
        out.bytes.push(2);
    });
    insta::assert_snapshot!(shown(&value), @"a boolean is 2 and not 0 or 1: the file is damaged (byte 44, value of `some.key`)");
    let array = [Scalar::Bool(true), Scalar::Bool(false)];
    let mut array = File::new([("a", Datum::Scalars(ScalarType::Bool, array.into()))]).bytes();
    *array.last_mut().expect("bytes") = 0x80;
    insta::assert_snapshot!(shown(&array), @"a boolean is 128 and not 0 or 1: the file is damaged (byte 50, value of `a`)");
}

#[test]
fn lengths_that_lie() {
    insta::assert_snapshot!(shown(&Writer::with_keys(1 << 60).bytes), @"more than 16384 keys, which no sound file has: the file is damaged (byte 24, header)");
    let string = one_value(|out| {
        out.u32(8);
        out.count(u64::MAX);
    });
    insta::assert_snapshot!(shown(&string), @"more than 134217728 bytes of metadata, which no sound file has: the file is damaged (byte 52, value of `some.key`)");
    for (elements, count) in [(8, 1 << 40), (8, u64::MAX), (5, 1 << 40), (12, u64::MAX / 8 + 2)] {
        let array = one_value(|out| {
            out.u32(9);
            out.u32(elements);
            out.count(count);
        });
        assert!(matches!(error(&array).kind(), ErrorKind::TooLarge { .. }));
        let skipped = Gguf::read_where(&*array, |_| false).expect_err("it lies");
        assert!(matches!(skipped.kind(), ErrorKind::TooLarge { .. }), "{skipped}");
    }
}

#[test]
fn an_endless_file_ends() {
    // As many empty strings as the limit allows, and one string as long as it.
    let empty = one_value(|out| {
        out.u32(9);
        out.u32(8);
        out.count(limits::METADATA / 8 - 100);
    });
    let long = one_value(|out| {
        out.u32(8);
        out.count(limits::METADATA - 100);
    });
    for head in [empty, long] {
        let used = allocation_counter::measure(|| {
            assert!(Gguf::read(endless(head)).is_ok());
        });
        assert!(used.bytes_max < 3 * limits::METADATA + (1 << 20), "{used:?}");
    }
    let error = Gguf::read(endless(Writer::with_keys(5).bytes)).expect_err("a key is empty");
    assert!(matches!(error.kind(), ErrorKind::EmptyKey), "{error}");
}

#[test]
fn what_the_system_says() {
    let missing = Gguf::open("no/such/file.gguf").expect_err("it is not there");
    assert!(
        matches!(missing.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound)
    );
    assert!(std::error::Error::source(&missing).is_some());
    assert_eq!((missing.offset(), missing.place()), (0, &Place::Header));

    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let begun = Writer::with_keys(1).bytes;
    let error = Gguf::read((&*begun).chain(Broken)).expect_err("it is broken");
    insta::assert_snapshot!(error, @"cannot be read: the disk is gone (byte 24, key number 1)");
    let error = Gguf::read(Broken).expect_err("it is broken");
    insta::assert_snapshot!(error, @"cannot be read: the disk is gone (byte 0, header)");
}
