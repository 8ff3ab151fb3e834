"""Files that somebody with bad intentions would write: changed, with a checksum that is right again."""

import hashlib
import json


def resigned(content):
    """The same file with a checksum that is right again."""
    start = 8 + len(b'{"sha256": "')
    content = bytearray(content)
    content[start : start + 64] = b"0" * 64
    content[start : start + 64] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def with_header(content, change):
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return resigned(len(text).to_bytes(8, "little") + text + content[8 + length :])
