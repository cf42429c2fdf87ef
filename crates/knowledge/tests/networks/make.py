#!/usr/bin/env python3
"""Writes the graphs in this folder, with what networkx says of them, for the tests of the module `network`.

    python -m venv v && v/bin/pip install networkx==3.6.1 numpy scipy && v/bin/python make.py

A file is {"directed", "nodes": count, "edges": [[source, target, weight]], "figures": {...}}; nodes are numbers. Where
networkx has no answer for several edges between two nodes, they are one edge whose weight is their sum, as it makes of
them itself for PageRank; edges from a node to itself are left out where it refuses them.
"""

import itertools
import json
import pathlib
import random

import networkx as nx

HERE = pathlib.Path(__file__).parent
SEEDS = range(5)


def listed(figures, nodes):
    return [figures[node] for node in nodes]


def simple(graph):
    """Undirected, each edge once, no loops; weights are added."""
    result = nx.Graph()
    result.add_nodes_from(graph)
    for source, target, weight in graph.edges(data="weight", default=1):
        if source != target:
            old = result.get_edge_data(source, target, {"weight": 0})["weight"]
            result.add_edge(source, target, weight=old + weight)
    return result


def eigenvector(graph):
    """Of the graph with the weights of several edges added."""
    collapsed = nx.DiGraph() if graph.is_directed() else nx.Graph()
    collapsed.add_nodes_from(graph)
    for source, target in graph.edges():
        old = collapsed.get_edge_data(source, target, {"weight": 0})["weight"]
        collapsed.add_edge(source, target, weight=old + 1)
    return nx.eigenvector_centrality(collapsed, max_iter=100_000, tol=1e-15, weight="weight")


def figures(graph):
    nodes = sorted(graph)
    plain = simple(graph)
    largest = plain.subgraph(max(nx.connected_components(plain), key=len))
    rank = {"tol": 1e-16, "max_iter": 10_000}
    directed = graph.is_directed()
    result = {
        "density": nx.density(graph),
        "degree": listed(nx.degree_centrality(graph), nodes),
        "closeness": listed(nx.closeness_centrality(graph), nodes),
        "harmonic": listed(nx.harmonic_centrality(graph), nodes),
        "betweenness": listed(nx.betweenness_centrality(graph), nodes),
        "betweenness_weighted": listed(nx.betweenness_centrality(graph, weight="weight"), nodes),
        "pagerank": listed(nx.pagerank(graph, weight=None, **rank), nodes),
        "pagerank_weighted": listed(nx.pagerank(graph, weight="weight", **rank), nodes),
        "pagerank_from_0_and_3": listed(nx.pagerank(graph, weight=None, personalization={0: 1, 3: 2}, **rank), nodes),
        "core": listed(nx.core_number(plain), nodes),
        "bridges": sorted(sorted(edge) for edge in nx.bridges(nx.MultiGraph(graph))),
        "articulations": sorted(nx.articulation_points(plain)),
        "components": sorted(map(len, nx.connected_components(plain)), reverse=True),
        "diameter": nx.diameter(largest),
        "radius": nx.radius(largest),
        "mean_distance": nx.average_shortest_path_length(largest),
        "transitivity": nx.transitivity(plain),
        "average_clustering": nx.average_clustering(plain),
        "louvain": max(
            nx.community.modularity(plain, nx.community.louvain_communities(plain, seed=seed, weight=None), weight=None)
            for seed in SEEDS
        ),
        "jaccard": [value for _, _, value in nx.jaccard_coefficient(plain, pairs(nodes))],
        "adamic_adar": [value for _, _, value in nx.adamic_adar_index(plain, pairs(nodes))],
        "distances_from_0": lengths(nodes, nx.single_source_shortest_path_length(graph, 0)),
        "lengths_from_0": lengths(nodes, nx.single_source_dijkstra_path_length(graph, 0)),
    }
    if directed:
        loopless = nx.DiGraph(graph)
        loopless.remove_edges_from(list(nx.selfloop_edges(loopless)))
        result |= {
            "strong_components": sorted(map(len, nx.strongly_connected_components(graph)), reverse=True),
            "reciprocity": nx.overall_reciprocity(loopless),
            "out_degree": listed(nx.out_degree_centrality(graph), nodes),
            "in_degree": listed(nx.in_degree_centrality(graph), nodes),
        }
    else:
        result["paths_0_to_last"] = [
            len(path) - 1 for path in itertools.islice(nx.shortest_simple_paths(graph, 0, nodes[-1]), 30)
        ]
    if not directed or result["strong_components"][0] == len(nodes):
        result["eigenvector"] = listed(eigenvector(graph), nodes)
    return result


def pairs(nodes):
    return [(one, other) for one in nodes[:6] for other in nodes[:40:3] if one < other]


def rounded(value):
    """Thirteen digits say all that is compared, and keep the files small."""
    if isinstance(value, float):
        return float(f"{value:.13g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def lengths(nodes, found):
    return [found.get(node) for node in nodes]


def karate():
    graph = nx.Graph(nx.karate_club_graph().edges())
    nx.set_edge_attributes(graph, 1, "weight")
    return graph


def directed():
    """Several edges between two nodes, edges from nodes to themselves, and weights that are quarters."""
    dice = random.Random(7)
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(80))
    for _ in range(230):
        source, target = dice.randrange(70), min(dice.randrange(70), dice.randrange(70))
        for _ in range(dice.choice([1, 1, 1, 2, 3])):
            graph.add_edge(source, target, weight=dice.randint(1, 20) / 4)
    for node in (3, 5, 5, 9):
        graph.add_edge(node, node, weight=dice.randint(1, 20) / 4)
    return graph


def scale_free():
    graph = nx.barabasi_albert_graph(1000, 3, seed=11)
    dice = random.Random(3)
    for _, _, data in graph.edges(data=True):
        data["weight"] = dice.randint(1, 40) / 8
    return graph


def grid():
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 15), ordering="sorted")
    nx.set_edge_attributes(graph, 1, "weight")
    return graph


def main():
    for make in (karate, directed, scale_free, grid):
        graph = make()
        written = {
            "directed": graph.is_directed(),
            "nodes": len(graph),
            "edges": [list(edge) for edge in graph.edges(data="weight")],
            "figures": {name: rounded(value) for name, value in figures(graph).items()},
        }
        path = HERE / f"{make.__name__}.json"
        path.write_text(json.dumps(written, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
