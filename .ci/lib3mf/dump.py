"""What lib3mf reads from 3MF packages, as JSON: one object for each file, in the order of the arguments.

    dump.py FILE...

Files are read in strict mode. lib3mf 2.5.0 has no strict mode for images: it warns of its own `imagestack` and of
materials mixed by functions, and then only of those.
"""

import json
import sys

import lib3mf

WRAPPER = lib3mf.get_wrapper()

# "Invalid Element in namespace", of which strict mode makes an error.
UNKNOWN_ELEMENT = 32934


def read(path):
    """A model, and the warnings of its reader."""
    for strict in (True, False):
        model = WRAPPER.CreateModel()
        reader = model.QueryReader("3mf")
        reader.SetStrictModeActive(strict)
        try:
            reader.ReadFromFile(path)
        except lib3mf.ELib3MFException:
            if not strict:
                raise
            continue
        warnings = [reader.GetWarning(index) for index in range(reader.GetWarningCount())]
        unexpected = [text for code, text in warnings if code != UNKNOWN_ELEMENT]
        return model, {"strict": strict, "warnings": unexpected}
    raise AssertionError("a file is read, or it is not")


def each(iterator):
    """What an iterator of lib3mf goes over."""
    while iterator.MoveNext():
        yield iterator.GetCurrent()


def name(value):
    """The name of an enumeration's value."""
    return getattr(value, "name", value)


def ports(iterator):
    """Ports by their identifiers: the type, and what it refers to."""
    return {
        port.GetIdentifier(): [name(port.GetType()), *reference(port)] for port in each(iterator)
    }


def reference(port):
    """What an input refers to; nothing for an output."""
    return [port.GetReference()]


def values(node):
    """The values that a constant has, to six digits: that is what lib3mf compares."""
    if isinstance(node, lib3mf.ConstantNode):
        return [node.GetConstant()]
    if isinstance(node, lib3mf.ConstVecNode):
        return list(node.GetVector().Coordinates)
    if isinstance(node, lib3mf.ConstMatNode):
        matrix = node.GetMatrix()
        return [matrix.Field[column][row] for row in range(4) for column in range(4)]
    if isinstance(node, lib3mf.ResourceIdNode):
        resource = node.GetResource()
        return [resource.GetModelResourceID() if resource else None]
    return []


def function(one):
    """A function and its nodes."""
    found = {
        "id": one.GetModelResourceID(),
        "name": one.GetDisplayName(),
        "inputs": ports(one.GetInputs()),
        "outputs": ports(one.GetOutputs()),
    }
    if isinstance(one, lib3mf.ImplicitFunction):
        found["nodes"] = [
            {
                "identifier": node.GetIdentifier(),
                "name": node.GetDisplayName(),
                "tag": node.GetTag(),
                "type": name(node.GetNodeType()),
                "inputs": ports(node.GetInputs()),
                "outputs": ports(node.GetOutputs()),
                "values": values(node),
            }
            for node in each(one.GetNodes())
        ]
    return found


def functions(model):
    """The functions of a model."""
    iterator = model.GetFunctions()
    while iterator.MoveNext():
        yield function(iterator.GetCurrentFunction())


def objects(model):
    """How many triangles and vertices each mesh has, and which function each level set asks."""
    found = {}
    iterator = model.GetObjects()
    while iterator.MoveNext():
        one = iterator.GetCurrentObject()
        said = {"name": one.GetName(), "part": one.GetPartNumber()}
        if one.IsMeshObject():
            said["mesh"] = [one.GetVertexCount(), one.GetTriangleCount()]
        elif one.IsLevelSetObject():
            said["function"] = one.GetFunction().GetModelResourceID()
            said["channel"] = one.GetChannelName()
            said["mesh"] = one.GetMesh().GetModelResourceID()
            said["box"] = one.GetMeshBBoxOnly()
        found[one.GetModelResourceID()] = said
    return found


def items(model):
    """What is built."""
    iterator = model.GetBuildItems()
    found = []
    while iterator.MoveNext():
        item = iterator.GetCurrent()
        transform = item.GetObjectTransform()
        numbers = [transform.Fields[row][column] for row in range(4) for column in range(3)]
        found.append([item.GetObjectResource().GetModelResourceID(), item.GetPartNumber(), numbers])
    return found


def main():
    for path in sys.argv[1:]:
        try:
            model, said = read(path)
            said |= {
                "functions": list(functions(model)),
                "objects": objects(model),
                "items": items(model),
            }
        except lib3mf.ELib3MFException as error:
            said = {"error": str(error)}
        json.dump({"file": path, **said}, sys.stdout)
        print()


if __name__ == "__main__":
    main()
