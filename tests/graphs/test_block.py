import pytest

from margrave.graphs import Block, potts


def test_sizes():
    block = Block("tables", 5, 2, 1, potts(4))
    assert (block.width, block.size, block.n_cells) == (2, 10, 16)
    assert Block("nodes", 5, 2, 3).n_cells == 3


def test_a_basis_of_another_size_is_refused():
    with pytest.raises(ValueError, match="block 'tables' has 2 entries, but its basis expands 1"):
        Block("tables", 1, 1, 2, potts(2))
