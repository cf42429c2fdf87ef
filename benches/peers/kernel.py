"""Kernel operations in numpy, and times of what is run; used by the scripts beside it."""

import time

import numpy as np


def select(a, b, then, otherwise, out):
    """`then` where a < b, else `otherwise`; `out` may be one of them."""
    out[...] = np.where(a < b, then, otherwise)


FUNCTIONS = {
    "Neg": np.negative, "Abs": np.abs, "Sqrt": np.sqrt, "Floor": np.floor, "Ceil": np.ceil,
    "Sin": np.sin, "Cos": np.cos, "Exp": np.exp, "Log": np.log,
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide,
    "Min": np.minimum, "Max": np.maximum, "Select": select,
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
    """A run that gives the values at all points, in blocks, each value in an array that is given up after its last use."""
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
        steps.append((FUNCTIONS[name], operands, own))
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
        return values

    return run
