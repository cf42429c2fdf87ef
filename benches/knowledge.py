#!/usr/bin/env python3
"""Measures the knowledge graph beside its peers, on the same data in one run, and prints a table in Markdown.

    cargo build --release --locked --bin fibula --example knowledge_bench
    python3 benches/knowledge.py [--quick] [--fibula PATH] [--example PATH] [--memory-graph PATH] [--cache FOLDER]

Python 3.10 or later, on Linux or macOS. What is compared is installed into the cache folder, target/knowledge if it is
not given: the official memory server by npm; igraph, networkx and Kuzu into a virtual environment; SQLite comes with
Python. memory-graph is not in a registry, so its program has to be given. A peer that is not there is named in its
rows, with the reason. --quick tries with a twentieth of the data whether everything works; its figures mean nothing.

What is measured:

- Acknowledged creates kept: 100 creates are written to 1, 2 and 4 servers on one store before any answer is read; when
  all are answered the servers are killed, and another one is asked which of the acknowledged are there.
- Search and create over stdio, on a memory.jsonl that every server gets: the time from the first byte of the request to
  the last of the answer. `memory` is the toolset that answers as the official server does, which is compared, and
  `knowledge` the ranked search. Queries have few results, and every server gets the same. Fibula's creates outlast a
  power cut; the others' are in a file that was not synced.
- The largest default reply: the bytes of whole answers, of each reading tool with default arguments. Some nodes have
  many edges, some long texts, some long names.
- Questions to a directed graph with communities and degrees by a power law, library beside library: times are taken in
  the process that has the graph in memory, by examples/knowledge_bench.rs and knowledge_peers.py. Each takes as many
  threads as it does; igraph's are kept from spinning, or whatever else the machine does would cost it a multiple.
  Neighbourhoods are counted, and listed where a library can do that; PageRank has a damping of 0.85.
- All analyses of a chain of a million nodes, in a thread with 2 MiB of stack.

All data are generated with seeds. Each figure is the median over queries, calls, starts, pairs or seeds, each of which
is the median of several runs, or one run where a peer takes long, after one that does not count. Where a peer is too
slow for all starts or pairs, the first ones are compared.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from knowledge_data import community_graph, write_graph, write_memory

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "benches" / "knowledge_peers.py"
OFFICIAL = "@modelcontextprotocol/server-memory@2026.8.31"
PACKAGES = {"igraph": ["igraph==1.0.0"], "networkx": ["networkx>=3.4,<4", "scipy"], "Kuzu": ["kuzu==0.11.3"]}
LARGEST_REPLY = 64 << 10
PATIENCE = 120
"""Seconds that an answer may take."""

ANALYSES = (
    "structure", "degree", "closeness", "harmonic", "betweenness", "pagerank", "eigenvector", "communities",
    "components", "strong_components", "cores", "bridges", "order",
)
QUESTIONS = {"two_hops": "2 hops, counted", "two_hops_listed": "2 hops, listed", "three_hops": "3 hops, counted",
             "three_hops_listed": "3 hops, listed", "path": "shortest path", "pagerank": "PageRank", "leiden": "Leiden"}
COUNTED, LISTED = {"igraph": 8, "SQLite": 50, "Kuzu": 500}, {"igraph": 8, "networkx": 20}
GOALS = {"two_hops": COUNTED, "two_hops_listed": LISTED, "three_hops": COUNTED, "three_hops_listed": LISTED,
         "path": {"igraph": 100, "networkx": 20}, "pagerank": {"igraph": 3, "networkx": 10}, "leiden": {"igraph": 1}}
"""How many times faster than a peer a question is to be answered."""


@dataclass
class Size:
    """How much is measured."""

    entities: int
    nodes: int
    edges: int
    chain: int
    slow_calls: int
    """To servers that read and write the whole file for each."""
    calls: int
    questions: int
    repeats: int
    seeds: int
    budget: float
    """Seconds for one question to one library."""


FULL = Size(entities=100_000, nodes=100_000, edges=500_000, chain=1_000_000, slow_calls=9, calls=180, questions=100,
            repeats=5, seeds=3, budget=8)
QUICK = Size(entities=5_000, nodes=5_000, edges=25_000, chain=50_000, slow_calls=9, calls=36, questions=5,
             repeats=2, seeds=1, budget=2)


@dataclass
class Row:
    """A line of the table: Fibula's figure beside that of one peer."""

    what: str
    ours: str
    peer: str = "-"
    theirs: str = "-"
    ratio: str = "-"
    goal: str = "-"
    met: bool | None = None

    def __str__(self):
        met = {True: "yes", False: "**no**", None: "-"}[self.met]
        return f"| {self.what} | {self.ours} | {self.peer} | {self.theirs} | {self.ratio} | {self.goal} | {met} |"


class NotThere(Exception):
    """A peer cannot be measured, and why."""


class Refused(Exception):
    """A server answered with an error."""


def progress(text):
    """Tells on standard error what is being done."""
    print(f"[{time.monotonic() - BEGUN:5.0f} s] {text}", file=sys.stderr, flush=True)


# Servers


@dataclass
class Server:
    """How a server is started, and where it keeps its data."""

    name: str
    command: list[str]
    place: str
    """The variable of the environment that names it."""
    file: str
    """What it is in a folder."""

    def start(self, folder, toolset=None):
        """A client of a new process on the store of a folder."""
        command = self.command if toolset is None else [*self.command, "--toolsets", toolset]
        return Client(command, {self.place: str(folder / self.file)})


class Client:
    """A process that is spoken to over standard input and output, in lines of JSON."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env={**os.environ, **environment})
        self.rest = b""
        self.sent = 0
        client = {"name": "knowledge.py", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.write({"method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def write(self, message):
        """Sends a message."""
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def send(self, method, params):
        """Sends a request; its number."""
        self.sent += 1
        self.write({"id": self.sent, "method": method, "params": params})
        return self.sent

    def line(self):
        """The next line."""
        parts = [self.rest]
        while b"\n" not in parts[-1]:
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                raise Refused("no answer in time")
            parts.append(os.read(self.process.stdout.fileno(), 1 << 20))
            if not parts[-1]:
                raise Refused("the server ended")
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line

    def ask(self, method, params):
        """An answer, the seconds that it took and its bytes."""
        begun = time.perf_counter()
        number = self.send(method, params)
        while True:
            line = self.line()
            seconds = time.perf_counter() - begun
            message = json.loads(line)
            if message.get("id") == number:
                return message, seconds, len(line)

    def call(self, tool, arguments):
        """What a tool answers, the seconds that it took and the bytes of the whole answer."""
        message, seconds, size = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return told(message), seconds, size


def told(message):
    """What an answer says."""
    result = message.get("result", {"isError": True, "content": [{"text": message.get("error", {}).get("message")}]})
    if result.get("isError"):
        raise Refused(result["content"][0]["text"])
    return result.get("structuredContent") or json.loads(result["content"][0]["text"])


def fibula_server(program):
    """Fibula's own; its toolset is chosen when it is started."""
    return Server("Fibula", [str(program), "mcp"], "FIBULA_DATA", "")


# What is installed


def done_once(folder, what, work):
    """Does what takes long unless it was done before; what it was is written down at its end."""
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != what:
        folder.mkdir(parents=True, exist_ok=True)
        work()
        stamp.write_text(what)


def install(*command):
    """Runs a program that installs something."""
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise NotThere(f"there is no {command[0]}") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.splitlines()
        first = next((line for line in said if line.lower().startswith(("error", "npm error"))), "no reason given")
        raise NotThere(first.replace("|", "/")) from error


def official_server(cache):
    """The official memory server."""
    folder = cache / "npm"
    node = shutil.which("node")
    if node is None:
        raise NotThere("there is no node")
    done_once(folder, OFFICIAL, lambda: install(
        "npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
        OFFICIAL))
    script = folder / "node_modules" / OFFICIAL.rpartition("@")[0] / "dist" / "index.js"
    return Server("official", [node, str(script)], "MEMORY_FILE_PATH", "memory.jsonl")


def memory_graph_server(program):
    """The server memory-graph."""
    if program is None:
        raise NotThere("its program is not given (--memory-graph)")
    return Server("memory-graph", [str(program)], "MEMORY_FILE_PATH", "memory.jsonl")


def python_with(cache, library):
    """An interpreter that has a library."""
    if library not in PACKAGES:
        return sys.executable
    folder = cache / "python" / library
    python = folder / "bin" / "python"

    def make():
        install(sys.executable, "-m", "venv", "--clear", str(folder))
        install(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES[library])

    done_once(folder, " ".join(PACKAGES[library]), make)
    return str(python)


# Figures


def duration(seconds):
    """With three digits."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            break
    return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"


def times(ratio):
    """How many times faster."""
    return f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.1f} x"


def faster(what, ours, peer, theirs, goal):
    """A row that compares the medians of seconds."""
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    ratio = theirs / ours
    return Row(what, duration(ours), peer, duration(theirs), times(ratio), f">= {goal} x" if goal else "-",
               ratio >= goal if goal else None)


def unmeasured(what, ours, peer, error, goal):
    """A row without a peer's figure."""
    return Row(what, duration(statistics.median(ours)), peer, f"not measured: {error}", goal=f">= {goal} x")


# The rows


def kept(server, processes, folder):
    """How many of 100 creates are acknowledged, and how many of these are there after the servers were killed."""
    toolset = "memory" if server.name == "Fibula" else None
    folder.mkdir()
    acknowledged = []
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.start(folder, toolset)) for _ in range(processes)]
        wanted = [{} for _ in clients]
        for number in range(100):
            place = number % processes
            made = {"name": f"entity {number}", "entityType": "made", "observations": [f"the {number}th"]}
            request = {"name": "create_entities", "arguments": {"entities": [made]}}
            wanted[place][clients[place].send("tools/call", request)] = made["name"]
        for client, names in zip(clients, wanted):
            while names:
                message = json.loads(client.line())
                name = names.pop(message.get("id"), None)
                with contextlib.suppress(Refused):
                    if name is not None and told(message):
                        acknowledged.append(name)
    with server.start(folder, toolset) as client, contextlib.suppress(Refused):
        found, _, _ = client.call("open_nodes", {"names": acknowledged})
        return len(acknowledged), len({entity["name"] for entity in found["entities"]})
    return len(acknowledged), 0


def kept_rows(servers, folder):
    """The creates that are kept through several processes."""
    for processes in (1, 2, 4):
        what = f"acknowledged creates kept, {processes} process{'es' if processes > 1 else ''}"
        figures = {}
        for name, server in servers.items():
            progress(f"{what}: {name}")
            try:
                if isinstance(server, NotThere):
                    raise server
                acknowledged, there = kept(server, processes, folder / f"kept-{name}-{processes}")
                figures[name] = f"{there} of {acknowledged}"
            except (NotThere, Refused) as error:
                figures[name] = f"not measured: {error}"
        ours = figures.pop("Fibula")
        for name, figure in figures.items():
            yield Row(what, ours, name, figure, goal="100 of 100", met=ours == "100 of 100")


def searched(client, tool, queries, calls):
    """The seconds of each query, and its last answer."""
    client.call(tool, {"query": queries[0]})
    asked = [[client.call(tool, {"query": query}) for query in queries] for _ in range(max(1, calls // len(queries)))]
    seconds = [statistics.median(run[place][1] for run in asked) for place in range(len(queries))]
    return seconds, [answer for answer, _, _ in asked[-1]]


def created(client, tool, make, calls):
    """The seconds of creates of one entity each."""
    client.call(tool, make("made before"))
    return [client.call(tool, make(f"made {number}"))[1] for number in range(calls)]


def entities(name):
    """The arguments of the memory servers' create."""
    return {"entities": [{"name": name, "entityType": "made", "observations": ["a note", "another note"]}]}


def nodes(name):
    """The same for `add_nodes`."""
    return {"nodes": [{"label": name, "types": "made", "observations": ["a note", "another note"]}]}


def in_order(graph):
    """What memory servers answer, whatever the order."""
    def lines(items):
        return sorted(json.dumps(item, sort_keys=True) for item in items)

    return lines(graph["entities"]), lines(graph["relations"])


def server_rows(servers, memory, folder, size):
    """Search and creates on the memory of all entities; it is left in the store of Fibula, a folder."""
    ours, store = servers["Fibula"], folder / "store"
    store.mkdir()
    progress("import into Fibula")
    subprocess.run([ours.command[0], "graph", "import", "default", str(memory.file)], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, ours.place: str(store)})
    search, create = {}, {}
    progress("search and create: Fibula")
    with ours.start(store, "memory") as client:
        search["memory"], answers = searched(client, "search_nodes", memory.queries, size.calls)
        create["memory"] = created(client, "create_entities", entities, size.calls)
    with ours.start(store, "knowledge") as client:
        search["knowledge"], _ = searched(client, "search_nodes", memory.queries, size.calls)
        create["knowledge"] = created(client, "add_nodes", nodes, size.calls)
    for name, goals in {"official": (200, 50), "memory-graph": (20, 10)}.items():
        try:
            if isinstance(servers[name], NotThere):
                raise servers[name]
            progress(f"search and create: {name}")
            own = folder / name
            own.mkdir()
            shutil.copy(memory.file, own / servers[name].file)
            with servers[name].start(own) as client:
                theirs, same = searched(client, "search_nodes", memory.queries, size.slow_calls)
                theirs = theirs, created(client, "create_entities", entities, size.slow_calls)
        except (NotThere, Refused) as error:
            theirs = error
        for place, (what, times_of) in enumerate((("search", search), ("create", create))):
            for toolset, seconds in times_of.items():
                label = f"MCP {what} p50 (toolset {toolset})"
                if isinstance(theirs, Exception):
                    yield unmeasured(label, seconds, name, theirs, goals[place])
                else:
                    yield faster(label, seconds, name, theirs[place], goals[place])
        if name == "official" and not isinstance(theirs, Exception):
            alike = sum(in_order(one) == in_order(other) for one, other in zip(answers, same))
            yield Row("searches answered alike", f"{alike} of {len(same)}", name, goal="all", met=alike == len(same))


def replies(server, store, memory):
    """The bytes of the answers of all tools that read, and which tools cut lists without telling how to go on."""
    hub, last, long = memory.names[0], memory.names[-30], memory.long_names
    asked = [
        ("search_nodes, no query", {}),
        ("search_nodes, a common word", {"query": memory.common}),
        ("search_nodes, long names", {"query": "a long name"}),
        ("get_nodes, hub", {"nodes": [hub]}),
        ("get_nodes, long notes", {"nodes": ["long notes"]}),
        ("get_nodes, long name", {"nodes": long[:1]}),
        ("get_nodes, 1000", {"nodes": memory.names[:1000]}),
        ("get_neighbors, hub", {"node": hub}),
        ("get_neighbors, hub, depth 3", {"node": hub, "depth": 3}),
        ("get_neighbors, long names", {"node": long[0]}),
        ("find_path", {"source": memory.names[7], "target": last}),
        ("find_path, long names", {"source": long[0], "target": long[-1]}),
        ("traverse, hub", {"start": hub, "path": [{"direction": "both"}]}),
        ("traverse, hub, up to 3", {"start": hub, "path": [{"direction": "both", "max": 3}]}),
        ("traverse, long names", {"start": long[0], "path": [{"direction": "both", "max": 3}]}),
        *((f"summarize, {form}", {"format": form}) for form in ("brief", "detailed", "stats", "contributors")),
        *((f"analyze, {what}", {"what": what}) for what in ANALYSES),
    ]
    lists = ("neighbors", "paths", "ranking", "groups", "bridges", "nodes", "cycle")
    sizes, unpaged = {}, set()
    with server.start(store, "knowledge") as client:
        for what, arguments in asked:
            progress(f"reply: {what}")
            tool = what.partition(",")[0]
            answer, _, sizes[what] = client.call(tool, arguments)
            shown = [len(answer[name]) for name in lists if name in answer]
            is_part = "next_cursor" in answer or answer.get("truncated")
            is_part = is_part or (tool != "summarize" and shown and answer.get("total", 0) > shown[0])
            if is_part and not ("next_cursor" in answer and "total" in answer):
                unpaged.add(tool)
    return sizes, sorted(unpaged)


def reply_rows(sizes, unpaged):
    """Whether replies are small enough, and can be read on."""
    largest = max(sizes, key=sizes.get)
    yield Row("largest default reply", f"{sizes[largest] / 1024:.1f} KB ({largest})", goal="<= 64 KB",
              met=sizes[largest] <= LARGEST_REPLY)
    yield Row("lists told in part have total and cursor", f"not of {', '.join(unpaged)}" if unpaged else "all",
              goal="always", met=not unpaged)


def asked_example(example, folder, request):
    """What the example answers."""
    file = folder / "request.json"
    file.write_text(json.dumps(request))
    done = subprocess.run([str(example), str(file)], capture_output=True, text=True, check=False)
    if done.returncode < 0:
        raise Refused(f"ended by {signal.Signals(-done.returncode).name}")
    if done.returncode > 0:
        raise Refused((done.stderr.strip().splitlines() or ["no reason given"])[-1])
    return json.loads(done.stdout)


def library_rows(example, cache, folder, size):
    """Questions to a graph, library beside library."""
    progress("make a graph")
    file = folder / "graph.json"
    edges = community_graph(size.nodes, size.edges)
    write_graph(file, size.nodes, edges)
    dice = random.Random(3)
    starts = dice.sample(range(size.nodes), size.questions)
    asked = {"graph": str(file), "starts": starts, "pairs": [dice.sample(range(size.nodes), 2) for _ in starts],
             "repeats": size.repeats, "seeds": list(range(size.seeds)), "budget": size.budget}
    progress("questions: Fibula")
    ours = asked_example(example, folder, asked)
    rows = {question: [] for question in QUESTIONS}
    for library in ("igraph", "networkx", "SQLite", "Kuzu"):
        progress(f"questions: {library}")
        own = folder / library
        own.mkdir()
        try:
            python = python_with(cache, library)
            request = json.dumps({**asked, "library": library, "folder": str(own)})
            done = subprocess.run([python, str(PEERS)], input=request, capture_output=True, text=True, check=False,
                                  env={**os.environ, "OMP_WAIT_POLICY": "passive"})
            if done.returncode:
                raise NotThere((done.stderr.strip().splitlines() or ["it was ended"])[-1].replace("|", "/"))
            theirs = json.loads(done.stdout)
            for question, found in rows.items():
                found.extend(question_rows(question, ours, f"{library} {theirs['version']}", library, theirs))
        except NotThere as error:
            for question, goals in GOALS.items():
                if library in goals:
                    seconds = [seconds for seconds, _ in ours[question]]
                    rows[question].append(unmeasured(QUESTIONS[question], seconds, library, error, goals[library]))
    for found in rows.values():
        yield from found


def question_rows(question, ours, name, library, theirs):
    """The times of a question, and whether the answers agree."""
    if question not in theirs:
        return
    own, other = ours[question][:len(theirs[question])], theirs[question]
    goal, label = GOALS[question].get(library), QUESTIONS[question]
    yield faster(label, [seconds for seconds, _ in own], name, [seconds for seconds, _ in other], goal)
    if question == "pagerank":
        distance = sum(abs(one - two) for one, two in zip(own[0][1], other[0][1], strict=True))
        yield Row(f"{label}: L1 difference", "-", name, f"{distance:.1e}", goal="< 1e-9", met=distance < 1e-9)
    elif question == "leiden":
        one, two = (statistics.median(modularity for _, modularity in found) for found in (own, other))
        yield Row(f"{label}: modularity", f"{one:.4f}", name, f"{two:.4f}", f"{one / two:.4f}", ">= 0.99",
                  one >= 0.99 * two)
    else:
        same = sum(one == two for (_, one), (_, two) in zip(own, other, strict=True))
        yield Row(f"{label}: same answers", f"{same} of {len(other)}", name, goal="all", met=same == len(other))


def chain_row(example, folder, length):
    """All analyses of a long chain on a small stack."""
    progress("analyses of a chain")
    file = folder / "chain.json"
    write_graph(file, length, [(node - 1, node) for node in range(1, length)])
    request = {"graph": str(file), "starts": [], "pairs": [], "repeats": 1, "seeds": []}
    try:
        found = asked_example(example, folder, request)
        figure, met = ("no overflow", True) if found == [length - 1] * 2 else (f"wrong: {found}", False)
    except Refused as error:
        figure, met = str(error), False
    return Row(f"all analyses of a chain of {length} in 2 MiB", figure, goal="no overflow", met=met)


def main():
    """Measures everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="little data, to try it")
    parser.add_argument("--fibula", type=pathlib.Path, default=ROOT / "target/release/fibula", help="the program")
    parser.add_argument("--example", type=pathlib.Path, help="knowledge_bench; left out, examples/ has it")
    parser.add_argument("--memory-graph", type=pathlib.Path, help="the program of the peer memory-graph")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "target/knowledge", help="where peers are")
    given = parser.parse_args()
    program = given.fibula.resolve()
    example = (given.example or program.parent / "examples" / "knowledge_bench").resolve()
    for path in (program, example):
        if not path.exists():
            parser.error(f"there is no {path}; build it first: see the head of this file")
    cache = given.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    size = QUICK if given.quick else FULL
    servers = {"Fibula": fibula_server(program)}
    for name, make in (("official", lambda: official_server(cache)),
                       ("memory-graph", lambda: memory_graph_server(given.memory_graph))):
        try:
            servers[name] = make()
        except NotThere as error:
            servers[name] = error
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        folder = pathlib.Path(folder)
        rows = list(kept_rows(servers, folder))
        progress("make a memory")
        memory = write_memory(folder / "memory.jsonl", size.entities)
        rows += server_rows(servers, memory, folder, size)
        sizes, unpaged = replies(servers["Fibula"], folder / "store", memory)
        rows += reply_rows(sizes, unpaged)
        rows += library_rows(example, cache, folder, size)
        rows.append(chain_row(example, folder, size.chain))
    print("| measured | Fibula | peer | its figure | ratio | goal | met |\n|---|---|---|---|---|---|---|")
    print(*rows, sep="\n")
    print(f"\n{os.cpu_count()} CPUs, {size.entities} entities, {size.nodes} nodes, {size.edges} edges; {OFFICIAL}")
    print("\n| reply | bytes |\n|---|---|")
    print(*(f"| {what} | {count} |" for what, count in sorted(sizes.items(), key=lambda item: -item[1])), sep="\n")


BEGUN = time.monotonic()
if __name__ == "__main__":
    main()
