"""Times numpy and numexpr on functions that come as kernel operations; run by evaluate.rs.

Reads {"points": N, "functions": {NAME: [[OPERATION, OPERAND...], ...]}} from standard input, each operation after its
operands, and writes {NAME: {"numpy": NS, "numexpr": NS or null}}: nanoseconds per point, f64, one thread, best of
several runs. numpy gets blocks that stay in the cache, of the size that serves it best, and writes in place; numexpr gets
one expression per value that is used more than once.
"""

import json
import sys

import numexpr
import numpy as np

from kernel import best, in_numpy

TEXT = {
    "Neg": "(-{})", "Abs": "abs({})", "Sqrt": "sqrt({})", "Floor": "floor({})", "Ceil": "ceil({})",
    "Sin": "sin({})", "Cos": "cos({})", "Exp": "exp({})", "Log": "log({})",
    "Add": "({}+{})", "Sub": "({}-{})", "Mul": "({}*{})", "Div": "({}/{})",
    "Min": "minimum({},{})", "Max": "maximum({},{})", "Select": "where({}<{},{},{})",
}


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
