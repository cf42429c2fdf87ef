"""Data for knowledge.py, generated with seeds: the memory of a memory server, and graphs."""

import bisect
import itertools
import json
import pathlib
import random
from dataclasses import dataclass, field


@dataclass
class Memory:
    """What memory.jsonl holds."""

    file: pathlib.Path
    names: list[str]
    queries: list[str]
    """Words, and names without their numbers, that a few entities have."""
    common: str
    """A word that many have."""
    long_names: list[str] = field(default_factory=list)
    """Entities with long names that are all related to each other."""


def write_memory(file, count, seed=1):
    """Entities with two observations each, one that thousands are related to, and some that are large."""
    dice = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    words = ["".join(part) for part in dice.sample(list(itertools.product(syllables, repeat=3)), 20_000)]
    each = 18
    often = itertools.accumulate(1 / rank for rank in range(1, len(words) + 1))
    drawn = iter(dice.choices(words, cum_weights=list(often), k=count * each))
    memory = Memory(file, [], [], words[20])
    lines = []

    def entity(name, observations):
        memory.names.append(name)
        kind = f"kind {dice.randrange(12)}"
        lines.append({"type": "entity", "name": name, "entityType": kind, "observations": observations})

    def relation(source, target):
        lines.append({"type": "relation", "from": source, "to": target, "relationType": f"way {dice.randrange(6)}"})

    for number in range(count):
        own = list(itertools.islice(drawn, each))
        entity(f"{own[0]} {own[1]} {number}", [" ".join(own[2:10]), " ".join(own[10:])])
    hub = memory.names[0]
    for number in range(1, count):
        relation(memory.names[number], hub if number % 50 == 0 else memory.names[dice.randrange(number)])
    # By Zipf's law the word of a rank is there so often.
    ranks = (int(0.095 * each * count / wanted) for wanted in (120, 80, 60, 40, 20, 10))
    memory.queries = [words[min(rank, len(words) - 1)] for rank in ranks]
    memory.queries += [name.rpartition(" ")[0] for name in dice.sample(memory.names[1:], 3)]
    entity("long notes", [" ".join(dice.choices(words, k=600)) for _ in range(60)])
    for number in range(24):
        memory.long_names.append(" ".join(dice.choices(words, k=50)) + f" {number}")
        entity(memory.long_names[-1], ["a long name"])
    for source, target in itertools.combinations(memory.long_names, 2):
        relation(source, target)
    with open(file, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return memory


def community_graph(nodes, edges, seed=2):
    """Edges without repetitions, in either direction, of a connected graph: four of five within communities, each end
    with a probability by a power law."""
    dice = random.Random(seed)
    weights = list(itertools.accumulate((10 + rank) ** (-2 / 3) for rank in range(nodes)))
    groups = max(2, nodes // 200)
    sizes = [1 / (10 + rank) for rank in range(groups)]
    of = dice.choices(range(groups), weights=sizes, k=nodes)
    members, inner = [[] for _ in range(groups)], [[] for _ in range(groups)]
    made = set()

    def drawn(sums, count):
        return bisect.bisect_left(sums, dice.random() * sums[count - 1], 0, count - 1)

    def near(node, count):
        own = of[node]
        return members[own][drawn(inner[own], count)]

    def add(one, other):
        ends = min(one, other), max(one, other)
        if one != other:
            made.add(ends)

    for node in range(nodes):
        own = of[node]
        if members[own]:
            add(node, near(node, len(members[own])))
        elif node > 0:
            add(node, drawn(weights, node))
        members[own].append(node)
        inner[own].append((inner[own][-1] if inner[own] else 0) + (10 + node) ** (-2 / 3))
    while len(made) < edges:
        node = drawn(weights, nodes)
        add(node, near(node, len(members[of[node]])) if dice.random() < 0.8 else drawn(weights, nodes))
    return [ends if dice.random() < 0.5 else ends[::-1] for ends in sorted(made)]


def write_graph(file, nodes, edges):
    """Writes a knowledge graph as Fibula writes it out."""
    made = '"creator":"bench","created":0,"modified":0'
    with open(file, "w", encoding="utf-8") as out:
        out.write('{"nodes":[')
        out.write(",\n".join(
            f'{{"id":"n{node}","label":"n{node}","types":["thing"],{made},"version":1,"order":{node}}}'
            for node in range(nodes)))
        out.write('],"edges":[')
        out.write(",\n".join(
            f'{{"id":"e{order}","source":"n{source}","target":"n{target}","type":"to",{made},"order":{order}}}'
            for order, (source, target) in enumerate(edges)))
        out.write("]}")
