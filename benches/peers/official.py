"""Times lib3mf as it reads and writes 3MF files; run by threemf.rs.

Each line of standard input is a path, or two: the file is read, or what the first holds is read and written to the
second. Each line of the answer is the seconds that the reading, or the writing alone, took.
"""

import sys
import time

import lib3mf

WRAPPER = lib3mf.get_wrapper()


def read(path):
    """A model as lib3mf has it by default, and the seconds."""
    begun = time.perf_counter()
    model = WRAPPER.CreateModel()
    model.QueryReader("3mf").ReadFromFile(path)
    return model, time.perf_counter() - begun


def main():
    """Answers each line until there are no more; the model that was read last is kept for writing."""
    held, path = None, None
    print(*WRAPPER.GetLibraryVersion(), sep=".", flush=True)
    for line in sys.stdin:
        paths = line.rstrip("\n").split("\t")
        if len(paths) == 1:
            held, path = None, None
            _, seconds = read(paths[0])
        else:
            if path != paths[0]:
                (held, _), path = read(paths[0]), paths[0]
            begun = time.perf_counter()
            held.QueryWriter("3mf").WriteToFile(paths[1])
            seconds = time.perf_counter() - begun
        print(seconds, flush=True)


main()
