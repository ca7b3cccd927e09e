//! What `[notify]` promises, and what in it makes no sense.

use super::*;
use crate::notify::{Channel, Occasion};

#[test]
fn defaults_of_notifications_are_calm() {
    let notify = Config::default().notify;
    assert!(notify.enable && notify.rule.is_empty() && notify.quiet.is_empty());
    let lists = [&notify.attention, &notify.finish, &notify.error, &notify.lost];
    assert!(lists.iter().all(|list| **list == [Channel::TmuxMessage]));
    assert_eq!(notify.escalate, [Channel::TmuxMessage, Channel::Bell]);
    let seconds = [notify.escalate_after, notify.finish_after].map(|span| span.as_secs());
    assert_eq!(seconds, [120, 10]);
    assert_eq!((notify.webhook.url.as_str(), notify.sound.file.as_str()), ("", ""));
}

#[test]
fn rules_are_read_and_what_they_leave_out_matches_all() {
    let loaded = plain("[[notify.rule]]\nevent = ['lost', 'error']\nmute = true\n");
    assert_eq!(messages(&loaded), [""; 0]);
    let rule = &loaded.config.notify.rule[0];
    assert_eq!(rule.event, [Occasion::Lost, Occasion::Error]);
    assert!(rule.mute && rule.project.is_empty() && rule.channels.is_empty());
}

#[test]
fn what_makes_no_sense_is_told_and_left_out() {
    let cases = [
        ("notify.quiet = ['22:00-07:00', '9-5']", "notify.quiet: expected hours such as"),
        ("notify.webhook.url = 'http://example.com/'", "notify.webhook.url: expected an https"),
        ("notify.finish = ['sound']", "notify.finish: the channel sound does nothing without"),
        ("notify.attention = ['pigeon']", "notify.attention: expected a list, each of it \"tmux-"),
        (
            "[[notify.rule]]\nchannels = ['webhook', 'command']\n[notify.command]\nargv = ['x']",
            "notify.rule[0].channels: the channel webhook does nothing without notify.webhook.url",
        ),
    ];
    for (text, expected) in cases {
        let loaded = plain(text);
        let told = messages(&loaded);
        assert_eq!(told.len(), 1, "{text}: {told:?}");
        assert!(told[0].contains(expected), "{told:?}");
    }
    let loaded = plain(cases[0].0);
    assert_eq!(loaded.config.notify.quiet, ["22:00-07:00"]);
    assert_eq!(plain(cases[1].0).config.notify.webhook.url, "");
    let whole = "[notify]\nerror = ['sound', 'webhook']\nsound.file = '/x.wav'\n\
                 webhook.url = 'https://example.com/hook'";
    assert_eq!(messages(&plain(whole)), [""; 0]);
}
