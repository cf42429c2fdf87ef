"""Projects: the store, edits, history, events, knowledge."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest

import fibula as fb
from fibula.errors import ArgumentError, ConflictError, NotFoundError


@pytest.fixture
def project(tmp_path: Path) -> fb.Project:
    return fb.open(tmp_path / "parts.db", "bracket")


def run(code: str, *arguments: object) -> str:
    """Runs Python in another process."""
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout


def test_functions_go_into_projects_and_out(project: fb.Project) -> None:
    part = fb.sphere(10) - fb.cylinder(3, 30)
    number = project.add(part, "Bead")
    assert project.functions[number] == "Bead"
    points = np.random.default_rng(1).normal(size=(50, 3)) * 10
    assert np.array_equal(project["Bead"](points), part(points))
    assert np.array_equal(project.function(number)(points), part(points))
    assert project.part(function="Bead").measure("volume")["success"]
    # A second one of the same ids gets others.
    assert project.add(part, "Bead 2") != number
    with pytest.raises(NotFoundError, match="give the id"):
        project.function("nothing")
    with pytest.raises(NotFoundError, match="functions"):
        project.function()


def test_nodes_and_links_by_methods(project: fb.Project) -> None:
    made = project.create_function_from_expression(name="Ball", expression="length(pos) - 5")
    function = made["function_id"]
    node = project.create_node(function_id=function, node_type="Abs")["node_id"]
    nodes = {one["node_type"]: one["node_id"] for one in project.get_function(function_id=function)["nodes"]}
    length, radius = nodes["Subtraction"], nodes["ConstantScalar"]
    project.create_link(
        function_id=function,
        source_node_id=length,
        source_port_name="result",
        target_node_id=node,
        target_parameter_name="A",
    )
    with pytest.raises(ArgumentError, match="cycle"):
        project.create_link(
            function_id=function,
            source_node_id=node,
            source_port_name="result",
            target_node_id=length,
            target_parameter_name="A",
            replace=True,
        )
    before = project.revision
    project.set_parameter_value(function_id="Ball", node_id=radius, parameter_name="value", value=7)
    assert project["Ball"]((8.0, 0.0, 0.0)) == 1.0
    assert project.function(function, revision=before)((8.0, 0.0, 0.0)) == 3.0
    project.undo()
    assert project["Ball"]((8.0, 0.0, 0.0)) == 3.0
    entries = project.get_history()["entries"]
    assert entries[0]["client"] == "python"


def test_transactions_are_all_or_nothing(project: fb.Project) -> None:
    revision = project.revision
    with pytest.raises(ArgumentError):
        project.transaction(
            {"create_function_from_expression": {"name": "A", "expression": "length(pos)"}},
            {"create_function_from_expression": {"name": "B", "expression": "oops("}},
        )
    assert project.revision == revision
    assert project.functions == {}
    with pytest.raises(ConflictError):
        project.create_function_from_expression(name="A", expression="x", expected_revision=99)


def test_requests_that_do_not_fit_say_what_fits(project: fb.Project) -> None:
    with pytest.raises(ArgumentError, match="function_id"):
        project.call("create_node", node_type="Sine")
    with pytest.raises(NotFoundError, match="did you mean create_node"):
        project.call("create_nod")
    with pytest.raises(TypeError):
        project.create_node(kind="Sine")  # type: ignore[call-arg]


def test_processes_share_a_store(project: fb.Project, tmp_path: Path) -> None:
    events = project.events(timeout=20)
    code = """
import sys
import fibula as fb

fb.open(sys.argv[1], "bracket", author="agent").add(fb.sphere(4), "Ball")
"""
    run(code, tmp_path / "parts.db")
    event = next(events)
    assert event["origin"]["client"] == "agent"
    assert project["Ball"]((5.0, 0.0, 0.0)) == 1.0
    # The program is in the same package.
    command = [sys.executable, "-m", "fibula", "measure", "bracket", "--function", "Ball"]
    printed = subprocess.run(
        [*command, "--data", str(tmp_path / "parts.db")], capture_output=True, text=True, check=True
    )
    assert "volume" in printed.stdout
    assert list(project.events(timeout=0.05)) == []


def test_opening_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(fb.Error):
        fb.open(tmp_path / "none.db", read_only=True)
    fb.open(tmp_path / "parts.db")
    with pytest.raises(NotFoundError, match="nothing"):
        fb.open(tmp_path / "parts.db", "nothing", create=False)
    read_only = fb.open(tmp_path / "parts.db", read_only=True)
    with pytest.raises(ConflictError):
        read_only.add(fb.sphere(1))
    (tmp_path / "text.db").write_text("no store at all, but a text that is long enough")
    with pytest.raises(fb.Error):
        fb.open(tmp_path / "text.db")


def test_knowledge(project: fb.Project) -> None:
    knowledge = project.knowledge
    knowledge.add(
        [{"label": "wall >= 2 mm", "types": "requirement", "observations": ["walls break below"]}, "bracket"],
        [("wall >= 2 mm", "constrains", "bracket")],
    )
    assert knowledge.search("braket")[0]["label"] == "bracket"
    assert len(knowledge.paths("wall >= 2 mm", "bracket")) == 1
    assert [one["label"] for one in knowledge.neighbors("bracket")] == ["wall >= 2 mm"]
    assert knowledge.analyze("pagerank")["success"]
    assert knowledge.nodes_frame().loc[knowledge.search("bracket")[0]["id"], "label"] == "bracket"
    assert list(knowledge.edges_frame()["type"]) == ["constrains"]
    assert "<svg" in knowledge.draw()._repr_svg_()


def test_graphs_of_networkx_come_back(project: fb.Project) -> None:
    graph = networkx.DiGraph()
    graph.add_node("a", label="First", types=["gene"], score=3)
    graph.add_node("b")
    graph.add_edge("a", "b", type="activates", weight=0.5, source_of="paper")
    project.knowledge.from_networkx(graph)
    again = project.knowledge.to_networkx()
    assert set(again.nodes) == {"a", "b"}
    assert again.nodes["a"]["label"] == "First"
    assert again.nodes["a"]["data"] == {"score": 3}
    ((_, _, edge),) = again.edges(data=True)
    assert again.nodes["b"]["types"] == ["node"]
    assert (edge["type"], edge["weight"], edge["data"]) == ("activates", 0.5, {"source_of": "paper"})
    other = fb.open_in_memory()
    other.knowledge.from_networkx(again)
    assert json.dumps(sorted(other.knowledge.to_networkx().nodes)) == '["a", "b"]'
    assert other.knowledge.to_networkx().nodes["a"]["types"] == ["gene"]
    large = networkx.gnm_random_graph(500, 900, seed=1)
    other.knowledge.from_networkx(large)
    assert other.knowledge.to_networkx().number_of_edges() == 901
    assert len(other.knowledge.nodes(type="gene")) == 1


def test_values_are_those_of_the_program(tmp_path: Path) -> None:
    text = "max(gyroid(pos, 8, 1), box(pos, vec3(20, 20, 20))) + sin(x) * exp(y / 9)"
    part = fb.expression(text)
    rng = np.random.default_rng(6)
    points = rng.uniform(-12, 12, (64, 3))
    at = [argument for x, y, z in points.tolist() for argument in ("--at", f"{x!r},{y!r},{z!r}")]
    command = [sys.executable, "-m", "fibula", "expr", text, *at, "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    program = [one["shape"] for one in answer["values"]]
    assert np.array_equal(part(points), program)
    assert [part(tuple(point)) for point in points.tolist()] == program


def test_names_are_those_of_the_revision(project: fb.Project) -> None:
    one = project.add(fb.expression("length(pos) - 1"), "A")
    two = project.add(fb.expression("length(pos) - 2"), "B")
    revision = project.revision
    project.rename_function(function_id=one, name="C")
    project.rename_function(function_id=two, name="A")
    assert project.function("A", revision=revision)((0.0, 0.0, 0.0)) == -1.0
    assert project.function("A")((0.0, 0.0, 0.0)) == -2.0
    assert project.part(function="A", revision=revision).mesh(cell=0.1).volume == pytest.approx(4.18, rel=0.05)
    assert "C" in project
    assert one in project
    assert "B" not in project
    assert list(project) == [one, two]
    for wrong in (-1, True, 1.5):
        with pytest.raises(ArgumentError, match="whole number"):
            project.function(wrong)  # type: ignore[arg-type]
    assert project[np.int64(one)] == project["C"]  # type: ignore[index]


def test_projects_go_on_after_they_are_renamed(project: fb.Project, tmp_path: Path) -> None:
    import pickle

    project.add(fb.sphere(1), "Ball")
    project.rename_project(name="other")
    assert project.name == "other"
    assert pickle.loads(pickle.dumps(project))["Ball"] == project["Ball"]
    with pytest.raises(TypeError, match="pickle its functions"):
        pickle.dumps(fb.open_in_memory())
    assert fb.open(":memory:", "x").name == "x"
    assert not Path(":memory:").exists()
    with pytest.raises(NotFoundError, match="no store"):
        fb.open(tmp_path / "missing.db", create=False)
    assert not (tmp_path / "missing.db").exists()


def test_attributes_of_networkx_are_kept_or_refused(project: fb.Project) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("a", version="1.2", order=3, observations="seen", label=5)
    graph.add_edge("a", "b", weight=np.float32(0.5), creator="somebody")
    graph.add_edge("a", "b", type="other")
    project.knowledge.from_networkx(graph)
    again = project.knowledge.to_networkx()
    assert again.nodes["a"]["data"] == {"version": "1.2", "order": 3}
    assert again.nodes["a"]["label"] == "5"
    assert sorted(edge["type"] for _, _, edge in again.edges(data=True)) == ["other", "related_to"]
    assert project.knowledge.nodes()[0]["creator"] == "python"
    for wrong in ({1: {}, "1": {}}, {"a": {"x": {1, 2}}}, {"a": {"x": float("nan")}}):
        refused = networkx.Graph()
        refused.add_nodes_from(wrong.items())
        with pytest.raises(ArgumentError):
            fb.open_in_memory().knowledge.from_networkx(refused)
