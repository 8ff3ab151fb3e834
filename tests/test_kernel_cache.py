import os

import pytest

from tools.kernel_cache import kernel_cache, kernel_sources


@pytest.fixture
def root(tmp_path):
    package = tmp_path / "src" / "margrave"
    for name in ("primitives", "inference", "losses"):
        (package / name).mkdir(parents=True)
    (package / "primitives" / "exponential.py").write_text("x = 1\n")
    (package / "inference" / "forest.py").write_text("from margrave.primitives import kernel\n")
    (package / "losses" / "costs.py").write_text("import numpy\n")
    return tmp_path


@pytest.mark.parametrize("name", ["primitives/exponential.py", "inference/forest.py"])
def test_another_kernel_another_folder(root, name):
    before = kernel_cache(root)
    with (root / "src" / "margrave" / name).open("a") as file:
        file.write("# changed\n")
    assert kernel_cache(root) != before


def test_other_files_do_not_matter(root):
    before = kernel_cache(root)
    (root / "src" / "margrave" / "losses" / "costs.py").write_text("import scipy\n")
    assert kernel_cache(root) == before
    assert len(kernel_sources(root / "src" / "margrave")) == 2


def test_a_renamed_kernel_file_is_another_state(root):
    before = kernel_cache(root)
    (root / "src/margrave/inference/forest.py").rename(root / "src/margrave/inference/trees.py")
    assert kernel_cache(root) != before


def test_tests_run_with_a_cache_folder_of_their_own():
    import numba

    assert numba.config.CACHE_DIR == os.environ["NUMBA_CACHE_DIR"]
