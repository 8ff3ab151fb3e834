"""Templates for chunking: the plain one, and what can be added to it; attributes of each token as strings."""

import re
from collections.abc import Callable, Iterator, Sequence

from margrave.features import conll_template

Sentence = Sequence[tuple[str, str]]
Template = Callable[[Sentence], list[list[str]]]


def rich(sentence: Sentence) -> list[list[str]]:
    """The plain template; how words are spelled; windows of three; conjunctions of words and parts of speech."""
    return [[*row, *_spelling(sentence, i), *_wide(sentence, i)] for i, row in enumerate(conll_template(sentence))]


#: In order of simplicity.
TEMPLATES: dict[str, Template] = {"notes": conll_template, "rich": rich}

# ----------------------------------------------------------------------------------------------------------------------

#: Runs of offsets, each with the column that is looked at: w a word, p a part of speech.
_CONJUNCTIONS = (
    *[(("w", 0), ("p", d)) for d in (-2, -1, 0, 1, 2)],
    *[(("w", d), ("p", 0)) for d in (-1, 1)],
    (("p", -1), ("w", 0), ("p", 1)),
    (("w", -1), ("p", 0), ("w", 1)),
    (("w", -1), ("w", 0), ("w", 1)),
    (("w", -1), ("w", 1)),
    (("p", -2), ("p", -1), ("p", 0), ("p", 1)),
    (("p", -1), ("p", 0), ("p", 1), ("p", 2)),
    (("p", -2), ("p", -1), ("p", 0), ("p", 1), ("p", 2)),
)


def _spelling(sentence: Sentence, i: int) -> Iterator[str]:
    """Prefixes, suffixes, shapes and capitals of a word, and less of its neighbours."""
    word = sentence[i][0]
    for n in range(1, min(len(word), 4) + 1):
        yield f"pre={word[:n].lower()}"
        yield f"suf={word[-n:].lower()}"
    for d in (-1, 0, 1):
        if 0 <= i + d < len(sentence):
            near = sentence[i + d][0]
            yield f"low[{d}]={near.lower()}"
            yield f"shape[{d}]={_shape(near)}"
            if d:
                yield f"suf[{d}]={near[-3:].lower()}"
    flags = {"title": word.istitle(), "upper": word.isupper(), "alpha": word.isalpha(), "hyphen": "-" in word}
    yield from (f"{name}|first={i == 0}" for name, holds in flags.items() if holds)


def _wide(sentence: Sentence, i: int) -> Iterator[str]:
    """What stands three tokens off, and which words and parts of speech stand together."""

    def inside(d: int) -> bool:
        return 0 <= i + d < len(sentence)

    for d in (-3, 3):
        if inside(d):
            yield f"w[{d}]={sentence[i + d][0]}"
            yield f"p[{d}]={sentence[i + d][1]}"
    for places in _CONJUNCTIONS:
        if all(inside(d) for _, d in places):
            values = "|".join(sentence[i + d]["wp".index(column)] for column, d in places)
            yield "|".join(f"{column}[{d}]" for column, d in places) + f"={values}"


def _shape(word: str) -> str:
    """Capitals X, small letters x, digits 9, runs of the same cut to one."""
    classes = re.sub("[A-Z]", "X", re.sub("[a-z]", "x", re.sub("[0-9]", "9", word)))
    return re.sub(r"(.)\1+", r"\1", classes)
