//! A plugin that knows nothing but the ABI, as one in another language would, and that does what a
//! trace's request says: it is what tests of the host are made of.
#![allow(unsafe_code, reason = "the ABI is spoken by hand here")]

use std::time::Duration;

/// As in the C declaration of the ABI.
#[repr(C)]
pub struct Bytes {
    at: *mut u8,
    length: usize,
    status: u32,
}

/// As in the C declaration of the ABI.
#[repr(C)]
pub struct Table {
    magic: u64,
    version: u32,
    size: u32,
    call: extern "C" fn(*const u8, usize) -> Bytes,
    free: extern "C" fn(Bytes),
}

#[unsafe(export_name = "harness_plugin")]
/// What the host looks for.
pub static PLUGIN: Table = Table {
    magic: 0x4841_524e_4553_5301,
    version: 1,
    size: 32,
    call,
    free,
};

const DESCRIPTION: &str = r#"{"name": "by hand", "version": "1", "verifies": false, "repairs": true,
    "metrics": [{"name": "by_hand", "tier": 1, "threshold": 0.5}]}"#;

extern "C" fn call(at: *const u8, length: usize) -> Bytes {
    // SAFETY: the host hands over the address of `length` bytes for the time of this call.
    let asked = unsafe { std::slice::from_raw_parts(at, length) };
    let asked = String::from_utf8_lossy(asked);
    let score = |score: &str| {
        format!(r#"{{"scores": [{{"metric": "by_hand", "score": {score}, "reason": "so"}}]}}"#)
    };
    let wants = |what: &str| asked.contains(&format!("\"request\":\"{what}\""));
    if asked.contains("\"describe\"") {
        return given(DESCRIPTION.to_owned(), 0);
    }
    if asked.contains("\"reply\"") {
        return given(reply(&asked), 0);
    }
    if wants("garbage") {
        return given("\u{0}\u{1}}{".to_owned(), 0);
    }
    if wants("too much") {
        return given(score("0.5") + &" ".repeat(2 << 20), 0);
    }
    if wants("out of range") {
        return given(score("7"), 0);
    }
    if wants("undeclared") {
        return given(score("0.5").replace("by_hand", "another"), 0);
    }
    if wants("failure") {
        return given("it\u{1b}[31m cannot".to_owned(), 1);
    }
    if wants("unknown status") {
        return given(String::new(), 9);
    }
    if let Some((_, rest)) = asked.split_once("\"request\":\"wait for ")
        && let Some((path, _)) = rest.split_once('"')
    {
        wait_for(path);
    }
    given(score("0.5"), 0)
}

/// What a model would say: it looks at nothing and resolves the notice.
fn reply(asked: &str) -> String {
    assert!(asked.contains("harness_notice_resolve"));
    let arguments = r#"{\"kind\": \"no_proposal\"}"#;
    format!(
        r#"{{"text": "", "output_tokens": 9, "calls": [{{"id": "1",
            "name": "harness_notice_resolve", "arguments": "{arguments}"}}]}}"#
    )
}

/// Waits for a file, five minutes at most.
fn wait_for(path: &str) {
    for _ in 0..30_000 {
        if std::path::Path::new(path).exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn given(text: String, status: u32) -> Bytes {
    let boxed = text.into_bytes().into_boxed_slice();
    let length = boxed.len();
    Bytes {
        at: Box::into_raw(boxed).cast(),
        length,
        status,
    }
}

extern "C" fn free(bytes: Bytes) {
    let slice = std::ptr::slice_from_raw_parts_mut(bytes.at, bytes.length);
    // SAFETY: the host gives back what `given` made, once.
    drop(unsafe { Box::from_raw(slice) });
}
