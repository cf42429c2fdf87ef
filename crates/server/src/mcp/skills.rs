//! The skill for agents, by the extension Skills (SEP-2640): instructions that a host loads when a task asks for them.

use rmcp::model::{Resource, Skill, SkillFrontmatter, SkillResource, SkillResources};

use crate::address::SKILL;

/// The skill. docs/skills has a copy for agents whose hosts read skills from folders.
pub(super) const TEXT: &str = include_str!("../../skills/fibula-parts/SKILL.md");

/// Names of the tools that the skill calls.
pub(super) fn tools() -> impl Iterator<Item = &'static str> {
    let calls = TEXT
        .lines()
        .filter_map(|line| line.trim_start().split_once(" {"));
    calls
        .map(|(name, _)| name)
        .filter(|name| !name.contains(' '))
}

/// The skill with the digest of its one file.
pub(super) fn skill() -> Skill {
    let field = |name: &str| {
        let mut lines = TEXT.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.expect("a test reads the fields of the skill")
    };
    let frontmatter = SkillFrontmatter::new(field("name"), field("description"));
    let file = SkillResource::from_bytes(SKILL, TEXT.as_bytes());
    Skill::new(SKILL, frontmatter, SkillResources::Files(vec![file]))
}

/// The skill as it is listed for clients without the extension.
pub(super) fn resource() -> Resource {
    Resource::new(SKILL, "fibula-parts")
        .with_title("Skill: parts with Fibula")
        .with_description("How to design, change, check and export parts with these tools")
        .with_mime_type("text/markdown")
        .with_size(TEXT.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_as_the_extension_wants_it() {
        let skill = skill();
        skill.validate().expect("a skill");
        assert_eq!(skill.name(), "fibula-parts");
        assert!(TEXT.starts_with("---\nname: "));
        assert!(skill.frontmatter.description.len() < 400);
        assert!(tools().count() >= 15 && tools().all(|name| !name.contains('`')));
        // Hosts load it into a conversation.
        assert!(TEXT.len() < 8 << 10, "{} bytes", TEXT.len());
    }
}
