//! Walks through those who wait.

use super::*;
use crate::sample::{asks, done, view};
use crate::view::TmuxView;

fn spot(name: &str) -> Spot {
    Spot { socket: "/s".to_owned(), pane: format!("%{name}") }
}

/// A user who goes where `--next` says, and has then seen it.
struct User {
    sessions: Vec<SessionView>,
    trail: Trail,
    at: Option<Spot>,
}

impl User {
    fn new(sessions: Vec<SessionView>) -> User {
        User { sessions, trail: Trail::default(), at: Some(spot("home")) }
    }

    fn next(&mut self) -> String {
        let Some(view) = self.trail.next(&self.sessions, self.at.as_ref()).cloned() else {
            return "nobody".to_owned();
        };
        let there = Spot::of(&view).unwrap();
        self.trail.arrived(&there, Some(&view), self.at.as_ref());
        self.at = Some(there);
        self.sessions.iter_mut().filter(|one| one.key == view.key).for_each(|v| v.unseen = false);
        view.key
    }

    fn walk(&mut self, steps: usize) -> String {
        (0..steps).map(|_| self.next()).collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn next_goes_to_the_longest_wait_first_then_to_what_is_finished_and_wraps() {
    let sessions = vec![done("f2", 9), asks("a2", 8), done("f1", 1), asks("a1", 5)];
    assert_eq!(User::new(sessions).walk(7), "a1 a2 f1 f2 a1 a2 a1");
}

#[test]
fn next_of_finished_ones_alone_visits_each_once() {
    let sessions = vec![done("f2", 2), done("f1", 1), done("f3", 3)];
    assert_eq!(User::new(sessions).walk(4), "f1 f2 f3 nobody");
}

#[test]
fn next_from_one_that_waits_is_the_one_after_it_however_the_user_got_there() {
    let mut user = User::new(vec![asks("a1", 1), asks("a2", 2), asks("a3", 3)]);
    user.at = Some(spot("a2"));
    assert_eq!(user.walk(3), "a3 a1 a2");
}

#[test]
fn next_after_going_elsewhere_by_hand_begins_anew() {
    let mut user = User::new(vec![asks("a1", 1), asks("a2", 2), done("f1", 3)]);
    assert_eq!(user.walk(2), "a1 a2");
    user.at = Some(spot("home"));
    assert_eq!(user.next(), "a1");
}

#[test]
fn next_from_an_unknown_place_goes_on_with_the_walk() {
    let mut user = User::new(vec![asks("a1", 1), asks("a2", 2)]);
    let mut step = || {
        user.at = None;
        user.next()
    };
    assert_eq!([step(), step(), step()], ["a1", "a2", "a1"]);
}

#[test]
fn next_takes_in_who_comes_and_leaves_out_who_was_answered() {
    let mut user = User::new(vec![asks("a1", 1), asks("a2", 2)]);
    assert_eq!(user.walk(2), "a1 a2");
    user.sessions[1].status = Class::Working;
    user.sessions.push(asks("a3", 3));
    assert_eq!(user.walk(3), "a3 a1 a3");
}

#[test]
fn next_goes_to_no_one_who_works_rests_has_ended_or_has_no_pane() {
    let gone = SessionView { pane: None, tmux: None, ..asks("gone", 1) };
    let ended = crate::view::EndedView { at: Stamp(1), reason: "lost".to_owned(), lost: true };
    let ended = SessionView { ended: Some(ended), ..done("ended", 1) };
    let rests = SessionView { unseen: false, ..done("rests", 1) };
    let sessions = vec![gone, ended, rests, view("works", Class::Working, 1)];
    assert_eq!(User::new(sessions.clone()).next(), "nobody");
    let mut user = User::new([sessions, vec![asks("a1", 7)]].concat());
    assert_eq!(user.walk(2), "a1 a1");
}

#[test]
fn next_visits_a_pane_with_two_sessions_once_in_a_round() {
    let nested = SessionView { pane: Some("%a1".to_owned()), ..asks("nested", 3) };
    assert_eq!(User::new(vec![asks("a1", 1), asks("a2", 2), nested]).walk(4), "a1 a2 a1 a2");
}

#[test]
fn equal_panes_of_two_servers_are_two_places() {
    let mut other = asks("a2", 2);
    other.pane = Some("%a1".to_owned());
    other.tmux = Some(TmuxView { socket: "/other".to_owned(), session: None });
    assert_eq!(User::new(vec![asks("a1", 1), other]).walk(3), "a1 a2 a1");
}

#[test]
fn last_goes_back_and_forth() {
    let (home, there) = (spot("home"), spot("a1"));
    let mut trail = Trail::default();
    assert_eq!(trail.last(), None);
    trail.arrived(&there, Some(&asks("a1", 1)), Some(&home));
    assert_eq!(trail.last(), Some(&home));
    trail.arrived(&home, None, Some(&there));
    assert_eq!(trail.last(), Some(&there));
    trail.arrived(&there, None, Some(&there));
    assert_eq!(trail.last(), Some(&there), "whoever stays where he is came from where he came");
    trail.arrived(&home, None, None);
    assert_eq!(trail.last(), Some(&there), "from an unknown place nobody can come back to");
}
