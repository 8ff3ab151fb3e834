import pytest
from matplotlib.figure import Figure

from margrave.display import LossBoundDisplay, save_figure


def drawn():
    return LossBoundDisplay.from_range(n_points=21).plot().figure_


def test_both_files_are_written_and_nothing_else(tmp_path):
    png, svg = save_figure(drawn(), tmp_path / "new" / "figure-2.lower")
    assert png == tmp_path / "new" / "figure-2.lower.png" and svg == tmp_path / "new" / "figure-2.lower.svg"
    assert sorted(tmp_path.rglob("*.*")) == [png, svg]
    assert png.read_bytes().startswith(b"\x89PNG") and b"<svg" in svg.read_bytes()


@pytest.mark.parametrize("stem", ["losses", "losses.png", "losses.SVG"])
def test_a_suffix_is_taken_off(tmp_path, stem):
    assert [path.name for path in save_figure(drawn(), tmp_path / stem)] == ["losses.png", "losses.svg"]


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first, second = save_figure(drawn(), tmp_path / "a"), save_figure(drawn(), tmp_path / "b")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_files_name_neither_date_nor_program(tmp_path):
    png, svg = save_figure(drawn(), tmp_path / "a")
    assert b"Software" not in png.read_bytes()
    assert b"<dc:date>" not in svg.read_bytes() and b"<dc:title>Matplotlib" not in svg.read_bytes()


def test_a_failure_leaves_what_was_there(tmp_path, monkeypatch):
    before = [path.read_bytes() for path in save_figure(drawn(), tmp_path / "a")]
    write = Figure.savefig

    def fail_on_svg(figure, path, **options):
        write(figure, path, **options)
        if options["format"] == "svg":
            raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fail_on_svg)
    figure = drawn()
    figure.axes[0].set_title("changed")
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure, tmp_path / "a")
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == before
