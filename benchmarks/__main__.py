"""`python -m benchmarks [name ...] [--option ...]`: run every runner of this folder, or the named ones, in turn.

A runner is a file with a function `main(options)` that prints its tables and keeps them in `results/`; what follows the
names goes to each runner as its options (`NAME --help` lists them). A file whose name starts with an underscore is no
runner. `README.md` says what each measures, and how long it takes: all together take hours.
"""

import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path


def runners() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(arguments: list[str]) -> None:
    names = list(takewhile(lambda argument: not argument.startswith("-"), arguments))
    options = arguments[len(names) :]
    unknown = sorted(set(names) - set(runners()))
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(runners()) or 'none yet'}")
    for name in names or runners():
        print(f"\n== {name}", flush=True)
        import_module(f"benchmarks.{name}").main(options)


if __name__ == "__main__":
    main(sys.argv[1:])
