"""`python -m benchmarks [name ...]`: run every runner of this folder, or the named ones, one after the other.

A runner is a file with a function `main()` that prints one table. A file whose name starts with an underscore is none.
"""

import sys
from importlib import import_module
from pathlib import Path


def runners() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(names: list[str]) -> None:
    unknown = sorted(set(names) - set(runners()))
    if unknown:
        sys.exit(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join(runners()) or 'none yet'}")
    for name in names or runners():
        print(f"\n== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
