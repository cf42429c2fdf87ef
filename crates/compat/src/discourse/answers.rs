//! Answers of the tools.

use std::collections::{BTreeMap, BTreeSet};

use fibula_graph_formats::discourse::{NODE_TYPES, split_title};
use fibula_knowledge::search::OrderBy;
use fibula_knowledge::{Direction, NodeRef, is_same_type};
use fibula_service::{Refusal, SearchNodes, Timestamp};
use serde_json::{Map, Value, json};

use fibula_server::mcp::truncate;
use fibula_server::operation::ToolAnswer;

use super::page::{BoundedList, Page, REFERS_TO, adjacent, directions, find, is_of, kind, members};
use super::{
    Contributions, GraphArguments, Linked, Neighborhood, NodeArguments, Relationships, Search,
    SortDirection, SortKey,
};
use crate::{Answer, Call, group_by, pointing_on};

/// Maximum length of a text in characters; exported files of the graph have longer ones.
const MAX_CONTENT_CHARS: usize = 12_000;
/// What to try if the graph has nothing of a kind.
const EMPTY: &str =
    "The graph is empty: these tools read it, and those of other toolsets write it.";
/// What to try for a node without links.
const UNLINKED: &str = "Nothing is linked to the node: search_nodes finds others.";
/// Maximum number of linked images.
const MAX_IMAGES: usize = 100;

pub(super) fn search(call: &mut Call<'_, Search>) -> Answer {
    let (arguments, graph) = (&call.request, call.knowledge()?);
    let creators = arguments.creator.as_ref().map(|part| {
        let part = part.to_lowercase();
        let all = graph.creator_counts().into_iter().map(|(name, _)| name);
        let all = all.filter(|name| name.to_lowercase().contains(&part));
        all.map(str::to_owned).collect::<Vec<_>>()
    });
    let request = SearchNodes {
        project: call.project_name(),
        query: arguments.query.clone(),
        creators: creators.clone().unwrap_or_default(),
        order_by: match arguments.order_by {
            None => OrderBy::Relevance,
            Some(SortKey::Created) => OrderBy::Created,
            Some(SortKey::Modified) => OrderBy::Modified,
            Some(SortKey::Title) => OrderBy::Label,
        },
        descending: arguments.order_by.is_some() && arguments.sort_direction == SortDirection::Desc,
        ..SearchNodes::default()
    };
    if creators.as_ref().is_some_and(Vec::is_empty) {
        let none = ToolAnswer::pretty(&json!({ "results": [], "count": 0 }))?;
        let otherwise =
            "No creator has this name: get_researcher_contributions without a creator lists them.";
        return Ok(pointing_on(none, true, otherwise));
    }
    let (ty, limit) = (arguments.node_type.as_ref(), arguments.limit.unwrap_or(10));
    let is_wanted = |node: &NodeRef<'_>| ty.is_none_or(|ty| is_of(node, ty));
    let found = call.service.search_graph(&request, limit, is_wanted)?;
    let mut results = BoundedList::default();
    for hit in &found.hits {
        let Some(node) = found.graph.find(&hit.node.id) else {
            continue;
        };
        results.push(|| {
            let page = Page::new(node);
            let mut answer = page.brief();
            answer.extend(members(json!({
                "snippet": page.snippet(),
                "imageCount": page.images().len(),
                "score": hit.score.map(|score| (score * 100.0).round() / 100.0),
            })));
            answer.into()
        });
    }
    let mut answer = json!({ "count": results.shown.len(), "results": results.shown });
    if !found.is_whole {
        answer["truncated"] = true.into();
    }
    let otherwise = "No node matches: search for one word, or without nodeType and creator; get_schema lists the types.";
    let is_empty = results.count == 0;
    Ok(pointing_on(
        ToolAnswer::pretty(&answer)?,
        is_empty,
        otherwise,
    ))
}

/// Returns a whole node: text, links, images.
pub(super) fn node(call: &mut Call<'_, NodeArguments>) -> Answer {
    let graph = call.knowledge()?;
    let page = find(&graph, &call.request.uid)?;
    let edges = page.node.edges(Direction::Outgoing).into_iter();
    let linked = edges.filter(|edge| edge.ty() == REFERS_TO);
    let linked: Vec<&str> = linked.map(|edge| edge.target()).collect();
    let (mut answer, images) = (page.brief(), page.images());
    answer.extend(members(json!({
        "modified": Timestamp(page.node.modified()),
        "content": truncate(&page.content(), MAX_CONTENT_CHARS),
        "linkedNodes": linked,
        "imageUrls": images,
        "imageCount": images.len(),
        "url": page.node.data_map().remove("url"),
    })));
    Ok(page.with_image_links(ToolAnswer::pretty(&answer)?, 1))
}

pub(super) fn images(call: &mut Call<'_, NodeArguments>) -> Answer {
    let graph = call.knowledge()?;
    let page = find(&graph, &call.request.uid)?;
    let (mut answer, images) = (page.brief(), page.images());
    answer.remove("nodeType");
    let images = json!({ "imageCount": images.len(), "imageUrls": images });
    answer.extend(members(images));
    Ok(page.with_image_links(ToolAnswer::pretty(&answer)?, MAX_IMAGES))
}

pub(super) fn linked(call: &mut Call<'_, Linked>) -> Answer {
    let graph = call.knowledge()?;
    let page = find(&graph, &call.request.uid)?;
    let (mut all, mut typed) = (BoundedList::default(), 0);
    for way in directions(call.request.direction) {
        let mut seen = BTreeSet::new();
        for (other, relation) in adjacent(&graph, page.node, way) {
            if !seen.insert(other.id()) {
                continue;
            }
            typed += usize::from(relation.is_some());
            all.push(|| {
                let mut answer = Page::new(other).brief();
                answer.insert("direction".to_owned(), json!(way));
                if let Some(relation) = relation {
                    answer.insert("relationshipType".to_owned(), relation.ty().into());
                }
                answer.into()
            });
        }
    }
    let answer = ToolAnswer::pretty(&json!({
        "sourceUid": page.node.id(),
        "sourceTitle": split_title(page.node.label()).1,
        "linkedNodes": all.shown,
        "count": all.count,
        "typedRelationCount": typed,
    }))?;
    let otherwise = match call.request.direction {
        Direction::Both => UNLINKED,
        Direction::Incoming | Direction::Outgoing => {
            "Nothing is linked in this direction: pass the direction both."
        }
    };
    Ok(pointing_on(answer, all.count == 0, otherwise))
}

pub(super) fn schema(call: &mut Call<'_, GraphArguments>) -> Answer {
    let graph = call.knowledge()?;
    let counts = by_lower_case(graph.node_type_counts());
    let declared = graph.schema().node_types.iter();
    let declared = declared.map(|ty| (ty.key.as_str(), ty.description.as_deref()));
    let used = graph.node_type_counts();
    let used = used.iter().map(|(key, _)| (*key, None));
    let (mut seen, mut types, mut items) = (BTreeSet::new(), Map::new(), BoundedList::default());
    for (key, description) in declared.chain(used) {
        let lower = key.to_lowercase();
        let count = counts.get(&lower).copied().unwrap_or(0);
        if !seen.insert(lower) {
            continue;
        }
        let common = NODE_TYPES
            .iter()
            .find(|[_, name, _]| is_same_type(name, key));
        let about = description.map(str::to_owned);
        let about = about.or_else(|| common.map(|[_, _, about]| (*about).to_owned()));
        items.push(|| {
            let code = common.map_or(key, |[code, ..]| code);
            let answer = json!({
                "label": key,
                "description": about.unwrap_or_else(|| format!("{key} node in the discourse graph")),
                "uid": key,
                "count": count,
            });
            types.insert(code.to_owned(), answer.clone());
            answer
        });
    }
    let project = call.project().unwrap_or("default");
    let answer = ToolAnswer::pretty(&json!({
        "nodeTypes": types,
        "totalSchemas": items.count,
        "domain": format!("The nodes of project {project}"),
        "dataSource": format!("Fibula project {project}"),
    }))?;
    Ok(pointing_on(answer, items.count == 0, EMPTY))
}

/// Counts by type, ignoring case.
fn by_lower_case(counts: Vec<(&str, usize)>) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for (key, count) in counts {
        *all.entry(key.to_lowercase()).or_default() += count;
    }
    all
}

pub(super) fn contributions(call: &mut Call<'_, Contributions>) -> Answer {
    let graph = call.knowledge()?;
    let ty = call.request.node_type.as_deref();
    let is_wanted = |node: &&NodeRef<'_>| ty.is_none_or(|ty| is_of(node, ty));
    let creators = group_by(graph.sorted_nodes(), NodeRef::creator);
    let Some(name) = &call.request.creator else {
        let mut researchers: Vec<(usize, Value)> = Vec::new();
        for (creator, nodes) in creators {
            let mut types: BTreeMap<&str, usize> = BTreeMap::new();
            for node in nodes.iter().filter(is_wanted) {
                *types.entry(kind(node).unwrap_or("UNKNOWN")).or_default() += 1;
            }
            let total = types.values().sum();
            let answer = json!({ "creator": creator, "totalNodes": total, "byType": types });
            researchers.push((total, answer));
        }
        // A stable sort keeps the order of insertion among equals.
        researchers.sort_by_key(|(total, _)| std::cmp::Reverse(*total));
        let mut items = BoundedList::default();
        for (_, answer) in researchers {
            items.push(|| answer);
        }
        let mut answer = json!({ "researchers": items.shown });
        if items.count > items.shown.len() {
            answer["count"] = items.count.into();
        }
        let answer = ToolAnswer::pretty(&answer)?;
        return Ok(pointing_on(answer, items.count == 0, EMPTY));
    };
    let part = name.to_lowercase();
    let meant = creators.iter().find(|(creator, _)| creator == name);
    let meant = meant.or_else(|| {
        let mut creators = creators.iter();
        creators.find(|(creator, _)| creator.to_lowercase().contains(&part))
    });
    let (name, own) = meant.map_or((name.as_str(), &[][..]), |(name, own)| (*name, own));
    let own: Vec<_> = own.iter().filter(is_wanted).collect();
    let mut items = BoundedList::default();
    for node in own.iter().skip(call.request.offset) {
        items.push(|| {
            let page = Page::new(**node);
            let mut answer = page.brief();
            answer.remove("creator");
            answer.insert("imageCount".to_owned(), page.images().len().into());
            answer.into()
        });
    }
    let answer = ToolAnswer::pretty(&json!({
        "creator": name,
        "contributions": items.shown,
        "count": own.len(),
    }))?;
    let otherwise = "Nothing by this creator, of this type, from this offset on: leave the creator out to list all with their counts.";
    Ok(pointing_on(answer, items.count == 0, otherwise))
}

pub(super) fn relationships(call: &mut Call<'_, Relationships>) -> Answer {
    let (arguments, graph) = (&call.request, call.knowledge()?);
    let functions = call.service.function_ends(call.project())?;
    let mut all = match (&arguments.source_uid, &arguments.destination_uid) {
        (Some(source), Some(target)) => graph.edges_between(source, target),
        (Some(source), None) => graph.edges_at(source, Direction::Outgoing),
        (None, Some(target)) => graph.edges_at(target, Direction::Incoming),
        (None, None) => graph.sorted_edges(),
    };
    let ty = arguments.relationship_type.as_deref();
    all.retain(|edge| edge.ty() != REFERS_TO && ty.is_none_or(|ty| is_same_type(ty, edge.ty())));
    let end = |uid: &str| {
        if let Some(node) = graph.find(uid) {
            return Value::Object(Page::new(node).brief());
        }
        let title = match functions.get(uid) {
            Some(Some(function)) => function,
            Some(None) => "no longer exists",
            None => "Unknown",
        };
        json!({ "uid": uid, "title": title, "nodeType": null })
    };
    let mut items = BoundedList::default();
    for edge in all.iter().skip(arguments.offset) {
        items.push(|| {
            json!({
                "source": end(edge.source()),
                "destination": end(edge.target()),
                "relationshipType": edge.ty(),
                "predicateUid": edge.ty(),
                "creator": edge.creator(),
                "created": Timestamp(edge.created()),
            })
        });
    }
    let answer = ToolAnswer::pretty(&json!({ "relationships": items.shown, "count": all.len() }))?;
    let otherwise = "No such relation from this offset on: get_relation_types lists the types and their counts.";
    Ok(pointing_on(answer, items.count == 0, otherwise))
}

pub(super) fn relation_types(call: &mut Call<'_, GraphArguments>) -> Answer {
    let graph = call.knowledge()?;
    let counts = by_lower_case(graph.edge_type_counts());
    let counted = |key: &str| counts.get(&key.to_lowercase()).copied().unwrap_or(0);
    let mut seen = BTreeSet::from([REFERS_TO.to_owned()]);
    let mut types = BoundedList::default();
    let declared = graph.schema().edge_types.iter().map(|ty| {
        let ends = [&ty.domain, &ty.range].map(|ends| ends.join(", "));
        (ty.key.as_str(), ends)
    });
    let used = graph.edge_type_counts().into_iter();
    let used = used.map(|(key, _)| (key, [String::new(), String::new()]));
    for (key, [domain, range]) in declared.chain(used) {
        if seen.insert(key.to_lowercase()) {
            types.push(|| {
                json!({
                    "uid": key,
                    "label": key,
                    "description": format!("{domain} {key} {range}").trim(),
                    "domain": domain,
                    "range": range,
                    "instanceCount": counted(key),
                })
            });
        }
    }
    let answer = ToolAnswer::pretty(&json!({
        "relationTypes": types.shown,
        "count": types.count,
        "totalRelationships": graph.edge_count() - counted(REFERS_TO),
    }))?;
    let otherwise = "The graph has no relations: those of other toolsets write them.";
    Ok(pointing_on(answer, types.count == 0, otherwise))
}

pub(super) fn neighborhood(call: &mut Call<'_, Neighborhood>) -> Answer {
    let (arguments, graph) = (&call.request, call.knowledge()?);
    let start = find(&graph, &arguments.uid)?;
    let depth = arguments.depth.unwrap_or(2);
    if !(1..=4).contains(&depth) {
        let message = format!("depth is {depth}; pass 1 to 4");
        return Err(Refusal::new("invalid_value", message));
    }
    let node_type = arguments.node_type_filter.as_deref();
    let relation_type = arguments.relationship_type_filter.as_deref();
    let mut seen = BTreeSet::from([start.node.id()]);
    let mut level = vec![start.node];
    let mut hops = vec![vec![Value::from(start.brief())]];
    let (mut counts, mut items) = (vec![1], BoundedList::default());
    for _ in 0..depth {
        let mut next = Vec::new();
        for node in level {
            let ways = directions(arguments.direction);
            for (other, relation) in ways.flat_map(|way| adjacent(&graph, node, way)) {
                let ty = relation.map(|relation| relation.ty());
                let is_along = relation_type
                    .is_none_or(|filter| ty.is_some_and(|ty| is_same_type(ty, filter)));
                let is_wanted = node_type.is_none_or(|filter| is_of(&other, filter));
                if !is_along || !is_wanted || !seen.insert(other.id()) {
                    continue;
                }
                items.push(|| {
                    let mut brief = Page::new(other).brief();
                    brief.extend(ty.map(|ty| ("relationshipType".to_owned(), Value::from(ty))));
                    brief.into()
                });
                next.push(other);
            }
        }
        counts.push(next.len());
        hops.push(std::mem::take(&mut items.shown));
        level = next;
    }
    let hop_counts = counts.iter().enumerate();
    let hop_counts = hop_counts.map(|(hop, count)| json!({ "hop": hop, "count": count }));
    let total = counts.iter().sum::<usize>();
    let answer = ToolAnswer::pretty(&json!({
        "startUid": arguments.uid,
        "startTitle": split_title(start.node.label()).1,
        "depth": depth,
        "direction": arguments.direction,
        "totalNodes": total,
        "hopCounts": hop_counts.collect::<Vec<_>>(),
        "nodesByHop": hops,
    }))?;
    let is_filtered = node_type.is_some() || relation_type.is_some();
    let otherwise = if is_filtered || arguments.direction != Direction::Both {
        "Nothing is linked this way: pass the direction both, and no filters."
    } else {
        UNLINKED
    };
    Ok(pointing_on(answer, total == 1, otherwise))
}
