"""Times numpy and numexpr on functions that come as kernel operations; run by evaluate.rs.

Reads {"points": N, "functions": {NAME: [[OPERATION, OPERAND...], ...]}} from standard input, each operation after its
operands, and writes {NAME: {"numpy": NS, "numexpr": NS or null}}: nanoseconds per point, f64, one thread, best of
several runs. numpy gets blocks that stay in the cache, of the size that serves it best, and writes in place; numexpr gets
one expression per value that is used more than once.
"""

import json
import sys
import time

import numexpr
import numpy as np

UNARY = {
    "Neg": np.negative, "Abs": np.abs, "Sqrt": np.sqrt, "Floor": np.floor, "Ceil": np.ceil,
    "Sin": np.sin, "Cos": np.cos, "Exp": np.exp, "Log": np.log,
}
BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide,
    "Min": np.minimum, "Max": np.maximum,
}
TEXT = {
    "Neg": "(-{})", "Abs": "abs({})", "Sqrt": "sqrt({})", "Floor": "floor({})", "Ceil": "ceil({})",
    "Sin": "sin({})", "Cos": "cos({})", "Exp": "exp({})", "Log": "log({})",
    "Add": "({}+{})", "Sub": "({}-{})", "Mul": "({}*{})", "Div": "({}/{})",
    "Min": "minimum({},{})", "Max": "maximum({},{})",
}


def best(run, seconds=1.0):
    """The shortest of the runs that fit into some seconds, at least three."""
    shortest, begun, runs = float("inf"), time.perf_counter(), 0
    while runs < 3 or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
        runs += 1
    return shortest


def in_numpy(operations, points, block):
    """A run over all points in blocks, each value in an array that is given up after its last use."""
    last = {}
    for place, (_, *operands) in enumerate(operations):
        for operand in operands:
            last[operand] = place
    arrays, free, places, steps = 0, [], {}, []
    for place, (name, *operands) in enumerate(operations):
        if name in ("Variable", "Constant"):
            continue
        given_up = [operand for operand in set(operands) if last[operand] == place and operand in places]
        free.extend(places[operand] for operand in given_up)
        if free:
            own = free.pop()
        else:
            own, arrays = arrays, arrays + 1
        steps.append((UNARY.get(name) or BINARY[name], operands, own))
        places_of_operands = [places.get(operand) for operand in operands]
        steps[-1] += (places_of_operands,)
        places[place] = own
    buffers = [np.empty(block) for _ in range(arrays)]
    values = np.empty(len(points[0]))

    def run():
        for start in range(0, len(points[0]), block):
            cut = [axis[start:start + block] for axis in points]
            length = len(cut[0])
            for function, operands, own, held in steps:
                arguments = []
                for operand, buffer in zip(operands, held):
                    if buffer is not None:
                        arguments.append(buffers[buffer][:length])
                    else:
                        kind, value = operations[operand]
                        arguments.append(cut[value] if kind == "Variable" else value)
                function(*arguments, out=buffers[own][:length])
            values[start:start + length] = buffers[steps[-1][2]][:length]

    return run


def in_numexpr(operations, points):
    """A run over all points, one expression per value that several others take."""
    uses = {}
    for _, *operands in ((name, *operands) for name, *operands in operations if name not in ("Variable", "Constant")):
        for operand in operands:
            uses[operand] = uses.get(operand, 0) + 1
    texts, expressions = {}, []
    names = dict(zip("xyz", points))
    for place, (name, *operands) in enumerate(operations):
        if name == "Variable":
            texts[place] = "xyz"[operands[0]]
        elif name == "Constant":
            texts[place] = f"({operands[0]!r})"
        else:
            text = TEXT[name].format(*(texts[operand] for operand in operands))
            if uses.get(place, 0) > 1 or len(text) > 1000 or place == len(operations) - 1:
                expressions.append((f"v{place}", text))
                text = f"v{place}"
            texts[place] = text

    def run():
        held = dict(names)
        for name, text in expressions:
            held[name] = numexpr.evaluate(text, local_dict=held, global_dict={})

    return run


def main():
    """Times every function."""
    asked = json.load(sys.stdin)
    numexpr.set_num_threads(1)
    count = asked["points"]
    random = np.random.default_rng(7)
    points = [random.uniform(-1, 1, count) for _ in range(3)]
    answers = {}
    for name, operations in asked["functions"].items():
        operations = [tuple(operation) for operation in operations]
        numpy_best = min(best(in_numpy(operations, points, block), 0.7) for block in (2048, 8192, 32768))
        try:
            numexpr_best = best(in_numexpr(operations, points), 0.7) / count * 1e9
        except (MemoryError, RecursionError, ValueError, SyntaxError, NotImplementedError):
            numexpr_best = None
        answers[name] = {"numpy": numpy_best / count * 1e9, "numexpr": numexpr_best}
    json.dump(answers, sys.stdout)


main()
