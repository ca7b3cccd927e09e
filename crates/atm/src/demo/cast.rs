//! Who plays: which recording, in which directory, and what the words of the laboratory become.

/// One simulated agent.
pub(crate) struct Actor {
    /// Also the name of its window and of its directory.
    pub(crate) name: &'static str,
    recording: &'static str,
    /// Words of the recording, and what is said instead; both are parts of JSON strings.
    wording: &'static [(&'static str, &'static str)],
    /// Seconds before it begins.
    pub(crate) entrance: f64,
}

macro_rules! recording {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/recordings/", $name, ".jsonl"))
    };
}

pub(crate) const CAST: [Actor; 5] = [
    Actor {
        name: "core",
        recording: recording!("l2_subagents_parallel"),
        wording: &[
            ("use two agents", "find out why sessions leak; use two agents"),
            ("agent a", "read the store"),
            ("agent b", "read the sensors"),
            ("sleep 2; echo a", "cargo test -p store"),
            ("sleep 3; echo b", "cargo test -p sensors"),
            ("Launched both.", "Two agents are looking."),
            ("Both finished.", "The store is fine; the sensors are still being read."),
            (
                r#""last_assistant_message": "y""#,
                r#""last_assistant_message": "A watch is never closed.""#,
            ),
        ],
        entrance: 0.5,
    },
    Actor {
        name: "api",
        recording: recording!("c_permission_approved"),
        wording: &[
            ("make a file", "add a migration for the users table"),
            ("touch approved-file", "npm run migrate -- --to 42"),
            ("Done.", "The users table is at version 42."),
        ],
        entrance: 4.0,
    },
    Actor {
        name: "docs",
        recording: recording!("b_bash_allowed"),
        wording: &[
            ("run echo", "check all links"),
            ("echo lab-output", "make linkcheck"),
            ("Done.", "All 214 links are alive."),
        ],
        entrance: 9.0,
    },
    Actor {
        name: "web",
        recording: recording!("m1_ask_user"),
        wording: &[
            ("ask again", "and the link?"),
            ("ask me", "restyle the sign-in page"),
            ("Which colour?", "Which colour for the button?"),
            ("You chose.", "The button has its colour."),
        ],
        entrance: 14.0,
    },
    Actor {
        name: "ops",
        recording: recording!("e_tool_failure"),
        wording: &[
            ("fail please", "why does the deployment fail?"),
            ("ls ./nonexistent-lab-dir", "kubectl get pods"),
            ("nonexistent-lab.txt", "deploy.log"),
            ("Failed as planned.", "There is no cluster, and no log either."),
        ],
        entrance: 20.0,
    },
];

impl Actor {
    pub(crate) fn named(name: &str) -> Option<&'static Actor> {
        CAST.iter().find(|actor| actor.name == name)
    }

    /// The recording in this agent's own words.
    pub(crate) fn script(&self) -> String {
        let mut text = self.recording.to_owned();
        for (from, to) in self.wording {
            text = text.replace(from, to);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wording_replaces_something_and_leaves_json() {
        for actor in &CAST {
            for (from, _) in actor.wording {
                assert!(actor.recording.contains(from), "{}: {from:?}", actor.name);
            }
            for line in actor.script().lines() {
                let parsed = serde_json::from_str::<serde_json::Value>(line);
                assert!(parsed.is_ok(), "{}: {line}", actor.name);
            }
        }
    }
}
