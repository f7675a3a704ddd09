"""Looks for pages that break the reader, guided by coverage (atheris, if it is installed).

`python -m benchmarks.fuzz_page [seconds] [corpus folder]`. Anything but a page or a refusal, text that cannot be encoded, or a
reading that takes longer than `SLOWEST_SECONDS` is a find; its bytes are written into the folder that the run names. Put them
into tests/fetch/broken/ once they are mended.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

SLOWEST_SECONDS = 5
MAX_BYTES = 4_096
TYPES = (
    "text/html",
    "text/html; charset=utf-8",
    "application/json",
    "application/xml",
    "text/csv",
    "",
    "text/html; charset=shift_jis",
)
SEEDS = (
    b"\x00<title>t</title><article><h1>t</h1><p>a <b>b</b> <a href=/x>c</a></p><ul><li>x</ul></article>",
    b"\x00<table><tr><th>a<td>b</table><pre><code class=language-py>x</code></pre><dl><dt>a<dd>b</dl>",
    b"\x00<p>a<sup><a href=#f>1</a></sup><p id=f>note</p><math><mi>x</mi></math><img data-src=/x alt=y>",
    b"\x02" + b'{"a": [1, {"b": "c"}]}',
    b"\x03<rss><channel><title>t</title><item><title>x</title><link>/a</link></item></channel></rss>",
    b"\x04a;b\n1;2\n",
    b"\x01" + b'<script type="application/ld+json">{"@type":"Article","headline":"h","articleBody":"b"}</script><p>x',
)


def check(data: bytes) -> None:
    """Read one input; the first byte chooses its type. Raises whatever the reader should not."""
    from webcards.contract.errors import WebError
    from webcards.fetch.bare_text import BARE_NOTE, read_bare
    from webcards.fetch.page import read_page

    kind, body = TYPES[data[0] % len(TYPES)] if data else "", data[1:]
    for read in (read_page, read_bare):
        try:
            page = read(body, url="http://fuzz.example/a/b", content_type=kind)
        except WebError:
            continue
        if read is read_page and page.note == BARE_NOTE:
            raise AssertionError("the page was read the bare way: see what html_page.py caught")
        (page.markdown + page.text + (page.title or "") + (page.byline or "") + (page.redirect or "")).encode()


def main() -> None:
    """Fuzz for a while and say how it went."""
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="webcards-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed (pip install atheris): nothing was fuzzed; the hypothesis tests run without it")
        return
    import atheris

    for number, seed in enumerate(SEEDS):
        (folder / f"seed-{number}").write_bytes(seed)
    with atheris.instrument_imports(include=["webcards.fetch", "readability"]):
        check(SEEDS[0])
    print(f"fuzzing for {seconds} s; inputs are kept in {folder}", flush=True)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={MAX_BYTES}",
        f"-timeout={SLOWEST_SECONDS}",
        f"-artifact_prefix={folder}/find-",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
