"""The README's Python runs as it stands, from top to bottom."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_every_block_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    names = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    assert capsys.readouterr().out
    assert len(names["words"]) == len(names["unseen"]) == len(names["marginals"])
    assert 0 <= names["crf"].gap_ <= 1e-3
