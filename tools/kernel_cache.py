"""Name the folder of compiled kernels: `.cache/numba/<hash>`, printed, so that make and conftest.py agree.

Numba looks at the file of a kernel when it decides whether a compiled copy is still good, not at the files of the
kernels that it calls: after a change of the callee it runs the old machine code without a word. So every state of the
sources gets a folder of its own. Only code that imports `margrave.primitives` can hold kernels.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

from llvmlite.binding import get_host_cpu_name

ROOT = Path(__file__).resolve().parent.parent


def kernel_sources(package: Path) -> list[Path]:
    """The files whose change may change machine code, sorted."""
    primitives = package / "primitives"
    return [
        path
        for path in sorted(package.rglob("*.py"))
        if primitives in path.parents or "margrave.primitives" in path.read_text(encoding="utf-8")
    ]


def kernel_cache(root: Path = ROOT) -> Path:
    """The folder for the kernels as they are written now, under this Numba, on this processor."""
    package = root / "src" / "margrave"
    digest = hashlib.sha256(f"{version('numba')} {version('llvmlite')} {get_host_cpu_name()}".encode())
    for path in kernel_sources(package):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return root / ".cache" / "numba" / digest.hexdigest()[:16]


if __name__ == "__main__":
    print(kernel_cache())
