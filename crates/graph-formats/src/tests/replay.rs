//! Event logs and snapshots of memory-graph.

use serde_json::{Value as Json, json};

use super::*;

fn event(id: u32, ty: &str, data: &Json) -> String {
    json!({ "eventType": ty, "eventId": id, "ts": 1_704_067_200 + id, "user": "Ann", "data": data })
        .to_string()
}

fn log() -> Vec<String> {
    let relation = json!({ "from": "b", "to": "a", "relation_type": "uses", "valid_from": 10 });
    let other = json!({ "from": "a", "to": "c", "relation_type": "uses" });
    let third = json!({ "from": "a", "to": "b", "relation_type": "uses" });
    vec![
        event(
            1,
            "entity_created",
            &json!({ "name": "a", "entity_type": "Bug", "observations": ["one"] }),
        ),
        event(
            2,
            "entity_created",
            &json!({ "name": "b", "entity_type": "Module" }),
        ),
        event(
            3,
            "entity_created",
            &json!({ "name": "c", "entity_type": "Module" }),
        ),
        event(
            4,
            "entity_created",
            &json!({ "name": "a", "entity_type": "Other" }),
        ),
        event(
            5,
            "observation_added",
            &json!({ "entity": "a", "observation": "two" }),
        )
        .replace("Ann", "Ben"),
        event(
            6,
            "observation_added",
            &json!({ "entity": "a", "observation": "two" }),
        ),
        event(
            7,
            "observation_removed",
            &json!({ "entity": "a", "observation": "one" }),
        ),
        event(8, "relation_created", &relation),
        event(9, "relation_created", &other),
        event(10, "relation_created", &third),
        event(11, "relation_deleted", &third),
        event(
            12,
            "entity_updated",
            &json!({ "name": "b", "entity_type": "Part" }),
        ),
        event(
            13,
            "entity_deleted",
            &json!({ "name": "c", "reason": "gone" }),
        ),
    ]
}

fn shown(given: &ImportedGraph) -> Vec<String> {
    let nodes = given.nodes.iter().map(|node| {
        let observations = node.observations.iter().map(|one| &*one.text);
        let observations = observations.collect::<Vec<_>>().join(" ");
        let (created, modified) = (node.created.unwrap(), node.modified.unwrap());
        let times = [created, modified].map(|time| time / 1000 - 1_704_067_200);
        format!("{} {} {observations} {times:?}", node.id, node.types[0])
    });
    let edges = given.edges.iter();
    let edges = edges.map(|edge| {
        format!(
            "{} {} {} {:?}",
            edge.source, edge.ty, edge.target, edge.valid_from
        )
    });
    nodes.chain(edges).collect()
}

const STATE: [&str; 3] = [
    "a Bug two [1, 7]",
    "b Part  [2, 12]",
    "b uses a Some(10000)",
];

#[test]
fn events_are_replayed() {
    let lines = log().join("\n") + "\n";
    assert_eq!(detect(None, lines.as_bytes()), Some(Format::MemoryJsonl));
    let given = read_all(Format::MemoryJsonl, lines).unwrap();
    assert_eq!(shown(&given), STATE);
    assert_eq!(given.nodes[0].creator.as_deref(), Some("Ann"));
    let two = &given.nodes[0].observations[0];
    let by_ben = (Some(1_704_067_205_000), Some("Ben"));
    assert_eq!((two.at, two.by.as_deref()), by_ben);
    check_repairs(&given, "existing_entity 1");
}

#[test]
fn events_follow_a_snapshot_that_has_the_first_of_them() {
    let meta = |entities: u32| json!({ "type": "snapshot_meta", "last_event_id": 4, "created_at": 1, "entity_count": entities, "relation_count": 0 });
    let entity = |name: &str, ty: &str, at: u32, noted: &[&str]| {
        let at = 1_704_067_200 + at;
        json!({ "name": name, "entityType": ty, "observations": noted, "createdBy": "Ann", "createdAt": at, "updatedAt": at }).to_string()
    };
    let file = |entities: u32| {
        let begin = [
            meta(entities).to_string(),
            entity("a", "Bug", 1, &["one"]),
            entity("b", "Module", 2, &[]),
            entity("c", "Module", 3, &[]),
        ];
        assert_eq!(detect(None, begin[0].as_bytes()), Some(Format::MemoryJsonl));
        [&begin[..], &log()].concat().join("\n")
    };
    let given = read_all(Format::MemoryJsonl, file(3)).unwrap();
    assert_eq!(shown(&given), STATE);
    assert_eq!(repairs(&given), []);
    check_repairs(
        &read_all(Format::MemoryJsonl, file(4)).unwrap(),
        "snapshot_count 1",
    );
}

#[test]
fn events_that_cannot_be_applied_are_told() {
    let lines = [
        event(
            1,
            "entity_created",
            &json!({ "name": "a", "entity_type": "Bug" }),
        ),
        event(
            2,
            "observation_added",
            &json!({ "entity": "nobody", "observation": "x" }),
        ),
        event(3, "entity_renamed", &json!({ "name": "a" })),
        event(4, "entity_updated", &json!({ "name": 7 })),
        "{\"eventType\":\"obs{".to_owned(),
        event(
            5,
            "relation_deleted",
            &json!({ "from": "a", "to": "b", "relation_type": "r" }),
        ),
    ];
    let given = read_all(Format::MemoryJsonl, lines.join("\n")).unwrap();
    let told = "unknown_entity 1, unknown_event 1, invalid_event 2, unknown_relation 1";
    check_repairs(&given, told);
    assert!(
        given.repairs[0]
            .text
            .contains("put the snapshot before the log")
    );
}

#[test]
fn what_memory_servers_answer_or_ignore_is_read() {
    let answer = json!({ "entities": [{ "name": "a", "entityType": "t", "observations": ["o"] }],
                         "relations": [{ "from": "a", "to": "a", "relationType": "r" }] });
    let answer = format!("{answer:#}");
    assert_eq!(detect(None, answer.as_bytes()), Some(Format::MemoryJsonl));
    let given = read_all(Format::MemoryJsonl, answer).unwrap();
    assert_eq!((given.nodes.len(), given.edges.len()), (1, 1));
    let lines = "{\"type\":\"entity\",\"name\":\"a\u{1}\",\"entityType\":\"t\",\"observations\":[]}\n{\"type\":\t\"note\",\"text\":\"x\ty\"}\n";
    let given = read_all(Format::MemoryJsonl, lines).unwrap();
    assert_eq!(given.nodes[0].label, "a\u{2401}");
    check_repairs(&given, "invalid_id 1, control_character 1, unknown_line 1");
}

#[test]
fn one_bad_character_refuses_nothing() {
    let long = "x".repeat(2_000);
    let lines = [
        json!({ "type": "entity", "name": "a\u{7}\nb", "entityType": "t\u{1}", "observations": ["ok", "\u{0}"] }),
        json!({ "type": "entity", "name": long, "entityType": "", "observations": [] }),
        json!({ "type": "relation", "from": "a\u{7}\nb", "to": long, "relationType": "r\u{2}" }),
    ];
    let lines: Vec<String> = lines.iter().map(Json::to_string).collect();
    let given = read_all(Format::MemoryJsonl, lines.join("\n")).unwrap();
    let [one, two] = &given.nodes[..] else {
        panic!("{given:?}");
    };
    assert_eq!(
        (&*one.id, &*one.label),
        ("a\u{2407}\u{240a}b", "a\u{2407}\nb")
    );
    assert_eq!(
        (&*one.types[0], &*one.observations[1].text),
        ("t\u{2401}", "\u{2400}")
    );
    assert_eq!((two.id.len(), &*two.label), (512, &*long));
    let edge = &given.edges[0];
    assert_eq!([&edge.source, &edge.target], [&one.id, &two.id]);
    assert_eq!(edge.ty, "r\u{2402}");
    check_repairs(&given, "invalid_id 4, control_character 4, missing_type 1");
}
