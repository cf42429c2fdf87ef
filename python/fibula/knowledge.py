"""The knowledge graph of a project: labelled nodes and typed edges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._display import Diagram
from .errors import ArgumentError
from .part import _json

if TYPE_CHECKING:
    import networkx
    import pandas

    from .project import Project

__all__ = ["Knowledge"]


class Knowledge:
    """Labelled nodes and typed edges, which may end at functions of the project.

    Nodes are named by their ids or labels.
    """

    def __init__(self, project: Project) -> None:
        self.project = project

    def add(
        self,
        nodes: Iterable[Mapping[str, Any] | str] = (),
        edges: Iterable[Mapping[str, Any] | tuple[str, str, str]] = (),
        **options: Any,
    ) -> dict[str, Any]:
        """Adds nodes and edges, as one change.

        Args:
            nodes: Labels, or ``{"label": ..., "types": ..., "observations": [...], "data": {...}}``; the type is "node" if it
                is left out.
            edges: ``(source, type, target)``, or ``{"source": ..., "type": ..., "target": ..., "weight": ...}``.
            options: Members of the request, such as on_conflict.
        """
        listed = [
            {"label": node, "types": "node"} if isinstance(node, str) else {"types": "node", **node}
            for node in nodes
        ]
        links: list[dict[str, Any]] = []
        for edge in edges:
            if isinstance(edge, tuple):
                source, kind, target = edge
                links.append({"source": source, "type": kind, "target": target})
            else:
                links.append(dict(edge))
        return self.project.add_nodes(nodes=listed, edges=links, **options)

    def _export(self, **options: Any) -> dict[str, Any]:
        exported, _ = self.project.export_graph(format="json", **options)
        graph: dict[str, Any] = json.loads(exported)
        return graph

    def nodes(self, **options: Any) -> list[dict[str, Any]]:
        """All nodes with their types, data and observations; times are milliseconds since 1970. Options: type, revision."""
        return list(self._export(**options)["nodes"])

    def edges(self, **options: Any) -> list[dict[str, Any]]:
        """All edges with their weights and data; options: type, revision."""
        return list(self._export(**options)["edges"])

    def search(self, query: str, **options: Any) -> list[dict[str, Any]]:
        """Nodes that have the words of a query, best first.

        Args:
            query: Words, "phrases", and -words to exclude; spelling errors are tolerated.
            options: Members of the request: types, limit, data, exact, ...
        """
        return list(self.project.search_nodes(query=query, **options)["nodes"])

    def paths(self, source: str, target: str, **options: Any) -> list[dict[str, Any]]:
        """Shortest paths between two nodes; options: count, max_length, weighted, edge_types, ..."""
        return list(self.project.find_path(source=source, target=target, **options)["paths"])

    def neighbors(self, node: str, **options: Any) -> list[dict[str, Any]]:
        """Nodes around a node; options: depth, direction, edge_types, ..."""
        return list(self.project._pages("get_neighbors", "neighbors", node=node, **options))

    def analyze(self, what: str, **options: Any) -> dict[str, Any]:
        """Analyses the graph: "pagerank", "betweenness", "communities", "components", "order", ..."""
        return self.project.analyze(what=what, **options)

    def draw(self, **options: Any) -> Diagram:
        """Draws the graph, which a notebook shows; options: layout, node, depth, size, dark, ..."""
        svg, _ = self.project._call("render_graph", {"format": "svg", **options})
        return Diagram(svg.decode())

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The graph for the package networkx, which has to be installed: nodes by their ids, with label, types, observations
        and data; edges with key, type, label, weight, validity and data. Authors and times are in ``nodes()`` and ``edges()``."""
        import networkx

        exported = self._export()
        graph = networkx.MultiDiGraph(name=self.project.name)
        for node in exported["nodes"]:
            graph.add_node(node["id"], **{key: node[key] for key in _OF_NODES if key in node})
        for edge in exported["edges"]:
            attributes = {key: edge[key] for key in _OF_EDGES if key in edge}
            graph.add_edge(edge["source"], edge["target"], key=edge["id"], **attributes)
        return graph

    def from_networkx(
        self, graph: networkx.Graph, *, type: str = "related_to", **options: Any
    ) -> dict[str, Any]:
        """Adds a graph of the package networkx, as one change.

        The node's name is its id; ``label``, ``types`` and ``observations`` are taken from its attributes, the other
        attributes are its data. An edge has its ``type`` and ``weight`` from its attributes.

        Args:
            graph: The graph; an undirected edge becomes one edge.
            type: Type of edges that have none.
            options: Members of the request, such as on_conflict.
        """
        author = self.project._native.author
        names: dict[str, Any] = {}
        nodes = []
        for name, attributes in graph.nodes(data=True):
            if str(name) in names:
                raise ArgumentError(
                    "duplicate_name",
                    f"the nodes {names[str(name)]!r} and {name!r} have one name as texts",
                    "relabel one of them, as networkx.relabel_nodes does",
                )
            names[str(name)] = name
            own = _members(attributes, _OF_NODES)
            nodes.append({"id": str(name), "label": str(name), "types": ["node"], "creator": author, **own})
        edges = []
        for source, target, attributes in graph.edges(data=True):
            own = _members(attributes, _OF_EDGES)
            edges.append({"source": str(source), "target": str(target), "type": type, "creator": author, **own})
        content = _json({"format": "fibula-graph", "version": 1, "nodes": nodes, "edges": edges})
        return self.project.import_graph(format="json", content=content, **options)

    def nodes_frame(self) -> pandas.DataFrame:
        """The nodes as a table of the package pandas, which has to be installed, indexed by their ids."""
        import pandas

        frame = pandas.DataFrame(self.nodes())
        return frame if frame.empty else frame.set_index("id")

    def edges_frame(self) -> pandas.DataFrame:
        """The edges as a table of the package pandas, which has to be installed, indexed by their ids."""
        import pandas

        frame = pandas.DataFrame(self.edges())
        return frame if frame.empty else frame.set_index("id")


#: What nodes and edges have themselves; other attributes are their data.
_OF_NODES = ("label", "types", "observations", "data")
_OF_EDGES = ("label", "type", "weight", "valid_from", "valid_to", "data")


def _members(attributes: Mapping[str, Any], own: tuple[str, ...]) -> dict[str, Any]:
    """Attributes of networkx as members of a node or edge."""
    members = {key: value for key, value in attributes.items() if key in own and value is not None}
    for several in ("types", "observations"):
        if isinstance(members.get(several), str):
            members[several] = [members[several]]
    if "observations" in members:
        members["observations"] = [
            {"text": one} if isinstance(one, str) else one for one in members["observations"]
        ]
    if "label" in members:
        members["label"] = str(members["label"])
    data = members.pop("data", {})
    data = dict(data) if isinstance(data, Mapping) else {"data": data}
    data.update((str(key), value) for key, value in attributes.items() if key not in own)
    return {**members, "data": data} if data else members
