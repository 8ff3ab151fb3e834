"""A folder served over localhost, in place of a public origin."""

import http.server
import threading
from functools import partial

import pytest


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@pytest.fixture
def served(tmp_path):
    """A folder served over localhost as a repository at a commit; yields (folder, address)."""
    folder = tmp_path / "served" / "owner" / "name" / "c0ffee"
    folder.mkdir(parents=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "served")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()
