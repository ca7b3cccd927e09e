//! Programs of our names on the PATH.

use super::super::dump::{OnPath, Place};
use super::Env;
use super::identity::{self, Ask};
use crate::program::on_path;

pub(super) fn collect(env: Env<'_>, own: Option<&Place>) -> Vec<OnPath> {
    let named =
        |name: &'static str| on_path(env("PATH"), name).into_iter().map(move |path| (name, path));
    named("atm")
        .chain(named("cld"))
        .map(|(name, path)| OnPath {
            name: name.to_owned(),
            identity: identity::of(&path, own, Ask::Yes),
            path: Place(path),
        })
        .collect()
}
