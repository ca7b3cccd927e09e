//! What the user is looking at.

use super::*;

#[test]
fn window_in_view_of_a_focused_client_is_not_told_of() {
    let mut room = Room::new("notify.escalate = []");
    room.client("@1", "attached,focused,UTF-8", START);
    room.becomes("a", asks("Bash"));
    assert_eq!(room.why(secs(60)), ["you are looking at its window (c@1)"]);
    let mut room = Room::new("notify.while_looking = true");
    room.client("@1", "attached,focused", START);
    room.becomes("a", asks("Bash"));
    let order = room.pass(secs(1)).orders.remove(0);
    assert_eq!(order.message_client, None, "there is no other client for a message");
    assert!(order.terminal_client.is_some());
}

#[test]
fn window_of_the_same_number_on_another_server_is_another_one() {
    let mut room = Room::new("");
    room.client("@1", "attached,focused", START);
    room.clients[0].socket = "/other".into();
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(1)).len(), 1);
}

#[test]
fn message_goes_where_the_user_is_and_the_window_is_not() {
    let mut room = Room::new("");
    room.client("@1", "attached", START.plus(secs(5)));
    room.client("@2", "attached", START);
    room.client("@3", "attached", START.plus(secs(3)));
    room.becomes("a", asks("Bash"));
    let order = room.pass(secs(1)).orders.remove(0);
    assert_eq!(order.message_client.unwrap().window, "@3", "used last of those elsewhere");
    assert_eq!(order.terminal_client.unwrap().window, "@1", "the terminal used last");
    room.becomes("a", working());
    room.clients[1].focus = client::Focus::Here;
    room.becomes("a", asks("Edit"));
    let order = room.pass(secs(1)).orders.remove(0);
    assert_eq!(order.message_client.unwrap().window, "@2", "focus counts before use");
}

#[test]
fn user_who_left_with_the_window_in_view_is_told_after_a_while() {
    let mut room = Room::new("");
    room.client("@1", "attached,focused", START.plus(secs(0)));
    room.now = START.plus(secs(30));
    room.becomes("a", asks("Bash"));
    let decision = room.pass(secs(121));
    assert_eq!(decision.records.len(), 1, "at first he seems to look");
    assert_eq!(decision.orders.len(), 1, "but does nothing for two minutes");
    room.becomes("a", working());
    room.becomes("a", asks("Edit"));
    room.pass(secs(60));
    room.clients[0].activity = room.now;
    assert_eq!(room.why(secs(200)), ["you are looking at its window (c@1)"]);
}
