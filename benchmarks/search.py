"""The built-in index: how fast it is over 100,000 made pages, and whether it finds the right page of python3-doc.

    python -m benchmarks.search [--pages N] [--only speed|questions] [--reader plain|page]

Beside tantivy (Rust) and Whoosh on the same pages and questions. The weights of all three are chosen on every other
question of the hundred. The stop words were chosen with all hundred in sight; the fifty unseen were written afterwards.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from lxml import html as lxml_html

from benchmarks.generated_pages import Web
from benchmarks.search_peers import PEERS, Peer
from webcards.library.index import Document, Index

HERE = Path(__file__).parent
BASE = "https://python-docs.example/"
QUERIES = 500
WHOOSH_SHARE = 25
"""Whoosh gets one page in so many of the speed test: it is that slow."""
Search = Callable[[str], list[str]]


class Question(msgspec.Struct, frozen=True):
    """What somebody types, and the pages that answer it."""

    question: str
    pages: list[str]


def main() -> None:
    """Run the parts asked for and print their tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pages", type=int, default=100_000, help="made pages of the speed test")
    arguments.add_argument("--only", choices=["speed", "questions"])
    arguments.add_argument("--reader", choices=["plain", "page"], default="plain", help="who reads python3-doc's HTML")
    given = arguments.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="webcards-search-") as folder:
        if given.only != "questions":
            speed(given.pages, Path(folder))
        if given.only != "speed":
            questions(given.reader, Path(folder))


def speed(number: int, folder: Path) -> None:
    """Build and search an index of made pages."""
    web = Web()
    pages = list(web.pages(number))
    queries = list(web.queries(QUERIES))
    size = statistics.mean(len(page.text) for page in pages)
    print(
        f"\n{number:,} made pages of {size:,.0f} characters, {len(queries)} queries, one thread; wall clock (processor time)\n"
    )
    print(f"{'':10} {'pages':>8} {'pages/s built':>18} {'p50 ms':>14} {'p95 ms':>14} {'p99 ms':>14} {'MB':>7}")
    for name, build in _engines(folder):
        part = pages[:: WHOOSH_SHARE if name == "Whoosh" else 1]
        wall, cpu = time.perf_counter(), time.process_time()
        search, path = build(part)
        wall, cpu = len(part) / (time.perf_counter() - wall), len(part) / (time.process_time() - cpu)
        times = sorted(_timed(search, query) for query in queries)
        own = sorted(_timed(search, query, time.thread_time) for query in queries)
        figures = "".join(f" {_at(times, share):6.1f} ({_at(own, share):5.1f})" for share in (0.5, 0.95, 0.99))
        mega = sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size
        print(f"{name:10} {len(part):8,} {wall:9,.0f} ({cpu:6,.0f}){figures} {mega / 1e6:7,.0f}", flush=True)


def questions(reader: str, folder: Path) -> None:
    """Ask every engine the questions about python3-doc."""
    root = documentation()
    if root is None:
        print("\nQuestions: left out, because python3-doc is not installed (apt-get install python3-doc).")
        return
    documents = list(read_plain(root) if reader == "plain" else _read_pages(root))
    asked = asked_questions()
    unseen = asked_questions("search_questions_unseen.json")
    print(f"\n{len(documents)} pages of {root} ({reader} reader); the right page among the first three\n")
    print(f"{'':10} {'all of 100':>10} {'50 tuned':>9} {'50 others':>9} {'50 unseen':>9} {'MRR':>6} {'ms':>6}  weights")
    for name, search, weights in _candidates(documents, asked[::2], folder):
        begun = time.perf_counter()
        ranks = [rank_of(search, question) for question in asked]
        took = (time.perf_counter() - begun) * 1000 / len(asked)
        tuned, others, more = (
            _first(ranks[::2]),
            _first(ranks[1::2]),
            _first([rank_of(search, question) for question in unseen]),
        )
        score = statistics.mean(1 / rank for rank in ranks)
        print(
            f"{name:10} {tuned + others:10} {tuned:9} {others:9} {more:9} {score:6.3f} {took:6.1f}  {weights}",
            flush=True,
        )
        if name == "ours":
            for question, rank in zip(asked, ranks, strict=True):
                if rank > 3:
                    where = f"rank {rank}" if rank <= 10 else "not found"
                    print(f"{'':12}{where}: {question.question} ({question.pages[0]})")


def _engines(folder: Path) -> Iterator[tuple[str, Callable[[Sequence[Document]], tuple[Search, Path]]]]:
    yield "ours", lambda pages: _ours(pages, folder / "ours.sqlite")
    for name, peer in PEERS.items():
        yield name, lambda pages, peer=peer, name=name: (peer(pages, folder / name).search, folder / name)  # type: ignore[misc]


def _candidates(
    documents: Sequence[Document], tuning: Sequence[Question], folder: Path
) -> Iterator[tuple[str, Search, str]]:
    """Each engine; a peer with those of its weights that find most on the tuning half."""
    yield "ours", _ours(documents, folder / "docs.sqlite")[0], "in ranking.py"
    for name, engine in PEERS.items():
        peer: Peer = engine(documents, folder / f"{name}-docs")
        tries = list(itertools.product(peer.settings, [(1, 1, 1, 1), (2, 1.5, 1.5, 1), (4, 2, 2, 1), (8, 3, 2, 1)]))

        def score(trial: tuple[str, tuple[float, ...]], peer: Peer = peer) -> tuple[int, float]:
            peer.tune(*trial)
            ranks = [rank_of(peer.search, question) for question in tuning]
            return _first(ranks), statistics.mean(1 / rank for rank in ranks)

        best = max(tries, key=score)
        peer.tune(*best)
        yield (
            name,
            peer.search,
            f"{best[0]}, title {best[1][0]}, headings {best[1][1]}, url {best[1][2]}, text {best[1][3]}",
        )


def _ours(pages: Iterable[Document], path: Path) -> tuple[Search, Path]:
    index = Index.build(pages, path)
    return lambda query: [hit.url for hit in index.search(query)], path


def documentation() -> Path | None:
    """The folder of Debian's python3-doc, or None where it is not installed."""
    folders = sorted(Path("/usr/share/doc").glob("python3*-doc/html"))
    return next((folder for folder in folders if (folder / "library").is_dir()), None)


def asked_questions(name: str = "search_questions.json") -> list[Question]:
    return msgspec.json.decode((HERE / name).read_bytes(), type=list[Question])


def rank_of(search: Search, question: Question) -> int:
    """The place of the first right page, from 1; a large number if it is not among the first ten."""
    right = {BASE + page for page in question.pages}
    return next((place for place, url in enumerate(search(question.question)[:10], 1) if url in right), 1000)


def _first(ranks: Sequence[int]) -> int:
    return sum(rank <= 3 for rank in ranks)


def _timed(search: Search, query: str, clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    search(query)
    return (clock() - begun) * 1000


def _at(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


def read_plain(root: Path) -> Iterator[Document]:
    """The pages without their furniture, read by a few lines made for this documentation's own markup."""
    for path in sorted(root.rglob("*.html")):
        if path.relative_to(root).parts[0] in ("_static", "_sources"):
            continue
        tree = lxml_html.parse(str(path)).getroot()
        for part in tree.xpath(
            "//script|//style|//nav|//a[@class='headerlink']|//div[@class='related' or @class='footer']"
        ):
            part.drop_tree()
        content = next(iter(tree.xpath("//div[@class='body']")), tree)
        for block in content.iter("p", "div", "li", "dt", "dd", "pre", "h1", "h2", "h3", "h4", "tr"):
            block.tail = f"{block.tail or ''}\n"
        headings = [" ".join(heading.text_content().split()) for heading in content.iter("h1", "h2", "h3", "h4")]
        yield Document(
            url=BASE + path.relative_to(root).as_posix(),
            title=" ".join((tree.findtext(".//title") or "").split()),
            text=content.text_content(),
            headings="\n".join(headings),
        )


def _read_pages(root: Path) -> Iterator[Document]:
    """The pages as `webcards index` reads them."""
    from webcards.fetch.page import read_page
    from webcards.library.folders import files_of, read_file
    from webcards.library.reading import read_all

    for _, document in read_all((read_file(path, root, BASE) for path in files_of(root)), read_page):
        if document is not None:
            yield document


if __name__ == "__main__":
    main()
