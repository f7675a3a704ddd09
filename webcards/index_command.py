"""`python -m webcards index`: makes an index of pages of one's own, showing how far it is and what could not be read."""

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from webcards.contract import WebError
from webcards.fetch.fetcher import Fetcher
from webcards.fetch.page import read_page
from webcards.library.indexing import IndexReport, Progress, index_paths
from webcards.library.sources import FetchedBody
from webcards.settings import load_settings

SHOWN_FAILURES = 20


def index_into(paths: list[str], out: Path, base_url: str | None) -> None:
    """Indexes the paths into `out`. Raises `WebError` where nothing was indexed or it cannot be written."""
    if out.exists() and not out.is_file():
        raise WebError("WEB_INVALID_ARGUMENTS", f"{out} is no file, and the index would take its place. Name another.")
    console = Console(stderr=True, soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Indexing", total=None)

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total)

        try:
            report = index_paths(paths, out, read_page, show, base_url=base_url, fetch=_fetch)
        except (OSError, ValueError) as error:
            raise WebError("WEB_INVALID_ARGUMENTS", f"Nothing was indexed. {error}") from None
    _tell(console, report)
    if not report.pages:
        raise WebError("WEB_INVALID_ARGUMENTS", "No page was indexed: what is named above holds none that can be read.")


async def _fetch(url: str) -> FetchedBody:
    """A page of a sitemap, as it was sent. Raises `WebError`, for one with a bad status too."""
    fetcher = Fetcher(load_settings())
    try:
        answer = await fetcher.retrieve(url)
    finally:
        await fetcher.aclose()
    if not 200 <= answer.status < 300:
        raise WebError("WEB_PROVIDER_ERROR", f"the server answered with status {answer.status}")
    return FetchedBody(answer.url.href, answer.content_type, answer.body)


def _tell(console: Console, report: IndexReport) -> None:
    rate = report.pages / report.seconds if report.seconds else 0.0
    done = f"{report.pages} pages in {report.path} ({report.seconds:.1f} s, {rate:.0f} a second)."
    console.print(done, markup=False, highlight=False)
    if report.skipped:
        console.print(f"{report.skipped} files of other kinds were passed over.", highlight=False)
    for failure in report.failures[:SHOWN_FAILURES]:
        console.print(f"Not indexed: {failure.where}: {failure.reason}", markup=False, highlight=False)
    if len(report.failures) > SHOWN_FAILURES:
        console.print(f"… and {len(report.failures) - SHOWN_FAILURES} more that could not be read.", highlight=False)
    if report.pages:
        console.print(f"To use it: WEBCARDS_LIBRARY={report.path}", markup=False, highlight=False)
