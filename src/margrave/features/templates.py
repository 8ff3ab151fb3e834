"""Templates: from the columns of a sentence to the attributes of its tokens."""

from collections.abc import Sequence


def conll_template(sentence: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Attributes of the tokens of a sentence for chunking: windows, pairs and triples of words and parts of speech.

    For the token at position i, every one of these that lies inside the sentence:

    - `bias`; `__BOS__` at the first token, `__EOS__` at the last;
    - the word and the part of speech at i - 2 to i + 2;
    - the pairs of words (i - 1, i) and (i, i + 1);
    - the pairs of parts of speech that begin at i - 2 to i + 1, the triples that begin at i - 2 to i.

    Takes O(T) time for T tokens; at most 22 attributes a token.

    Parameters
    ----------
    sentence : sequence of (word, part of speech)
        T tokens.

    Returns
    -------
    list of T lists of str
        The attributes of each token, each with weight one.

    References
    ----------
    .. [1] N. Okazaki, "CRFsuite: a fast implementation of conditional random fields", 2007 (its chunking example).

    Examples
    --------
    >>> rows = conll_template([("the", "DT"), ("cat", "NN")])
    >>> rows[0][:4]
    ['bias', 'w[0]=the', 'p[0]=DT', 'w[1]=cat']
    >>> rows[1][-2:]
    ['p[-1]|p[0]=DT|NN', '__EOS__']
    """
    words = [token[0] for token in sentence]
    tags = [token[1] for token in sentence]
    return [_attributes(words, tags, i) for i in range(len(words))]


def _attributes(words: list[str], tags: list[str], i: int) -> list[str]:
    """All attributes of token i; an offset d is used where i + d lies inside the sentence."""
    n = len(words)
    # The first and the last offset inside the sentence: a range of offsets is then cut, not tested one by one.
    first, last = -min(i, 2), min(n - 1 - i, 2)
    row = ["bias"]
    for d in range(first, last + 1):
        row += (f"w[{d}]={words[i + d]}", f"p[{d}]={tags[i + d]}")
    row += [f"w[{d}]|w[{d + 1}]={words[i + d]}|{words[i + d + 1]}" for d in range(max(first, -1), min(last, 1))]
    row += [f"p[{d}]|p[{d + 1}]={tags[i + d]}|{tags[i + d + 1]}" for d in range(first, last)]
    row += [
        f"p[{d}]|p[{d + 1}]|p[{d + 2}]={tags[i + d]}|{tags[i + d + 1]}|{tags[i + d + 2]}"
        for d in range(first, last - 1)
    ]
    if i == 0:
        row.append("__BOS__")
    if i == n - 1:
        row.append("__EOS__")
    return row
