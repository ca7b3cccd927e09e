//! The mark of an event that `atm doctor` sends through the real path to see whether it arrives. It
//! speaks of no session, and none may come of it.

use super::event::event_name;
use super::wire::WireHook;

pub const EVENT: &str = "AtmSelfTest";
const FIELD: &str = "atm_self_test";
/// A longer one is not ours.
const NONCE_MAX: usize = 64;

/// What to give to `atm hook`. The nonce must be plain letters and digits.
pub fn payload(nonce: &str) -> String {
    format!(r#"{{"hook_event_name":"{EVENT}","{FIELD}":"{nonce}"}}"#)
}

/// The nonce of a self-test; `None` for any other event.
pub fn nonce(wire: &WireHook<'_>) -> Option<String> {
    let is_plain = |nonce: &String| {
        nonce.len() <= NONCE_MAX && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    wire.text(FIELD).filter(|_| event_name(wire) == EVENT).filter(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Option<&str>) {
        let wire = WireHook::decode(json).unwrap();
        assert_eq!(nonce(&wire).as_deref(), expected, "{json}");
    }

    #[test]
    fn nonce_is_that_of_the_payload_and_of_no_other_event() {
        check(&payload("a1B2"), Some("a1B2"));
        check(r#"{"hook_event_name":"AtmSelfTest"}"#, None);
        check(r#"{"hook_event_name":"AtmSelfTest","atm_self_test":"a\u001b"}"#, None);
        check(r#"{"hook_event_name":"Stop","session_id":"s","atm_self_test":"a1"}"#, None);
    }
}
