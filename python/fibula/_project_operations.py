"""The operations of projects as methods, the same as the routes of REST and the tools of MCP."""

# Written by python/generate.py.

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

#: Operations on the store.
WITHOUT_PROJECT = frozenset(["list_projects", "list_node_types"])
#: Endings of the files of parts.
FORMATS = ("3mf", "stl", "obj", "ply", "glb", "svg", "cli", "json")


class ProjectOperations:
    """Methods of :class:`fibula.Project`; each returns the answer of the operation: JSON, or a file with warnings."""

    def _answer(self, operation: str, request: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def list_projects(
        self, *, cursor: str | None = None, deleted: bool | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """Lists the projects by name, or the deleted ones.

        Args:
            cursor: next_cursor of the last page.
            deleted: True lists the deleted ones.
            limit: Maximum number of items per page.
        """
        answer: dict[str, Any] = self._answer(
            "list_projects", {"cursor": cursor, "deleted": deleted, "limit": limit}
        )
        return answer

    def create_project(self) -> dict[str, Any]:
        """Creates an empty project."""
        answer: dict[str, Any] = self._answer("create_project", {})
        return answer

    def get_project(self) -> dict[str, Any]:
        """Returns a summary of a project: its revision, its first functions and its last changes."""
        answer: dict[str, Any] = self._answer("get_project", {})
        return answer

    def get_overview(
        self, *, measures: bool | None = None, revision: int | None = None, time_limit: int | None = None
    ) -> dict[str, Any]:
        """Describes the contents of a project in brief: functions with parameters, objects, the build,
        resources, warnings and next steps.

        Args:
            measures: True measures the box and volume of each object.
            revision: State at this revision.
            time_limit: Seconds for measures, 1 to 3600; default 45.
        """
        answer: dict[str, Any] = self._answer(
            "get_overview", {"measures": measures, "revision": revision, "time_limit": time_limit}
        )
        return answer

    def get_structure(
        self, *, cursor: str | None = None, limit: int | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Lists the other contents of a project: objects, images, volume data, the build, metadata.

        Args:
            cursor: next_cursor of the last page.
            limit: Maximum number of resources per page.
            revision: State at this revision; default: now.
        """
        answer: dict[str, Any] = self._answer(
            "get_structure", {"cursor": cursor, "limit": limit, "revision": revision}
        )
        return answer

    def rename_project(self, *, name: str) -> dict[str, Any]:
        """Renames a project.

        Args:
            name: Its new name.
        """
        answer: dict[str, Any] = self._answer("rename_project", {"name": name})
        return answer

    def delete_project(self, *, expected_revision: int | None = None) -> dict[str, Any]:
        """Deletes a project; undelete restores it.

        Args:
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer("delete_project", {"expected_revision": expected_revision})
        return answer

    def undelete_project(self, *, name: str | None = None) -> dict[str, Any]:
        """Restores a deleted project; of several with the name, the last deleted one.

        Args:
            name: New name; default: the same.
        """
        answer: dict[str, Any] = self._answer("undelete_project", {"name": name})
        return answer

    def duplicate_project(self, *, name: str, revision: int | None = None) -> dict[str, Any]:
        """Copies a project as it is, or as it was at a revision.

        Args:
            name: Name of the copy.
            revision: State at this revision; default: now.
        """
        answer: dict[str, Any] = self._answer("duplicate_project", {"name": name, "revision": revision})
        return answer

    def get_history(
        self,
        *,
        changes: bool | None = None,
        checkpoints: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> dict[str, Any]:
        """Lists the changes of a project, newest first.

        Args:
            changes: True lists the edits of each entry.
            checkpoints: True: only checkpoints.
            cursor: next_cursor of the last page.
            limit: Maximum number of entries per page; default 50.
        """
        answer: dict[str, Any] = self._answer(
            "get_history", {"changes": changes, "checkpoints": checkpoints, "cursor": cursor, "limit": limit}
        )
        return answer

    def undo(
        self,
        *,
        anyone: bool | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        redo: bool | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Reverts a change: your own last one, anyone's last one or a given revision; or redoes it.

        Args:
            anyone: True reverts the last change of anyone.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            redo: True reapplies the last undone change.
            revision: The revision to revert, of any author.
        """
        answer: dict[str, Any] = self._answer(
            "undo",
            {
                "anyone": anyone,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "redo": redo,
                "revision": revision,
            },
        )
        return answer

    def create_checkpoint(
        self, *, name: str, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Names the current state, so that it can be restored.

        Args:
            name: The name, such as "before the holes".
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "create_checkpoint", {"name": name, "dry_run": dry_run, "expected_revision": expected_revision}
        )
        return answer

    def restore_state(
        self,
        *,
        checkpoint: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Restores the project to a revision or checkpoint, by one change that can be undone.

        Args:
            checkpoint: Or at this checkpoint.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            revision: State at this revision,.
        """
        answer: dict[str, Any] = self._answer(
            "restore_state",
            {
                "checkpoint": checkpoint,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "revision": revision,
            },
        )
        return answer

    def list_functions(
        self,
        *,
        cursor: str | None = None,
        library: bool | None = None,
        limit: int | None = None,
        revision: int | None = None,
        search: str | None = None,
    ) -> dict[str, Any]:
        """Lists the functions of a project.

        Args:
            cursor: next_cursor of the last page.
            library: True: list the library.
            limit: Maximum number of items per page.
            revision: State at this revision.
            search: Part of a name; in the library, words of names and descriptions.
        """
        answer: dict[str, Any] = self._answer(
            "list_functions",
            {"cursor": cursor, "library": library, "limit": limit, "revision": revision, "search": search},
        )
        return answer

    def get_function(
        self,
        *,
        function_id: Any,
        cursor: str | None = None,
        format: str | None = None,
        limit: int | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Returns a function as a graph, in pages, or as an expression.

        Args:
            function_id: The function.
            cursor: next_cursor of the last page.
            format: Default graph. graph: nodes with values, links and positions; expression: text that
                create_function_from_expression accepts.
            limit: Nodes per page.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_function",
            {
                "function_id": function_id,
                "cursor": cursor,
                "format": format,
                "limit": limit,
                "revision": revision,
            },
        )
        return answer

    def get_graph(self, *, function_id: Any) -> dict[str, Any]:
        """Returns a whole function as a graph, however large it is; PUT accepts the same.

        Args:
            function_id: The function.
        """
        answer: dict[str, Any] = self._answer("get_graph", {"function_id": function_id})
        return answer

    def get_function_text(
        self, *, function_id: Any, format: str | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Writes a function as a diagram (dot, mermaid) or a shader (glsl).

        Args:
            function_id: The function.
            format: Format of the text; default dot. dot: Graphviz diagram.; mermaid: Mermaid diagram, which
                sites with Markdown show.; glsl: A function of GLSL ES 3.00 (WebGL 2) that computes the
                function.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_function_text", {"function_id": function_id, "format": format, "revision": revision}
        )
        return answer

    def get_function_picture(
        self, *, function_id: Any, format: str | None = None, revision: int | None = None
    ) -> tuple[bytes, builtins.list[str]]:
        """Draws the graph of a function as a picture (svg, png).

        Args:
            function_id: The function.
            format: Default svg. svg: Scalable Vector Graphics: of any size, with full texts as tooltips.; png:
                Raster image.
            revision: State at this revision.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "get_function_picture", {"function_id": function_id, "format": format, "revision": revision}
        )
        return answer

    def get_function_shader(
        self,
        *,
        function_id: Any,
        bounds: bool | None = None,
        output: str | None = None,
        port: str | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Writes a function, or a port of a node, as GLSL whose numbers are uniforms.

        Args:
            function_id: The function.
            bounds: True adds the bounds of the shape, which takes longer.
            output: Output that is shown; default: the first float.
            port: Or port of a node, such as "3.result", as if it were the output.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_function_shader",
            {
                "function_id": function_id,
                "bounds": bounds,
                "output": output,
                "port": port,
                "revision": revision,
            },
        )
        return answer

    def lay_out(
        self,
        *,
        function_id: Any,
        revision: int | None = None,
        sizes: Sequence[Mapping[str, Any]] | None = None,
        spacing: Sequence[float] | None = None,
    ) -> dict[str, Any]:
        """Computes positions for the nodes of a function: a layered layout.

        Args:
            function_id: The function.
            revision: State at this revision.
            sizes: Sizes of nodes as a page shows them; default: those of diagrams.
            spacing: Least distance between layers, and between nodes of a layer; default [44, 24].
        """
        answer: dict[str, Any] = self._answer(
            "lay_out", {"function_id": function_id, "revision": revision, "sizes": sizes, "spacing": spacing}
        )
        return answer

    def get_compatible_links(
        self, *, function_id: Any, from_: str | None = None, revision: int | None = None, to: str | None = None
    ) -> dict[str, Any]:
        """Lists where a link from a port, or to a parameter, may lead, and why not elsewhere.

        Args:
            function_id: The function.
            from_: Port at which the link starts, such as "3.result".
            revision: State at this revision.
            to: Or parameter to which it leads, such as "0.shape".
        """
        answer: dict[str, Any] = self._answer(
            "get_compatible_links", {"function_id": function_id, "from": from_, "revision": revision, "to": to}
        )
        return answer

    def evaluate(
        self,
        *,
        function_id: Any,
        arguments: Any = None,
        bounds: bool | None = None,
        edits: Sequence[Mapping[str, Any]] | None = None,
        gradient: bool | None = None,
        lipschitz: bool | None = None,
        outputs: Sequence[str] | None = None,
        region: Mapping[str, Any] | None = None,
        revision: int | None = None,
        trace: bool | None = None,
        why: bool | None = None,
    ) -> dict[str, Any]:
        """Evaluates a function at one point or many.

        Args:
            function_id: Its id or name.
            arguments: {INPUT: value}, such as {"pos": [0, 0, 5]}, or a list of such objects for many points.
            bounds: True adds bounds over the region.
            edits: Edits as of apply_edits, to try: nothing is written.
            gradient: True adds derivatives by the inputs.
            lipschitz: True adds bounds of their slope there.
            outputs: Names of the outputs; default all.
            region: Line, plane, grid or box `{from: [-1,-1,0], to: [1,1,0], counts: [9,9,1], input}`; arguments
                has the other inputs.
            revision: State at this revision.
            trace: True adds the inputs and outputs of every node, for one point.
            why: True explains the values at one point.
        """
        answer: dict[str, Any] = self._answer(
            "evaluate",
            {
                "function_id": function_id,
                "arguments": arguments,
                "bounds": bounds,
                "edits": edits,
                "gradient": gradient,
                "lipschitz": lipschitz,
                "outputs": outputs,
                "region": region,
                "revision": revision,
                "trace": trace,
                "why": why,
            },
        )
        return answer

    def get_port_values(
        self, *, function_id: Any, arguments: Mapping[str, Any] | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Returns the values at all ports of a function at one point.

        Args:
            function_id: The function.
            arguments: Values of the inputs, such as {"pos": [1, 2, 3]}.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_port_values", {"function_id": function_id, "arguments": arguments, "revision": revision}
        )
        return answer

    def sample(
        self,
        *,
        function_id: Any,
        format: str,
        arguments: Any = None,
        gradient: bool | None = None,
        outputs: Sequence[str] | None = None,
        precision: str | None = None,
        region: Mapping[str, Any] | None = None,
        revision: int | None = None,
    ) -> tuple[bytes, builtins.list[str]]:
        """Writes the values of a function on a line, plane, grid or list of points as a file.

        Args:
            function_id: The function.
            format: Format of the numbers. csv: A line per point, with its coordinates; the first line has the
                names.; npy: An array of `NumPy`, version 1.0.; f32: Numbers of 4 bytes, the lowest first.; f64:
                Numbers of 8 bytes, the lowest first.
            arguments: {INPUT: value}: the inputs that do not vary; without a region a list of such objects, one
                per point.
            gradient: True adds the derivatives with respect to the inputs.
            outputs: Names of the outputs; default all.
            precision: Precision of the evaluation. f64: In double precision, each operation rounded on its own,
                as evaluate does.; f32: In single precision, and fast: products are contracted into sums.
            region: The points.
            revision: State at this revision.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "sample",
            {
                "function_id": function_id,
                "format": format,
                "arguments": arguments,
                "gradient": gradient,
                "outputs": outputs,
                "precision": precision,
                "region": region,
                "revision": revision,
            },
        )
        return answer

    def create_function_from_expression(
        self,
        *,
        name: str,
        expression: str,
        arguments: Sequence[Mapping[str, Any]] | None = None,
        distance: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        function_id: Any = None,
        measure: Mapping[str, Any] | None = None,
        outputs: Sequence[Mapping[str, Any]] | None = None,
        render: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Creates a function from an expression, or replaces one; optionally draws and measures it.

        Args:
            name: The function's name.
            expression: Such as "let d = length(pos); shape = d - 5; color = vec3(d, 0, 0)".
            arguments: Inputs in order, each {name, type: float | float3 | ..., default, unit, min, max};
                default: those of the expression.
            distance: Makes its value the signed distance to the shape of the expression, in which other inputs
                have their defaults: for offsets and walls of the stated thickness. {accuracy, bounds,
                time_limit}; by default the error is a thousandth of the size.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            function_id: A function to replace, or a free id.
            measure: Also measures it, with options of measure, such as `figures`.
            outputs: Required outputs in order, each {name, type}.
            render: Also draws it, with options of render: {"view": "sheet"}.
        """
        answer: dict[str, Any] = self._answer(
            "create_function_from_expression",
            {
                "name": name,
                "expression": expression,
                "arguments": arguments,
                "distance": distance,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "function_id": function_id,
                "measure": measure,
                "outputs": outputs,
                "render": render,
            },
        )
        return answer

    def set_function(
        self,
        *,
        function_id: Any,
        name: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        nodes: Sequence[Mapping[str, Any]] | None = None,
        outputs: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Replaces the content of a function; the body is as get_graph returns it.

        Args:
            function_id: The function; a free id creates one.
            name: The function's name.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            inputs: The inputs, in their order, each {name, type}.
            nodes: The nodes, each {node_id, node_type, display_name, position, parameters}.
            outputs: The outputs, in their order, each {name, type}.
        """
        answer: dict[str, Any] = self._answer(
            "set_function",
            {
                "function_id": function_id,
                "name": name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "inputs": inputs,
                "nodes": nodes,
                "outputs": outputs,
            },
        )
        return answer

    def apply_layout(
        self,
        *,
        function_id: Any,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        sizes: Sequence[Mapping[str, Any]] | None = None,
        spacing: Sequence[float] | None = None,
    ) -> dict[str, Any]:
        """Moves the nodes of a function to a layered layout, as one change.

        Args:
            function_id: The function.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            sizes: Sizes of nodes as a page shows them; default: those of diagrams.
            spacing: Least distance between layers, and between nodes of a layer; default [44, 24].
        """
        answer: dict[str, Any] = self._answer(
            "apply_layout",
            {
                "function_id": function_id,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "sizes": sizes,
                "spacing": spacing,
            },
        )
        return answer

    def rename_function(
        self, *, function_id: Any, name: str, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Renames a function.

        Args:
            function_id: The function.
            name: Its new name.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "rename_function",
            {
                "function_id": function_id,
                "name": name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
            },
        )
        return answer

    def delete_function(
        self, *, function_id: Any, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Deletes a function that no other calls.

        Args:
            function_id: The function.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "delete_function",
            {"function_id": function_id, "dry_run": dry_run, "expected_revision": expected_revision},
        )
        return answer

    def create_node(
        self,
        *,
        function_id: Any,
        node_type: str,
        display_name: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        node_id: int | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Adds a node to a function.

        Args:
            function_id: Its id or name.
            node_type: Node type, such as "Addition"; see list_node_types.
            display_name: Name for people.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            node_id: A free id; default: the next one.
            parameters: {"A": 5, "B": {"source": {"node_id": 1, "port": "pos"}}}.
        """
        answer: dict[str, Any] = self._answer(
            "create_node",
            {
                "function_id": function_id,
                "node_type": node_type,
                "display_name": display_name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "node_id": node_id,
                "parameters": parameters,
            },
        )
        return answer

    def get_node_info(self, *, function_id: Any, node_id: int, revision: int | None = None) -> dict[str, Any]:
        """Returns the parameters and ports of a node, with their sources and targets.

        Args:
            function_id: Function of the node.
            node_id: The node; 0 is End.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_node_info", {"function_id": function_id, "node_id": node_id, "revision": revision}
        )
        return answer

    def change_node(
        self,
        *,
        function_id: Any,
        node_id: int,
        display_name: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        position: Sequence[float] | None = None,
    ) -> dict[str, Any]:
        """Renames a node, or moves it in drawings.

        Args:
            function_id: Function it is in.
            node_id: The node.
            display_name: Name for people; null removes it.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            position: Position in drawings, [x, y]; null: chosen by the page.
        """
        answer: dict[str, Any] = self._answer(
            "change_node",
            {
                "function_id": function_id,
                "node_id": node_id,
                "display_name": display_name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "position": position,
            },
        )
        return answer

    def delete_node(
        self,
        *,
        function_id: Any,
        node_id: int,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
    ) -> dict[str, Any]:
        """Removes a node and every link to and from it.

        Args:
            function_id: Function of the node.
            node_id: The node.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "delete_node",
            {
                "function_id": function_id,
                "node_id": node_id,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
            },
        )
        return answer

    def set_parameter_value(
        self,
        *,
        function_id: Any,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        node_id: int | None = None,
        parameter_name: str | None = None,
        value: Any = None,
        values: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Sets a parameter; null clears it.

        Args:
            function_id: Its function.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            node_id: Omit it for a named constant.
            parameter_name: Such as "value"; or the constant's name.
            value: Float 5, float3 `[1,2,3]`, matrix4x4 16 numbers row by row, integer 2, string "a",
                resource_id 7; null clears.
            values: Or several, all or none.
        """
        answer: dict[str, Any] = self._answer(
            "set_parameter_value",
            {
                "function_id": function_id,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "node_id": node_id,
                "parameter_name": parameter_name,
                "value": value,
                "values": values,
            },
        )
        return answer

    def set_named_constant(
        self,
        *,
        function_id: Any,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        node_id: int | None = None,
        parameter_name: str | None = None,
        value: Any = None,
        values: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Sets a named constant.

        Args:
            function_id: Its function.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            node_id: Omit it for a named constant.
            parameter_name: Such as "value"; or the constant's name.
            value: Float 5, float3 `[1,2,3]`, matrix4x4 16 numbers row by row, integer 2, string "a",
                resource_id 7; null clears.
            values: Or several, all or none.
        """
        answer: dict[str, Any] = self._answer(
            "set_named_constant",
            {
                "function_id": function_id,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "node_id": node_id,
                "parameter_name": parameter_name,
                "value": value,
                "values": values,
            },
        )
        return answer

    def set_parameters(
        self,
        *,
        function_id: Any,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        node_id: int | None = None,
        parameter_name: str | None = None,
        value: Any = None,
        values: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Sets several named constants, all or none.

        Args:
            function_id: Its function.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            node_id: Omit it for a named constant.
            parameter_name: Such as "value"; or the constant's name.
            value: Float 5, float3 `[1,2,3]`, matrix4x4 16 numbers row by row, integer 2, string "a",
                resource_id 7; null clears.
            values: Or several, all or none.
        """
        answer: dict[str, Any] = self._answer(
            "set_parameters",
            {
                "function_id": function_id,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "node_id": node_id,
                "parameter_name": parameter_name,
                "value": value,
                "values": values,
            },
        )
        return answer

    def list_parameters(
        self,
        *,
        cursor: str | None = None,
        function_id: Any = None,
        limit: int | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Lists the named constants of a function or of all functions.

        Args:
            cursor: next_cursor of the last page.
            function_id: Only those of this function.
            limit: Maximum number of items per page.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "list_parameters",
            {"cursor": cursor, "function_id": function_id, "limit": limit, "revision": revision},
        )
        return answer

    def create_link(
        self,
        *,
        function_id: Any,
        source_node_id: int,
        source_port_name: str,
        target_node_id: int,
        target_parameter_name: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        insert_conversion: bool | None = None,
        replace: bool | None = None,
    ) -> dict[str, Any]:
        """Links a port to a parameter of the same type.

        Args:
            function_id: Its id or name.
            source_node_id: Node that it comes from.
            source_port_name: Its port, such as "result".
            target_node_id: Node that it goes to; 0 is End, the outputs.
            target_parameter_name: Its parameter, such as "A"; of End, an output.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            insert_conversion: True inserts a conversion node where types differ.
            replace: True replaces an existing link.
        """
        answer: dict[str, Any] = self._answer(
            "create_link",
            {
                "function_id": function_id,
                "source_node_id": source_node_id,
                "source_port_name": source_port_name,
                "target_node_id": target_node_id,
                "target_parameter_name": target_parameter_name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "insert_conversion": insert_conversion,
                "replace": replace,
            },
        )
        return answer

    def delete_link(
        self,
        *,
        function_id: Any,
        target_node_id: int,
        target_parameter_name: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
    ) -> dict[str, Any]:
        """Removes the link to a parameter.

        Args:
            function_id: Function of the node.
            target_node_id: Target node of the link.
            target_parameter_name: Target parameter of the link.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "delete_link",
            {
                "function_id": function_id,
                "target_node_id": target_node_id,
                "target_parameter_name": target_parameter_name,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
            },
        )
        return answer

    def apply_edits(
        self,
        *,
        edits: Sequence[Mapping[str, Any]],
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        label: str | None = None,
    ) -> dict[str, Any]:
        """Applies edits of any kind as one change: all of them, or none.

        Args:
            edits: Each {"KIND": {arguments}}. create_node, delete_node, create_link, delete_link,
                set_parameter_value and create_function_from_expression as their tools. Others: set_function (as
                get_function returns it), insert_function, delete_function, rename_function, rename_node,
                move_node, set_overload, add_port {side: input | output, name, type, default, unit, min, max},
                remove_port, rename_port, retype_port (as add_port), move_port, extract_function, inline_call,
                remove_unused_nodes, create_missing_constants, normalize_function, insert_into_link,
                bypass_node, replace_node. Objects: create_level_set, modify_level_set, set_mesh, set_assembly,
                set_volume_data, modify_object, remove_resource, remove_unused_resources, create_build_item,
                set_unit and others. Their arguments: resource fibula://schemas/edits/KIND.
            dry_run: Validate only.
            expected_revision: Fail unless the project is at this revision.
            label: Label in the history.
        """
        answer: dict[str, Any] = self._answer(
            "apply_edits",
            {"edits": edits, "dry_run": dry_run, "expected_revision": expected_revision, "label": label},
        )
        return answer

    def import_(
        self,
        *,
        check: bool | None = None,
        content: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        format: str | None = None,
        path: str | None = None,
    ) -> dict[str, Any]:
        """Imports a 3MF, STL, OBJ or .vm file into the project as one change; creates the project if there is
        none; check: true only reports the faults of the file.

        Args:
            check: True only reports errors and warnings.
            content: Or the file as base64, or its text.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            format: Default: detected from the content. 3mf: 3MF with implicit functions; vm: one formula; stl:
                triangles; obj: triangles.
            path: A file below the folders that the server may read, such as "part.3mf".
        """
        answer: dict[str, Any] = self._answer(
            "import",
            {
                "check": check,
                "content": content,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "format": format,
                "path": path,
            },
        )
        return answer

    def add_node(
        self,
        *,
        label: str,
        customId: str | None = None,
        data: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        observations: Sequence[str] | None = None,
        on_conflict: str | None = None,
        position: Any = None,
        type: str | None = None,
        types: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Adds a node to the knowledge graph.

        Args:
            label: Name for people.
            customId: Its id; generated if left out.
            data: Data of any kind.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            observations: Observations, in order.
            on_conflict: Handling of a node with the same id. skip: keeps the existing one; merge: merges both;
                replace: replaces it; error: fails; add: adds a parallel edge.
            position: [x, y], or {"x": x, "y": y}.
            type: Its type.
            types: Its types, if it has several.
        """
        answer: dict[str, Any] = self._answer(
            "add_node",
            {
                "label": label,
                "customId": customId,
                "data": data,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "observations": observations,
                "on_conflict": on_conflict,
                "position": position,
                "type": type,
                "types": types,
            },
        )
        return answer

    def list_nodes(
        self,
        *,
        creator: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        revision: int | None = None,
        type: str | None = None,
    ) -> dict[str, Any]:
        """Lists nodes in order of creation.

        Args:
            creator: Only items of this creator.
            cursor: next_cursor of the last page.
            limit: Maximum number of items per page.
            revision: State at this revision.
            type: Only this type.
        """
        answer: dict[str, Any] = self._answer(
            "list_nodes",
            {"creator": creator, "cursor": cursor, "limit": limit, "revision": revision, "type": type},
        )
        return answer

    def get_node(self, *, id: str, revision: int | None = None) -> dict[str, Any]:
        """Returns a node with its observations and edges.

        Args:
            id: Its id.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer("get_node", {"id": id, "revision": revision})
        return answer

    def update_node(
        self,
        *,
        id: str,
        add_observations: Sequence[str] | None = None,
        data: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        label: str | None = None,
        position: Any = None,
        remove_observations: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Changes a node.

        Args:
            id: The node: its id or label.
            add_observations: Observations to add.
            data: A merge patch: null removes a member.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            label: Its new label.
            position: Position in drawings, [x, y] or {"x": x, "y": y}; null: chosen by the page.
            remove_observations: Observations to remove, by their texts.
            types: All of its types.
        """
        answer: dict[str, Any] = self._answer(
            "update_node",
            {
                "id": id,
                "add_observations": add_observations,
                "data": data,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "label": label,
                "position": position,
                "remove_observations": remove_observations,
                "types": types,
            },
        )
        return answer

    def remove_node(
        self, *, id: str, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Removes a node with its edges.

        Args:
            id: Its id.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "remove_node", {"id": id, "dry_run": dry_run, "expected_revision": expected_revision}
        )
        return answer

    def add_edge(
        self,
        *,
        source: str,
        target: str,
        customId: str | None = None,
        data: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        label: str | None = None,
        on_conflict: str | None = None,
        type: str | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        weight: float | None = None,
    ) -> dict[str, Any]:
        """Adds an edge between nodes, or between a node and a function.

        Args:
            source: A node's id or label, or a function, its node or parameter: "fn:3", "fn:3/7", "fn:3#wall".
            target: Likewise.
            customId: Its id; generated if left out.
            data: Data of any kind.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            label: Name for people.
            on_conflict: Handling of an edge with the same ends and type. skip: keeps the existing one; merge:
                merges both; replace: replaces it; error: fails; add: adds a parallel edge.
            type: Relation of source to target; default "related_to".
            valid_from: Start of validity.
            valid_to: End of validity.
            weight: Length or strength of the edge.
        """
        answer: dict[str, Any] = self._answer(
            "add_edge",
            {
                "source": source,
                "target": target,
                "customId": customId,
                "data": data,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "label": label,
                "on_conflict": on_conflict,
                "type": type,
                "valid_from": valid_from,
                "valid_to": valid_to,
                "weight": weight,
            },
        )
        return answer

    def list_edges(
        self,
        *,
        creator: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        revision: int | None = None,
        type: str | None = None,
    ) -> dict[str, Any]:
        """Lists edges in order of creation.

        Args:
            creator: Only items of this creator.
            cursor: next_cursor of the last page.
            limit: Maximum number of items per page.
            revision: State at this revision.
            type: Only this type.
        """
        answer: dict[str, Any] = self._answer(
            "list_edges",
            {"creator": creator, "cursor": cursor, "limit": limit, "revision": revision, "type": type},
        )
        return answer

    def get_edge(self, *, id: str, revision: int | None = None) -> dict[str, Any]:
        """Returns an edge.

        Args:
            id: Its id.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer("get_edge", {"id": id, "revision": revision})
        return answer

    def update_edge(
        self,
        *,
        id: str,
        data: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        label: str | None = None,
        source: str | None = None,
        target: str | None = None,
        type: str | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        weight: float | None = None,
    ) -> dict[str, Any]:
        """Changes an edge.

        Args:
            id: The edge.
            data: A merge patch: null removes a member.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            label: Its new label; null: none.
            source: Its new source.
            target: Its new target.
            type: Its new type.
            valid_from: Start of validity; null: unlimited.
            valid_to: End of validity; null: unlimited.
            weight: Its new weight; null: none.
        """
        answer: dict[str, Any] = self._answer(
            "update_edge",
            {
                "id": id,
                "data": data,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "label": label,
                "source": source,
                "target": target,
                "type": type,
                "valid_from": valid_from,
                "valid_to": valid_to,
                "weight": weight,
            },
        )
        return answer

    def remove_edge(
        self, *, id: str, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Removes an edge.

        Args:
            id: Its id.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "remove_edge", {"id": id, "dry_run": dry_run, "expected_revision": expected_revision}
        )
        return answer

    def get_graph_state(
        self, *, cursor: str | None = None, limit: int | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Returns the whole graph, in pages.

        Args:
            cursor: next_cursor of the last page.
            limit: Maximum number of nodes and edges per page.
            revision: State at this revision; pass that of the first page with the others.
        """
        answer: dict[str, Any] = self._answer(
            "get_graph_state", {"cursor": cursor, "limit": limit, "revision": revision}
        )
        return answer

    def search_nodes(
        self,
        *,
        creators: Sequence[str] | None = None,
        cursor: str | None = None,
        data: Mapping[str, Any] | None = None,
        descending: bool | None = None,
        exact: bool | None = None,
        exclude_types: Sequence[str] | None = None,
        limit: int | None = None,
        modified_from: str | None = None,
        modified_until: str | None = None,
        order_by: str | None = None,
        query: str | None = None,
        revision: int | None = None,
        types: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Searches nodes by words, best match first.

        Args:
            creators: Only nodes of these creators.
            cursor: next_cursor of the last page.
            data: Values of data: {"status": "open", "a.b": 3}.
            descending: True: descending order.
            exact: True: only words as written.
            exclude_types: None of these types.
            limit: Maximum number of items per page.
            modified_from: Changed then or later.
            modified_until: Changed then or before.
            order_by: Default relevance. relevance: Best first.; label: Ignoring case.; created: Creation time.;
                modified: Time of the last change.; order: Insertion order.; degree: Number of edges.
            query: Words in any order; "a phrase"; -without. Default: all nodes.
            revision: State at this revision.
            types: Only these types.
        """
        answer: dict[str, Any] = self._answer(
            "search_nodes",
            {
                "creators": creators,
                "cursor": cursor,
                "data": data,
                "descending": descending,
                "exact": exact,
                "exclude_types": exclude_types,
                "limit": limit,
                "modified_from": modified_from,
                "modified_until": modified_until,
                "order_by": order_by,
                "query": query,
                "revision": revision,
                "types": types,
            },
        )
        return answer

    def get_neighbors(
        self,
        *,
        node: str,
        cursor: str | None = None,
        cut: bool | None = None,
        depth: int | None = None,
        direction: str | None = None,
        edge_types: Sequence[str] | None = None,
        limit: int | None = None,
        node_types: Sequence[str] | None = None,
        revision: int | None = None,
        valid_at: str | None = None,
    ) -> dict[str, Any]:
        """Returns the neighbourhood of a node.

        Args:
            node: Its id or label, or "fn:3".
            cursor: next_cursor of the last page.
            cut: True: do not traverse other nodes.
            depth: Number of edges; default 1.
            direction: Default both. outgoing: Edges from the node.; incoming: Edges to the node.; both: All.
            edge_types: Only edges of these types.
            limit: Maximum number of items per page.
            node_types: Only nodes of these types.
            revision: State at this revision.
            valid_at: Only edges valid at this time.
        """
        answer: dict[str, Any] = self._answer(
            "get_neighbors",
            {
                "node": node,
                "cursor": cursor,
                "cut": cut,
                "depth": depth,
                "direction": direction,
                "edge_types": edge_types,
                "limit": limit,
                "node_types": node_types,
                "revision": revision,
                "valid_at": valid_at,
            },
        )
        return answer

    def find_path(
        self,
        *,
        source: str,
        target: str,
        count: int | None = None,
        cursor: str | None = None,
        direction: str | None = None,
        edge_types: Sequence[str] | None = None,
        max_length: int | None = None,
        node_types: Sequence[str] | None = None,
        revision: int | None = None,
        valid_at: str | None = None,
        weighted: bool | None = None,
    ) -> dict[str, Any]:
        """Finds the shortest paths between two nodes.

        Args:
            source: Its id or label, or "fn:3".
            target: Likewise.
            count: Number of paths; default 1.
            cursor: next_cursor of the last page.
            direction: Default both. outgoing: Edges from the node.; incoming: Edges to the node.; both: All.
            edge_types: Only edges of these types.
            max_length: Maximum number of edges.
            node_types: Only nodes of these types.
            revision: State at this revision.
            valid_at: Only edges valid at this time.
            weighted: True: length is the sum of weights.
        """
        answer: dict[str, Any] = self._answer(
            "find_path",
            {
                "source": source,
                "target": target,
                "count": count,
                "cursor": cursor,
                "direction": direction,
                "edge_types": edge_types,
                "max_length": max_length,
                "node_types": node_types,
                "revision": revision,
                "valid_at": valid_at,
                "weighted": weighted,
            },
        )
        return answer

    def traverse(
        self,
        *,
        start: str,
        path: Sequence[Mapping[str, Any]],
        cursor: str | None = None,
        max_results: int | None = None,
        revision: int | None = None,
        valid_at: str | None = None,
    ) -> dict[str, Any]:
        """Finds all paths from a node that follow a pattern.

        Args:
            start: Its id or label, or "fn:3".
            path: Steps, each {relation_type, target_type, direction, min, max}, all optional.
            cursor: next_cursor of the last page.
            max_results: Default 50.
            revision: State at this revision.
            valid_at: Only edges valid at this time.
        """
        answer: dict[str, Any] = self._answer(
            "traverse",
            {
                "start": start,
                "path": path,
                "cursor": cursor,
                "max_results": max_results,
                "revision": revision,
                "valid_at": valid_at,
            },
        )
        return answer

    def analyze(
        self,
        *,
        cursor: str | None = None,
        direction: str | None = None,
        edge_types: Sequence[str] | None = None,
        limit: int | None = None,
        node_types: Sequence[str] | None = None,
        resolution: float | None = None,
        revision: int | None = None,
        sample: int | None = None,
        valid_at: str | None = None,
        weighted: bool | None = None,
        what: str | None = None,
    ) -> dict[str, Any]:
        """Analyses the graph as a network.

        Args:
            cursor: next_cursor of the last page.
            direction: Default both; of pagerank outgoing. outgoing: Edges from the node.; incoming: Edges to
                the node.; both: All.
            edge_types: Only edges of these types.
            limit: Maximum number of items per page.
            node_types: Only nodes of these types.
            resolution: For communities: above 1 for smaller ones.
            revision: State at this revision.
            sample: For betweenness, closeness, harmonic: search from this many nodes only.
            valid_at: Only edges valid at this time.
            weighted: True: weighted edges, for betweenness, pagerank, eigenvector, communities.
            what: Default structure.
        """
        answer: dict[str, Any] = self._answer(
            "analyze",
            {
                "cursor": cursor,
                "direction": direction,
                "edge_types": edge_types,
                "limit": limit,
                "node_types": node_types,
                "resolution": resolution,
                "revision": revision,
                "sample": sample,
                "valid_at": valid_at,
                "weighted": weighted,
                "what": what,
            },
        )
        return answer

    def summarize(
        self,
        *,
        format: str | None = None,
        measures: bool | None = None,
        nodes: Sequence[str] | None = None,
        revision: int | None = None,
        types: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Summarizes the graph and the other contents of the project.

        Args:
            format: Default detailed. brief: counts by type; detailed: also the nodes with most edges, and the
                newest; stats: counts by type, and by data.status and data.priority; contributors: creators with
                their counts.
            measures: True adds bounds and volume of objects.
            nodes: Only these nodes; default all.
            revision: State at this revision.
            types: Only nodes of these types.
        """
        answer: dict[str, Any] = self._answer(
            "summarize",
            {"format": format, "measures": measures, "nodes": nodes, "revision": revision, "types": types},
        )
        return answer

    def merge_nodes(
        self,
        *,
        keep: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        merge: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Merges nodes, or lists probable duplicates.

        Args:
            keep: The node to keep: its id or label.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            merge: Nodes to merge into it; default: list probable duplicates.
        """
        answer: dict[str, Any] = self._answer(
            "merge_nodes",
            {"keep": keep, "dry_run": dry_run, "expected_revision": expected_revision, "merge": merge},
        )
        return answer

    def add_nodes(
        self,
        *,
        nodes: Sequence[Mapping[str, Any]],
        dry_run: bool | None = None,
        edges: Sequence[Mapping[str, Any]] | None = None,
        expected_revision: int | None = None,
        on_conflict: str | None = None,
    ) -> dict[str, Any]:
        """Adds nodes and edges, all or none.

        Args:
            nodes: Each {label, types}, also observations (texts), data, id, creator, position.
            dry_run: Validate only; change nothing.
            edges: As in add_edges.
            expected_revision: Fail unless the project is at this revision.
            on_conflict: Handling of existing items. skip: keeps the existing one; merge: merges both; replace:
                replaces it; error: fails; add: adds a parallel edge.
        """
        answer: dict[str, Any] = self._answer(
            "add_nodes",
            {
                "nodes": nodes,
                "dry_run": dry_run,
                "edges": edges,
                "expected_revision": expected_revision,
                "on_conflict": on_conflict,
            },
        )
        return answer

    def update(
        self,
        *,
        dry_run: bool | None = None,
        edges: Sequence[Mapping[str, Any]] | None = None,
        expected_revision: int | None = None,
        nodes: Sequence[Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Changes nodes and edges, all or none.

        Args:
            dry_run: Validate only; change nothing.
            edges: Each {id} and changes: source, target, type, label, data, weight, valid_from, valid_to; null
                removes.
            expected_revision: Fail unless the project is at this revision.
            nodes: Each {id} and changes: label, types, data (merge patch: null removes a member),
                add_observations, remove_observations, position.
        """
        answer: dict[str, Any] = self._answer(
            "update",
            {"dry_run": dry_run, "edges": edges, "expected_revision": expected_revision, "nodes": nodes},
        )
        return answer

    def remove(
        self,
        *,
        dry_run: bool | None = None,
        edges: Sequence[str] | None = None,
        expected_revision: int | None = None,
        nodes: Sequence[str] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Removes nodes and edges by id or filter.

        Args:
            dry_run: Preview; change nothing.
            edges: Ids.
            expected_revision: Fail unless the project is at this revision.
            nodes: Ids or labels; their edges are removed too.
            where: All nodes that match {types, exclude_types, isolated, min_degree, max_degree}.
        """
        answer: dict[str, Any] = self._answer(
            "remove",
            {
                "dry_run": dry_run,
                "edges": edges,
                "expected_revision": expected_revision,
                "nodes": nodes,
                "where": where,
            },
        )
        return answer

    def import_graph(
        self,
        *,
        content: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        format: str | None = None,
        on_conflict: str | None = None,
        path: str | None = None,
    ) -> dict[str, Any]:
        """Imports a file of nodes and edges.

        Args:
            content: Or its text, or that in base64.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            format: Default: detected from the content. json: Fibula's own, with every fact as it is.; node-
                link: Node-link JSON, of networkx, d3 and force-graph.; graphml: `GraphML`, of networkx, igraph,
                yEd and Gephi.; gexf: GEXF 1.3 (1.2 is read, too), of Gephi.; csv: A table of nodes and a table
                of edges, of spreadsheets and Gephi.; cytoscape: Elements of Cytoscape.js, which Cytoscape
                reads, too.; dot: The DOT language of Graphviz.; mermaid: Flowcharts of Mermaid.; memory-jsonl:
                Lines of JSON, of memory servers.; json-ld: JSON-LD: exports of Discourse Graphs, and linked
                data of any kind.
            on_conflict: Handling of existing ids, and of edges with the same ends and type. skip: keeps the
                existing one; merge: merges both; replace: replaces it; error: fails; add: adds a parallel edge.
            path: A file below the folders that the server may read.
        """
        answer: dict[str, Any] = self._answer(
            "import_graph",
            {
                "content": content,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "format": format,
                "on_conflict": on_conflict,
                "path": path,
            },
        )
        return answer

    def export_graph(
        self,
        *,
        format: str | None = None,
        links: bool | None = None,
        revision: int | None = None,
        type: str | None = None,
    ) -> tuple[bytes, builtins.list[str]]:
        """Writes the graph as a file.

        Args:
            format: Default json, which is lossless; or node-link, graphml, gexf, csv, cytoscape, dot, mermaid,
                memory-jsonl, json-ld.
            links: True names node-link's list of edges "links", as d3 reads it.
            revision: State at this revision.
            type: Only nodes of this type, and edges between them.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "export_graph", {"format": format, "links": links, "revision": revision, "type": type}
        )
        return answer

    def layout(
        self,
        *,
        center: str | None = None,
        cursor: str | None = None,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        flow: str | None = None,
        limit: int | None = None,
        method: str | None = None,
        types: Sequence[str] | None = None,
        write: bool | None = None,
    ) -> dict[str, Any]:
        """Computes positions of the nodes, and optionally stores them.

        Args:
            center: For radial: the node in the middle; default: the one with most edges.
            cursor: next_cursor of the last page; not with write.
            dry_run: Validate only.
            expected_revision: Fail unless the project is at this revision.
            flow: For layered: down or right. down: From above to below.; right: From left to right.
            limit: Maximum number of positions per page.
            method: Default force. force: linked nodes near each other; layered: in layers along edges; radial:
                on rings around a node; grid: in rows, by type; circle: on one circle.
            types: Only nodes of these types.
            write: True stores the positions.
        """
        answer: dict[str, Any] = self._answer(
            "layout",
            {
                "center": center,
                "cursor": cursor,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "flow": flow,
                "limit": limit,
                "method": method,
                "types": types,
                "write": write,
            },
        )
        return answer

    def get_layout(
        self,
        *,
        center: str | None = None,
        flow: str | None = None,
        method: str | None = None,
        revision: int | None = None,
    ) -> dict[str, Any]:
        """Computes positions of all nodes at once, for viewers.

        Args:
            center: For radial: the node in the middle; default: the one with most edges.
            flow: For layered: down or right. down: From above to below.; right: From left to right.
            method: Default force. force: linked nodes near each other; layered: in layers along edges; radial:
                on rings around a node; grid: in rows, by type; circle: on one circle.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_layout", {"center": center, "flow": flow, "method": method, "revision": revision}
        )
        return answer

    def render_graph(
        self,
        *,
        boxes: bool | None = None,
        dark: bool | None = None,
        depth: int | None = None,
        edge_labels: bool | None = None,
        format: str | None = None,
        highlight: Sequence[str] | None = None,
        layout: str | None = None,
        node: str | None = None,
        revision: int | None = None,
        size: Sequence[int] | None = None,
        types: Sequence[str] | None = None,
    ) -> tuple[bytes, builtins.list[str]]:
        """Draws the graph, or the neighbourhood of a node.

        Args:
            boxes: True draws nodes as boxes with labels.
            dark: True for a dark background.
            depth: Its depth in edges; default 2.
            edge_labels: True labels edges with their types.
            format: Default png. png: an image; svg: of any size, with full texts as tooltips; html: an
                interactive page; mermaid: text; dot: text.
            highlight: Ids of nodes and edges to highlight.
            layout: Default: stored positions, else force. force: linked nodes near each other; layered: in
                layers along edges; radial: on rings around a node; grid: in rows, by type; circle: on one
                circle.
            node: Draw the neighbourhood of this node.
            revision: State at this revision.
            size: [width, height] in pixels.
            types: Only nodes of these types.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "render_graph",
            {
                "boxes": boxes,
                "dark": dark,
                "depth": depth,
                "edge_labels": edge_labels,
                "format": format,
                "highlight": highlight,
                "layout": layout,
                "node": node,
                "revision": revision,
                "size": size,
                "types": types,
            },
        )
        return answer

    def get_schema(self, *, revision: int | None = None) -> dict[str, Any]:
        """Lists the types of nodes and edges, with counts.

        Args:
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer("get_schema", {"revision": revision})
        return answer

    def set_schema(
        self,
        *,
        dry_run: bool | None = None,
        edge_types: Sequence[Mapping[str, Any]] | None = None,
        expected_revision: int | None = None,
        node_types: Sequence[Mapping[str, Any]] | None = None,
        strict: str | None = None,
        synonyms: Sequence[Sequence[str]] | None = None,
    ) -> dict[str, Any]:
        """Declares the types of nodes and edges.

        Args:
            dry_run: Validate only; change nothing.
            edge_types: Types of edges; default: unchanged.
            expected_revision: Fail unless the project is at this revision.
            node_types: Types of nodes; default: unchanged.
            strict: Handling of other types. off: It is taken.; warn: It is taken, with a warning.; reject: It
                is refused.
            synonyms: Groups of words that mean the same to searches, such as defect and fault; default:
                unchanged.
        """
        answer: dict[str, Any] = self._answer(
            "set_schema",
            {
                "dry_run": dry_run,
                "edge_types": edge_types,
                "expected_revision": expected_revision,
                "node_types": node_types,
                "strict": strict,
                "synonyms": synonyms,
            },
        )
        return answer

    def render(
        self,
        *,
        arguments: Mapping[str, Any] | None = None,
        bounds: Sequence[Sequence[float]] | None = None,
        color: str | None = None,
        edits: Sequence[Mapping[str, Any]] | None = None,
        function_id: Any = None,
        heights: Sequence[float] | None = None,
        mark: str | None = None,
        object_id: int | None = None,
        orbit: Sequence[float] | None = None,
        output: str | None = None,
        perspective: float | None = None,
        plain: bool | None = None,
        revision: int | None = None,
        section: Mapping[str, Any] | None = None,
        show: str | None = None,
        since: int | None = None,
        size: Sequence[int] | None = None,
        time_limit: float | None = None,
        view: str | None = None,
        zoom: float | None = None,
    ) -> tuple[bytes, builtins.list[str]]:
        """Draws the build, an object or a function as a PNG picture.

        Args:
            arguments: Inputs other than the point: {"radius": 5}.
            bounds: Clips to [[x, y, z], [x, y, z]], in the project's unit.
            color: Another output, or a property of volume data.
            edits: Edits as of apply_edits, to try: nothing is written.
            function_id: Or a function; default: the build.
            heights: For slices and field, in the project's unit: [2.5].
            mark: A mark: its place, at its revision.
            object_id: A mesh, level set or assembly.
            orbit: Instead of view: degrees from x towards y, and above the ground.
            output: Output of the function; default: its first float.
            perspective: Field of view in degrees.
            plain: Without colours.
            revision: State at this revision.
            section: Clips everything nearer: {x: 0}, or y, z.
            show: Default solid; slices or the field at heights, or a function's graph.
            since: Colours changes since this revision.
            size: Default [512, 512].
            time_limit: Seconds; default 45.
            view: Camera position; default "iso". sheet: four views.
            zoom: Factor, such as 2.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "render",
            {
                "arguments": arguments,
                "bounds": bounds,
                "color": color,
                "edits": edits,
                "function_id": function_id,
                "heights": heights,
                "mark": mark,
                "object_id": object_id,
                "orbit": orbit,
                "output": output,
                "perspective": perspective,
                "plain": plain,
                "revision": revision,
                "section": section,
                "show": show,
                "since": since,
                "size": size,
                "time_limit": time_limit,
                "view": view,
                "zoom": zoom,
            },
        )
        return answer

    def slice(
        self,
        *,
        accuracy: float | None = None,
        arguments: Mapping[str, Any] | None = None,
        bounds: Sequence[Sequence[float]] | None = None,
        cell: float | None = None,
        digits: str | None = None,
        edits: Sequence[Mapping[str, Any]] | None = None,
        function_id: Any = None,
        heights: Sequence[float] | None = None,
        layer: float | None = None,
        object_id: int | None = None,
        output: str | None = None,
        points: bool | None = None,
        revision: int | None = None,
        time_limit: float | None = None,
        tolerance: float | None = None,
    ) -> dict[str, Any]:
        """Slices the build, an object or a function at heights.

        Args:
            accuracy: Maximum deviation of contours; cells follow. Default: a 5000th of the size.
            arguments: Inputs other than the point: {"radius": 5}.
            bounds: Clips to [[x, y, z], [x, y, z]], in the project's unit.
            cell: Cell size in the project's unit; smaller features may be lost.
            digits: Default significant.
            edits: Edits as of apply_edits, to try: nothing is written.
            function_id: Or a function; default: the build.
            heights: Heights of the slices, in the project's unit: [2.5].
            layer: Or the thickness of layers in this unit, sliced in the middle.
            object_id: A mesh, level set or assembly.
            output: Output of the function; default: its first float.
            points: True adds the contours, up to 2000 points.
            revision: State at this revision.
            time_limit: Seconds; default 45.
            tolerance: Like accuracy, but cells stay.
        """
        answer: dict[str, Any] = self._answer(
            "slice",
            {
                "accuracy": accuracy,
                "arguments": arguments,
                "bounds": bounds,
                "cell": cell,
                "digits": digits,
                "edits": edits,
                "function_id": function_id,
                "heights": heights,
                "layer": layer,
                "object_id": object_id,
                "output": output,
                "points": points,
                "revision": revision,
                "time_limit": time_limit,
                "tolerance": tolerance,
            },
        )
        return answer

    def measure(
        self,
        *,
        accuracy: float | None = None,
        arguments: Mapping[str, Any] | None = None,
        at: Sequence[float] | None = None,
        axis: str | None = None,
        bounds: Sequence[Sequence[float]] | None = None,
        cell: float | None = None,
        density: float | None = None,
        digits: str | None = None,
        each: bool | None = None,
        edits: Sequence[Mapping[str, Any]] | None = None,
        figures: Sequence[str] | None = None,
        function_id: Any = None,
        object_id: int | None = None,
        output: str | None = None,
        overhang: float | None = None,
        revision: int | None = None,
        slabs: int | None = None,
        time_limit: float | None = None,
        to: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Measures the build, an object or a function, or compares two.

        Args:
            accuracy: Maximum deviation of the surface; cells follow. Default: a thousandth of the size.
            arguments: Inputs other than the point: {"radius": 5}.
            at: Adds the wall thickness at a point [x, y, z].
            axis: Of the slabs; default z.
            bounds: Clips to [[x, y, z], [x, y, z]], in the project's unit.
            cell: Cell size in the project's unit; smaller features may be lost.
            density: G/cm³; adds mass.
            digits: Default significant.
            each: True: each object, or output of the function.
            edits: Edits as of apply_edits, to try: nothing is written.
            figures: Names of figures; default: all.
            function_id: Or a function; default: the build.
            object_id: A mesh, level set or assembly.
            output: Output of the function; default: its first float.
            overhang: Degrees from the vertical; default 45.
            revision: State at this revision.
            slabs: Adds the volumes of so many slabs.
            time_limit: Seconds; default 45.
            to: Compares with {function_id or object_id, output, arguments, revision}.
        """
        answer: dict[str, Any] = self._answer(
            "measure",
            {
                "accuracy": accuracy,
                "arguments": arguments,
                "at": at,
                "axis": axis,
                "bounds": bounds,
                "cell": cell,
                "density": density,
                "digits": digits,
                "each": each,
                "edits": edits,
                "figures": figures,
                "function_id": function_id,
                "object_id": object_id,
                "output": output,
                "overhang": overhang,
                "revision": revision,
                "slabs": slabs,
                "time_limit": time_limit,
                "to": to,
            },
        )
        return answer

    def pick(
        self,
        *,
        arguments: Mapping[str, Any] | None = None,
        bounds: Sequence[Sequence[float]] | None = None,
        function_id: Any = None,
        object_id: int | None = None,
        orbit: Sequence[float] | None = None,
        output: str | None = None,
        perspective: float | None = None,
        pixel: Sequence[float] | None = None,
        point: Sequence[float] | None = None,
        ray: Mapping[str, Any] | None = None,
        revision: int | None = None,
        section: Mapping[str, Any] | None = None,
        size: Sequence[int] | None = None,
        time_limit: float | None = None,
        view: str | None = None,
        zoom: float | None = None,
    ) -> dict[str, Any]:
        """Finds the point that a pixel of a picture shows, or a ray meets, and the node that decides there.

        Args:
            arguments: Inputs other than the point: {"radius": 5}.
            bounds: Clips to [[x, y, z], [x, y, z]], in the project's unit.
            function_id: Or a function; default: the build.
            object_id: A mesh, level set or assembly.
            orbit: Instead of view: degrees from x towards y, and above the ground.
            output: Output of the function; default: its first float.
            perspective: Field of view in degrees.
            pixel: Pixel of the picture, [x, y] from the upper left corner.
            point: Or the point itself, such as one of a slice.
            ray: Or a ray, whatever the picture shows.
            revision: State at this revision.
            section: Clips everything nearer: {"x": 0}.
            size: Size of the picture; default [512, 512].
            time_limit: Seconds; default 45.
            view: Camera position of the picture; default "iso". sheet: four views.
            zoom: Factor, such as 2.
        """
        answer: dict[str, Any] = self._answer(
            "pick",
            {
                "arguments": arguments,
                "bounds": bounds,
                "function_id": function_id,
                "object_id": object_id,
                "orbit": orbit,
                "output": output,
                "perspective": perspective,
                "pixel": pixel,
                "point": point,
                "ray": ray,
                "revision": revision,
                "section": section,
                "size": size,
                "time_limit": time_limit,
                "view": view,
                "zoom": zoom,
            },
        )
        return answer

    def make_mark(
        self,
        *,
        text: str,
        about: Sequence[str] | None = None,
        at: Mapping[str, Any] | None = None,
        dry_run: bool | None = None,
        edge: str | None = None,
        expected_revision: int | None = None,
        port: str | None = None,
    ) -> dict[str, Any]:
        """Marks a place, node or edge with a request.

        Args:
            text: The request.
            about: Functions, nodes, parameters and nodes of the knowledge graph: `["fn:1/7"]`.
            at: Place on a part: the pixel of a picture, a ray or a point.
            dry_run: Validate only; change nothing.
            edge: An edge of the knowledge graph.
            expected_revision: Fail unless the project is at this revision.
            port: Port of the node.
        """
        answer: dict[str, Any] = self._answer(
            "make_mark",
            {
                "text": text,
                "about": about,
                "at": at,
                "dry_run": dry_run,
                "edge": edge,
                "expected_revision": expected_revision,
                "port": port,
            },
        )
        return answer

    def list_marks(
        self, *, cursor: str | None = None, limit: int | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Lists the marks with their answers.

        Args:
            cursor: next_cursor of the last page.
            limit: Maximum number of items per page.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "list_marks", {"cursor": cursor, "limit": limit, "revision": revision}
        )
        return answer

    def export(
        self,
        *,
        format: str,
        accuracy: float | None = None,
        arguments: Mapping[str, Any] | None = None,
        bounds: Sequence[Sequence[float]] | None = None,
        cell: float | None = None,
        function_id: Any = None,
        heights: Sequence[float] | None = None,
        layer: float | None = None,
        object_id: int | None = None,
        output: str | None = None,
        remove: Sequence[str] | None = None,
        revision: int | None = None,
        simplify: float | None = None,
        time_limit: float | None = None,
        tolerance: float | None = None,
    ) -> tuple[bytes, builtins.list[str]]:
        """Writes the project as 3MF, or a mesh or slices of the build, an object or a function.

        Args:
            format: 3mf is the project, with cell meshes; svg, cli, json are slices.
            accuracy: Maximum deviation of the surface or of contours; cells follow. Default: a thousandth of
                the size, for contours a 5000th.
            arguments: Inputs other than the point: {"radius": 5}.
            bounds: Clips to [[x, y, z], [x, y, z]], in the project's unit.
            cell: Cell size in the project's unit; smaller features may be lost.
            function_id: Or a function; default: the build.
            heights: Heights of slices, in the project's unit.
            layer: Or the thickness of layers in this unit, sliced in the middle.
            object_id: A mesh, level set or assembly.
            output: Output of the function; default: its first float.
            remove: Removes from meshes what is not connected with the largest piece, or fills hollows without a
                way out.
            revision: State at this revision.
            simplify: Simplifies meshes within this length.
            time_limit: Seconds; default 45.
            tolerance: Maximum deviation of contours.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "export",
            {
                "format": format,
                "accuracy": accuracy,
                "arguments": arguments,
                "bounds": bounds,
                "cell": cell,
                "function_id": function_id,
                "heights": heights,
                "layer": layer,
                "object_id": object_id,
                "output": output,
                "remove": remove,
                "revision": revision,
                "simplify": simplify,
                "time_limit": time_limit,
                "tolerance": tolerance,
            },
        )
        return answer

    def get_package(
        self, *, dialect: str | None = None, revision: int | None = None
    ) -> tuple[bytes, builtins.list[str]]:
        """Returns a project as a 3MF file, for other programs or another import.

        Args:
            dialect: Element names, where programs and the specification differ; default lib3mf. lib3mf: lib3mf,
                Gladius and programs that read their files; specification: the text 0.8 of the implicit
                extension.
            revision: State at this revision; default: now.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "get_package", {"dialect": dialect, "revision": revision}
        )
        return answer

    def list_files(
        self, *, cursor: str | None = None, limit: int | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Lists the files attached to a project, such as drawings and packages.

        Args:
            cursor: next_cursor of the last page.
            limit: Maximum number of items per page.
            revision: State at this revision; default: now.
        """
        answer: dict[str, Any] = self._answer(
            "list_files", {"cursor": cursor, "limit": limit, "revision": revision}
        )
        return answer

    def add_file(
        self,
        *,
        name: str,
        content: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        media_type: str | None = None,
    ) -> dict[str, Any]:
        """Attaches a file to a project.

        Args:
            name: Name for people, such as "bracket.3mf".
            content: The bytes as base64.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            media_type: Media type, such as "model/3mf"; default "application/octet-stream".
        """
        answer: dict[str, Any] = self._answer(
            "add_file",
            {
                "name": name,
                "content": content,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "media_type": media_type,
            },
        )
        return answer

    def get_file(self, *, resource_id: int, revision: int | None = None) -> tuple[bytes, builtins.list[str]]:
        """Returns the bytes of an attached file.

        Args:
            resource_id: The file.
            revision: State at this revision; default: now.
        """
        answer: tuple[bytes, builtins.list[str]] = self._answer(
            "get_file", {"resource_id": resource_id, "revision": revision}
        )
        return answer

    def remove_file(
        self, *, resource_id: int, dry_run: bool | None = None, expected_revision: int | None = None
    ) -> dict[str, Any]:
        """Removes an attached file; it remains in the history.

        Args:
            resource_id: The file.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "remove_file",
            {"resource_id": resource_id, "dry_run": dry_run, "expected_revision": expected_revision},
        )
        return answer

    def list_node_types(
        self,
        *,
        cursor: str | None = None,
        detail: str | None = None,
        limit: int | None = None,
        search: str | None = None,
    ) -> dict[str, Any]:
        """Searches node types by words; a search that names one also returns its ports, types and examples.

        Args:
            cursor: next_cursor of the last page.
            detail: Default: full for the type that the search names, summary for others.
            limit: Maximum number of items per page.
            search: Words in name, family or description, such as "vector length"; default: all.
        """
        answer: dict[str, Any] = self._answer(
            "list_node_types", {"cursor": cursor, "detail": detail, "limit": limit, "search": search}
        )
        return answer

    def compact(
        self, *, dry_run: bool | None = None, expected_revision: int | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Permanently deletes a project's history up to a revision; its current state is kept. Earlier
        revisions can no longer be read or undone.

        Args:
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            revision: The history up to this revision is deleted, its state is kept; default: all but the newest
                entry.
        """
        answer: dict[str, Any] = self._answer(
            "compact", {"dry_run": dry_run, "expected_revision": expected_revision, "revision": revision}
        )
        return answer

    def redact(
        self,
        *,
        text: str,
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        replacement: str | None = None,
    ) -> dict[str, Any]:
        """Permanently removes a text from a project and all of its history: names, labels and values that
        contain it. Use it for personal data.

        Args:
            text: The text, case-sensitive; at least 3 bytes.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            replacement: Replacement; default "(redacted)".
        """
        answer: dict[str, Any] = self._answer(
            "redact",
            {
                "text": text,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "replacement": replacement,
            },
        )
        return answer

    def get_nodes(
        self, *, nodes: Sequence[str], cursor: str | None = None, revision: int | None = None
    ) -> dict[str, Any]:
        """Returns whole nodes by id or label: data, observations, creator and edges.

        Args:
            nodes: Ids or labels.
            cursor: next_cursor of the last page.
            revision: State at this revision.
        """
        answer: dict[str, Any] = self._answer(
            "get_nodes", {"nodes": nodes, "cursor": cursor, "revision": revision}
        )
        return answer

    def list(
        self,
        *,
        created_from: str | None = None,
        created_until: str | None = None,
        creator: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        of: str | None = None,
        revision: int | None = None,
        source: str | None = None,
        target: str | None = None,
        types: Sequence[str] | None = None,
        valid_at: str | None = None,
    ) -> dict[str, Any]:
        """Lists nodes or edges in order of creation, by type, creator, date, ends, or validity of edges. To
        search by words use search_nodes.

        Args:
            created_from: Only items created at this time or later.
            created_until: Only items created before.
            creator: Only items of this creator.
            cursor: next_cursor of the last page.
            limit: Maximum number of items per page.
            of: Default nodes. nodes: nodes; edges: edges.
            revision: State at this revision.
            source: Edges from here: an id or label.
            target: Edges to here.
            types: Only these types.
            valid_at: Edges valid at this time.
        """
        answer: dict[str, Any] = self._answer(
            "list",
            {
                "created_from": created_from,
                "created_until": created_until,
                "creator": creator,
                "cursor": cursor,
                "limit": limit,
                "of": of,
                "revision": revision,
                "source": source,
                "target": target,
                "types": types,
                "valid_at": valid_at,
            },
        )
        return answer

    def add_edges(
        self,
        *,
        edges: Sequence[Mapping[str, Any]],
        dry_run: bool | None = None,
        expected_revision: int | None = None,
        on_conflict: str | None = None,
    ) -> dict[str, Any]:
        """Adds typed edges between nodes, or from a node to what it is about in a design.

        Args:
            edges: Each {source, target, type}, also label, data, weight, valid_from, valid_to, id, creator.
                Ends: a node's id or label, or "fn:3", "fn:3/7", "fn:3#wall": a function, its node, its
                parameter.
            dry_run: Validate only; change nothing.
            expected_revision: Fail unless the project is at this revision.
            on_conflict: Handling of existing items. skip: keeps the existing one; merge: merges both; replace:
                replaces it; error: fails; add: adds a parallel edge.
        """
        answer: dict[str, Any] = self._answer(
            "add_edges",
            {
                "edges": edges,
                "dry_run": dry_run,
                "expected_revision": expected_revision,
                "on_conflict": on_conflict,
            },
        )
        return answer
