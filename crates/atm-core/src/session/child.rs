//! Subagents and in-process teammates of a session: a tree by parent, each with its own state.

use serde::{Deserialize, Serialize};

use super::facts::Tool;
use crate::ids::AgentId;
use crate::stamp::Stamp;

/// Finished children kept for display; the oldest go first.
const MAX_FINISHED: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub id: AgentId,
    pub kind: String,
    /// Set if another subagent started this one.
    pub parent: Option<AgentId>,
    pub state: ChildState,
    pub since: Stamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChildState {
    Working,
    Idle,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Children(Vec<Child>);

impl Children {
    pub fn iter(&self) -> impl Iterator<Item = &Child> {
        self.0.iter()
    }

    pub fn working(&self) -> impl Iterator<Item = &Child> {
        self.0.iter().filter(|child| child.state == ChildState::Working)
    }

    pub fn get(&self, id: &AgentId) -> Option<&Child> {
        self.0.iter().find(|child| child.id == *id)
    }

    /// A sign of life. A child that has stopped is not woken by events that are older.
    pub fn works(&mut self, id: &AgentId, kind: Option<&str>, at: Stamp) {
        let kind = kind.unwrap_or_default();
        match self.0.iter_mut().find(|child| child.id == *id) {
            Some(child) if child.state == ChildState::Idle && at <= child.since => {}
            Some(child) => {
                if child.state == ChildState::Idle {
                    child.since = at;
                }
                child.state = ChildState::Working;
                if child.kind.is_empty() {
                    kind.clone_into(&mut child.kind);
                }
            }
            None => self.0.push(Child {
                id: id.clone(),
                kind: kind.to_owned(),
                parent: None,
                state: ChildState::Working,
                since: at,
            }),
        }
    }

    pub fn stops(&mut self, id: &AgentId, at: Stamp) {
        if let Some(child) = self.0.iter_mut().find(|child| child.id == *id) {
            child.state = ChildState::Idle;
            child.since = at;
        }
        let finished = self.0.len() - self.working().count();
        let mut surplus = finished.saturating_sub(MAX_FINISHED);
        self.0.retain(|child| {
            let drop = child.state == ChildState::Idle && surplus > 0;
            surplus -= usize::from(drop);
            !drop
        });
    }

    /// The client says that nothing runs any more.
    pub fn stop_all(&mut self, at: Stamp) {
        for child in self.0.iter_mut().filter(|child| child.state == ChildState::Working) {
            child.state = ChildState::Idle;
            child.since = at;
        }
    }

    pub fn clamp(&mut self, now: Stamp) {
        for child in &mut self.0 {
            child.since = child.since.min(now);
        }
    }

    /// Keeps the tree free of loops: a child is never its own ancestor.
    pub fn adopt(&mut self, id: &AgentId, parent: &AgentId) {
        let mut above = Some(parent.clone());
        while let Some(ancestor) = above {
            if ancestor == *id {
                return;
            }
            above = self.get(&ancestor).and_then(|child| child.parent.clone());
        }
        if let Some(child) = self.0.iter_mut().find(|child| child.id == *id) {
            child.parent = Some(parent.clone());
        }
    }

    /// The tool that `id` is in, newest first.
    pub fn tool<'t>(id: &AgentId, tools: &'t [Tool]) -> Option<&'t Tool> {
        tools.iter().rev().find(|tool| tool.agent.as_ref() == Some(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> AgentId {
        AgentId::new(name)
    }

    #[test]
    fn child_stopped_is_not_woken_by_an_older_event() {
        let mut children = Children::default();
        children.works(&id("a"), Some("Explore"), Stamp(1));
        children.stops(&id("a"), Stamp(5));
        children.works(&id("a"), None, Stamp(4));
        assert_eq!(children.working().count(), 0);
        children.works(&id("a"), None, Stamp(6));
        assert_eq!(children.working().count(), 1);
    }

    #[test]
    fn children_never_form_a_loop() {
        let mut children = Children::default();
        for name in ["a", "b", "c"] {
            children.works(&id(name), None, Stamp(1));
        }
        children.adopt(&id("b"), &id("a"));
        children.adopt(&id("c"), &id("b"));
        children.adopt(&id("a"), &id("c"));
        assert_eq!(children.get(&id("a")).unwrap().parent, None);
    }

    #[test]
    fn children_finished_are_bounded_and_working_ones_stay() {
        let mut children = Children::default();
        children.works(&id("keeper"), None, Stamp(0));
        for n in 0..50 {
            children.works(&id(&n.to_string()), None, Stamp(n));
            children.stops(&id(&n.to_string()), Stamp(n));
        }
        assert_eq!(children.iter().count(), MAX_FINISHED + 1);
        assert!(children.get(&id("keeper")).is_some());
    }
}
