"""Makes a 3MF package with lib3mf: a function with a node of every type that lib3mf has, linked where types allow.

    make.py FILE

Prints, as JSON, how many types of nodes the package has.
"""

import json
import sys

import lib3mf

WRAPPER = lib3mf.get_wrapper()

# lib3mf writes it as the type Mesh.
SAME = {"UnsignedMesh"}


def mesh(model):
    """A tetrahedron."""
    made = model.AddMeshObject()
    corners = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)]
    for corner in corners:
        made.AddVertex(lib3mf.Position((lib3mf.ctypes.c_float * 3)(*corner)))
    for triangle in [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]:
        made.AddTriangle(lib3mf.Triangle((lib3mf.ctypes.c_uint32 * 3)(*triangle)))
    return made


def values(node, resource):
    """Gives a constant its value."""
    if isinstance(node, lib3mf.ConstantNode):
        node.SetConstant(0.1)
    elif isinstance(node, lib3mf.ConstVecNode):
        node.SetVector(lib3mf.Vector((lib3mf.ctypes.c_double * 3)(1.5, -0.0, 1e-9)))
    elif isinstance(node, lib3mf.ConstMatNode):
        matrix = lib3mf.Matrix4x4()
        for place in range(16):
            matrix.Field[place // 4][place % 4] = place + 0.5
        node.SetMatrix(matrix)
    elif isinstance(node, lib3mf.ResourceIdNode):
        node.SetResource(resource)


def link(function, node, sources):
    """Links the inputs of a node to sources of their types."""
    inputs = node.GetInputs()
    while inputs.MoveNext():
        port = inputs.GetCurrent()
        source = sources.get(port.GetType())
        # The mesh has no beams, and a function does not call itself.
        if source is not None and port.GetIdentifier() not in ("functionID", "beamlattice"):
            function.AddLinkByNames(source, f"{node.GetIdentifier()}.{port.GetIdentifier()}")


def main():
    model = WRAPPER.CreateModel()
    shape = mesh(model)
    function = model.AddImplicitFunction()
    function.SetDisplayName("all <types>")
    function.AddInput("pos", "position", lib3mf.ImplicitPortType.Vector)
    function.AddOutput("shape", "shape", lib3mf.ImplicitPortType.Scalar)
    kinds = lib3mf.ImplicitNodeType
    sources = {lib3mf.ImplicitPortType.Vector: "inputs.pos"}
    constants = {
        kinds.Constant: function.AddConstantNode,
        kinds.ConstVec: function.AddConstVecNode,
        kinds.ConstMat: function.AddConstMatNode,
        kinds.ConstResourceID: function.AddResourceIdNode,
    }
    types = set()
    for kind in [*constants, *(kind for kind in kinds if kind not in constants)]:
        for configuration in lib3mf.ImplicitNodeConfiguration:
            name = f"{kind.name}_{configuration.name}"
            try:
                if kind in constants:
                    node = constants[kind](name, f"{kind.name} it", "a tag")
                else:
                    node = function.AddNode(kind, name, configuration, f"{kind.name} it", "a tag")
            except lib3mf.ELib3MFException:
                continue
            values(node, shape)
            link(function, node, sources)
            types.add(kind.name)
            outputs = node.GetOutputs()
            while outputs.MoveNext():
                port = outputs.GetCurrent()
                sources.setdefault(port.GetType(), f"{name}.{port.GetIdentifier()}")
            if kind in constants:
                break
    function.AddLinkByNames(sources[lib3mf.ImplicitPortType.Scalar], "outputs.shape")
    model.QueryWriter("3mf").WriteToFile(sys.argv[1])
    json.dump({"types": len(types - SAME)}, sys.stdout)


if __name__ == "__main__":
    main()
