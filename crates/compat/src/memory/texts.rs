//! Texts that memory servers accept and Fibula does not: they are replaced, and the answer says so.

use std::borrow::Cow;

use fibula_graph_formats::{NODE, RELATED};
use fibula_knowledge::{visible_name, visible_text};
use fibula_server::operation::ToolAnswer;
use fibula_service::{Entity, NewObservations, OldObservations, Relation};
use rmcp::model::ContentBlock;

/// Replaces texts of arguments, and records what was replaced.
#[derive(Debug, Default)]
pub(super) struct TextRepairs {
    has_control: bool,
    is_untyped: bool,
}

impl TextRepairs {
    fn replace(&mut self, text: &mut String, rule: for<'a> fn(&'a str) -> Cow<'a, str>) {
        let visible = rule(text);
        if visible != *text {
            *text = visible.into_owned();
            self.has_control = true;
        }
    }

    fn ty(&mut self, ty: &mut String, default: &str) {
        self.replace(ty, visible_name);
        if ty.is_empty() {
            default.clone_into(ty);
            self.is_untyped = true;
        }
    }

    /// Replaces the control characters of names and observations.
    pub(super) fn texts<'a>(&mut self, texts: impl IntoIterator<Item = &'a mut String>) {
        for text in texts {
            self.replace(text, visible_text);
        }
    }

    /// Replaces the types of relations that are asked for as those that are written.
    pub(super) fn relation_types<'a>(&mut self, types: impl IntoIterator<Item = &'a mut String>) {
        for ty in types {
            self.ty(ty, RELATED);
        }
    }

    /// Replaces the types of entities that are asked for as those that are written.
    pub(super) fn entity_types<'a>(&mut self, types: impl IntoIterator<Item = &'a mut String>) {
        for ty in types {
            self.ty(ty, NODE);
        }
    }

    pub(super) fn entities(&mut self, entities: &mut [Entity]) {
        for entity in entities {
            self.texts(std::iter::once(&mut entity.name).chain(&mut entity.observations));
            self.entity_types([&mut entity.entity_type]);
        }
    }

    pub(super) fn relations(&mut self, relations: &mut [Relation]) {
        for relation in relations {
            self.texts([&mut relation.from, &mut relation.to]);
            self.relation_types([&mut relation.relation_type]);
        }
    }

    pub(super) fn additions(&mut self, additions: &mut [NewObservations]) {
        for one in additions {
            self.texts(std::iter::once(&mut one.entity_name).chain(&mut one.contents));
        }
    }

    pub(super) fn deletions(&mut self, deletions: &mut [OldObservations]) {
        for one in deletions {
            self.texts(std::iter::once(&mut one.entity_name).chain(&mut one.observations));
        }
    }

    /// An answer, and what was replaced in a block of its own.
    pub(super) fn tell(&self, answer: ToolAnswer) -> ToolAnswer {
        let mut notes = Vec::new();
        if self.has_control {
            notes.push("Control characters were replaced by symbols, such as \u{2407}.".to_owned());
        }
        if self.is_untyped {
            notes.push(format!(
                "What had no type got one: entities '{NODE}', relations '{RELATED}'."
            ));
        }
        if notes.is_empty() {
            return answer;
        }
        answer.with_block(ContentBlock::text(notes.join(" ")))
    }
}
