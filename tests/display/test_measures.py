import numpy as np
import pytest

from margrave.display import MeasuresDisplay

ROWS = [
    {"model": "BCl", "exact_match": 0.50, "hamming_loss": 0.11, "seconds": 3.0, "note": "tuned"},
    {"model": "_LMSBN $k", "exact_match": np.float64(0.73), "hamming_loss": 0.08, "seconds": 2.0, "note": ""},
    {"model": "chain", "exact_match": 0.61, "hamming_loss": None, "seconds": 0.5, "note": ""},
]


def test_bars_are_the_rows_numbers_in_their_order():
    display = MeasuresDisplay.from_rows(ROWS).plot()
    assert display.measures == ["exact_match", "hamming_loss"]
    assert list(display.bars_) == ["BCl", "_LMSBN $k", "chain"]
    heights = [[bar.get_height() for bar in bars] for bars in display.bars_.values()]
    np.testing.assert_array_equal(heights, [[0.5, 0.11], [0.73, 0.08], [0.61, np.nan]])
    for measure in range(2):
        centres = [bars[measure].get_x() + bars[measure].get_width() / 2 for bars in display.bars_.values()]
        np.testing.assert_allclose(np.mean(centres), measure)
        assert centres == sorted(centres)
    display.figure_.canvas.draw()


def test_every_model_is_in_the_legend_and_less_is_better_is_said():
    display = MeasuresDisplay.from_rows(ROWS).plot()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["BCl", "_LMSBN $k", "chain"]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["exact\nmatch", "hamming\nloss ↓"]


def test_measures_are_chosen():
    display = MeasuresDisplay.from_rows(ROWS, measures=["seconds"]).plot(numbers=False)
    assert [bars[0].get_height() for bars in display.bars_.values()] == [3.0, 2.0, 0.5]
    assert display.ax_.get_ylim()[1] > 3.0


def test_numbers_stand_on_bars_where_there_is_room():
    written = [text.get_text() for text in MeasuresDisplay.from_rows(ROWS).plot().ax_.texts]
    assert ".500" in written and ".730" in written and "nan" not in written
    many = [{"model": f"model {i}", **{f"m{j}": 0.5 for j in range(8)}} for i in range(12)]
    assert not MeasuresDisplay.from_rows(many).plot().ax_.texts


def test_models_differ_in_more_than_colour():
    many = [{"model": str(i), "f1": 0.5} for i in range(20)]
    bars = [bars[0] for bars in MeasuresDisplay.from_rows(many).plot().bars_.values()]
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in bars}) == 20
    assert len({bar.get_hatch() for bar in bars[:8]}) == 8


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        ([], {}, "at least one model"),
        ([{"name": "a"}], {}, r"rows\[0\] has no 'model'"),
        ([{"model": "a", "f1": 0.1}, {"model": "a", "f1": 0.2}], {}, "got 'a' twice"),
        ([{"model": "a", "note": "x"}], {}, "measures must name columns of rows with numbers, got none"),
        ([{"model": "a", "f1": 0.1}], {"measures": ["F"]}, r"got \['F'\]"),
    ],
)
def test_bad_rows_are_refused(rows, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        MeasuresDisplay.from_rows(rows, **options)


def test_another_column_may_name_the_model():
    assert MeasuresDisplay.from_rows([{"who": "a", "f1": 0.1}], name="who").models == ["a"]
