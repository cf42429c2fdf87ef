"""Asks igraph, networkx, SQLite or Kuzu about a graph; run by knowledge.py.

Reads {"library": NAME, "graph": FILE, "starts": [NODE...], "pairs": [[NODE, NODE]...], "repeats": N, "seeds":
[N...], "budget": S, "folder": PATH} from standard input and writes {"version": TEXT, "two_hops": [[S, N]...],
"two_hops_listed": [[S, N]...], "three_hops": [[S, N]...], "three_hops_listed": [[S, N]...], "path": [[S, N or
null]...], "pagerank": [[S, [RANK...]]], "leiden": [[S, MODULARITY]...]}: the median of the seconds that a question
takes, after it was asked once, and its answer. What the library has no answer for is left out. A list ends early when
its questions took longer than the budget, yet not before the third.

The file is a knowledge graph as Fibula writes it out, whose nodes are "n0", "n1" and so on. Neighbourhoods and paths
are found whatever the direction of edges, as communities are; PageRank follows them. The nodes of a neighbourhood are
counted, or listed and then counted; the databases count, in which no time goes into handing rows over.
"""

import json
import os
import random
import sqlite3
import statistics
import sys
import time

# Below the bound at which networkx ends its iteration, which it multiplies by the number of nodes, all errors together
# are less than Fibula's.
RANK_ERROR = 1e-10


def timed(ask, repeats):
    """The median of the seconds, and the answer."""
    answer, seconds = ask(), []
    for _ in range(repeats):
        begun = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - begun)
    return [statistics.median(seconds), answer]


def asked_each(questions, ask, repeats, budget):
    """The seconds and the answer of each question, as long as the budget lasts."""
    found, begun = [], time.perf_counter()
    for question in questions:
        if len(found) >= 3 and time.perf_counter() - begun > budget:
            break
        found.append(timed(lambda question=question: ask(question), repeats))
    return found


class Igraph:
    """Its C library, from Python."""

    def __init__(self, nodes, edges, _):
        import igraph

        self.version = igraph.__version__
        self.directed = igraph.Graph(nodes, edges, directed=True)
        self.undirected = self.directed.as_undirected(mode="each")

    def near(self, start, depth):
        """How many other nodes are near."""
        return self.undirected.neighborhood_size(start, order=depth) - 1

    def listed(self, start, depth):
        """How many they are, of a list of them."""
        return len(self.undirected.neighborhood(start, order=depth)) - 1

    def path(self, source, target):
        """How many edges a shortest path has."""
        nodes = self.undirected.get_shortest_path(source, target)
        return len(nodes) - 1 if nodes else None

    def pagerank(self):
        """The rank of each node."""
        return self.directed.pagerank(damping=0.85)

    def leiden(self, seed):
        """Communities by modularity, in two rounds, as Fibula does it."""
        random.seed(seed)
        return self.undirected.community_leiden("modularity", n_iterations=2)

    def modularity(self, communities):
        """How much more edges are within them than by chance."""
        return self.undirected.modularity(communities)


class Networkx:
    """Python; its PageRank is scipy's product of matrices."""

    def __init__(self, nodes, edges, _):
        import networkx

        self.library = networkx
        self.version = networkx.__version__
        self.directed = networkx.DiGraph()
        self.directed.add_nodes_from(range(nodes))
        self.directed.add_edges_from(edges)
        self.undirected = networkx.Graph(self.directed)

    def listed(self, start, depth):
        """How many other nodes are near, of a dictionary of them."""
        return len(self.library.single_source_shortest_path_length(self.undirected, start, cutoff=depth)) - 1

    def path(self, source, target):
        """How many edges a shortest path has."""
        try:
            return len(self.library.bidirectional_shortest_path(self.undirected, source, target)) - 1
        except self.library.NetworkXNoPath:
            return None

    def pagerank(self):
        """The rank of each node."""
        ranks = self.library.pagerank(self.directed, alpha=0.85, max_iter=1000, tol=RANK_ERROR / len(self.directed))
        return [ranks[node] for node in range(len(self.directed))]


class Sqlite:
    """A recursive common table expression over a clustered table of both directions of each edge, in memory."""

    QUERY = """
        WITH RECURSIVE near(node, depth) AS (
            SELECT ?, 0 UNION
            SELECT step.target, depth + 1 FROM near JOIN step ON step.source = near.node WHERE depth < ?)
        SELECT COUNT(DISTINCT node) - 1 FROM near"""

    def __init__(self, _, edges, __):
        self.version = sqlite3.sqlite_version
        self.base = sqlite3.connect(":memory:")
        self.base.execute("CREATE TABLE step(source INT, target INT, PRIMARY KEY(source, target)) WITHOUT ROWID")
        both = sorted({*map(tuple, edges), *((target, source) for source, target in edges)})
        self.base.executemany("INSERT INTO step VALUES (?, ?)", both)
        self.base.execute("ANALYZE")

    def near(self, start, depth):
        """How many other nodes are near."""
        return self.base.execute(self.QUERY, (start, depth)).fetchone()[0]


class Kuzu:
    """Cypher's patterns of variable length, on as many threads as it takes."""

    def __init__(self, nodes, edges, folder):
        import kuzu

        self.version = kuzu.__version__
        self.base = kuzu.Connection(kuzu.Database(os.path.join(folder, "kuzu"), buffer_pool_size=2 << 30))
        self.base.execute("CREATE NODE TABLE Thing(id INT64, PRIMARY KEY(id))")
        self.base.execute("CREATE REL TABLE Step(FROM Thing TO Thing)")
        for table, rows in (("Thing", ([node] for node in range(nodes))), ("Step", edges)):
            file = os.path.join(folder, f"{table}.csv")
            with open(file, "w", encoding="utf-8") as out:
                out.writelines(",".join(map(str, row)) + "\n" for row in rows)
            self.base.execute(f'COPY {table} FROM "{file}"')
        self.ways = {depth: self.base.prepare(
            f"MATCH (a:Thing)-[:Step* SHORTEST 1..{depth}]-(b:Thing) WHERE a.id = $start AND b.id <> $start "
            "RETURN COUNT(*)") for depth in (2, 3)}
        self.between = self.base.prepare(
            "MATCH (a:Thing)-[way:Step* SHORTEST 1..30]-(b:Thing) WHERE a.id = $source AND b.id = $target "
            "RETURN LENGTH(way)")

    def near(self, start, depth):
        """How many other nodes are near."""
        return self.base.execute(self.ways[depth], {"start": start}).get_next()[0]

    def path(self, source, target):
        """How many edges a shortest path has."""
        found = self.base.execute(self.between, {"source": source, "target": target})
        return found.get_next()[0] if found.has_next() else None


def read(path):
    """The number of nodes, and the edges as pairs of numbers."""
    with open(path, encoding="utf-8") as file:
        graph = json.load(file)
    number = {node["id"]: place for place, node in enumerate(graph["nodes"])}
    return len(number), [(number[edge["source"]], number[edge["target"]]) for edge in graph["edges"]]


def main():
    """Answers the request."""
    asked = json.load(sys.stdin)
    make = {"igraph": Igraph, "networkx": Networkx, "SQLite": Sqlite, "Kuzu": Kuzu}[asked["library"]]
    library = make(*read(asked["graph"]), asked["folder"])
    repeats, budget = asked["repeats"], asked["budget"]
    answers = {"version": library.version}
    for name, depth in (("two_hops", 2), ("three_hops", 3)):
        for ask, suffix in (("near", ""), ("listed", "_listed")):
            if hasattr(library, ask):
                ask = getattr(library, ask)
                near = asked_each(asked["starts"], lambda start: ask(start, depth), repeats, budget)
                answers[name + suffix] = near
    if hasattr(library, "path"):
        answers["path"] = asked_each(asked["pairs"], lambda pair: library.path(*pair), repeats, budget)
    if hasattr(library, "pagerank"):
        answers["pagerank"] = [timed(library.pagerank, repeats)]
    if hasattr(library, "leiden"):
        answers["leiden"] = []
        for seed in asked["seeds"]:
            seconds, communities = timed(lambda: library.leiden(seed), 1)
            answers["leiden"].append([seconds, library.modularity(communities)])
    json.dump(answers, sys.stdout)


main()
