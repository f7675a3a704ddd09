"""The command line: run a tool, present or render recorded results, read files as a fetch would, start the app."""

import asyncio
import json
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

if TYPE_CHECKING:
    from webcards.store.recorder import Recorder

app = typer.Typer(
    name="webcards",
    help="Web search and web fetch for agents, with the result kept as a card beside the text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def run(
    tool: Annotated[str, typer.Argument(help="web_search or web_fetch")],
    args_json: Annotated[str, typer.Argument(metavar="ARGS_JSON", help='the arguments, such as \'{"query": "…"}\'')],
) -> None:
    """Runs a tool and prints one JSON object: call, result and view. An error result is a result: exit 0."""
    from webcards.store.recorder import settle_recorded
    from webcards.tools.opening import open_registry
    from webcards.tools.registry import execution_json, no_progress

    try:
        args = json.loads(args_json)
    except (ValueError, RecursionError) as error:
        _stop(f'ARGS_JSON is no JSON: {error}. Give an object, such as \'{{"query": "harbour dues"}}\'.')

    async def execute() -> dict[str, object]:
        async with open_registry() as registry:
            call = registry.start(tool, args)
            with _recorder() as recorder:
                settled = await settle_recorded(registry, recorder, call, on_progress=no_progress)
            return execution_json(settled)

    _print(asyncio.run(execute()))


@app.command()
def present(tool: Annotated[str, typer.Argument(help="the tool whose results they are")]) -> None:
    """Reads {"args", "result"} lines on stdin and prints the view of each, or the path and reason of the fallback."""
    from webcards.contract import Refusal
    from webcards.tools.presenters import explain

    for args, result in _recorded(sys.stdin.buffer):
        outcome = explain(tool, args, result)
        if isinstance(outcome, Refusal):
            _print({"view": None, "fallback": msgspec.to_builtins(outcome)})
        else:
            _print({"view": msgspec.to_builtins(outcome), "fallback": None})


@app.command()
def render(
    tool: Annotated[str, typer.Argument(help="the tool whose results they are")],
    page: Annotated[bool, typer.Option("--page", help="a standalone document with all the cards")] = False,
) -> None:
    """Reads {"args", "result"} lines on stdin and prints each one's card, or its fallback, as HTML."""
    from components.markup import page_html, result_html

    cards = (
        result_html(tool, args, result, card_id=f"card{number}")
        for number, (args, result) in enumerate(_recorded(sys.stdin.buffer), 1)
    )
    if page:
        _write(page_html("\n".join(cards)))
        return
    for card in cards:
        _write(card)


@app.command()
def extract(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="saved pages; .gz is unpacked")],
    url: Annotated[str, typer.Option(help="where the page came from: relative links are made absolute with it")] = "",
    content_type: Annotated[str | None, typer.Option(help="the Content-Type it was sent with")] = None,
) -> None:
    """Prints what a fetch would make of each file, as one JSON object a line."""
    from webcards.contract import WebError
    from webcards.fetch.page import read_page

    for file in files:
        began = time.perf_counter()
        try:
            body = _unpacked(file)
            began = time.perf_counter()
            page = read_page(body, url=url or "https://page.example/", content_type=content_type)
        except WebError as error:
            _print({"file": str(file), "error": {"code": error.code, "message": error.message}})
            continue
        except (OSError, EOFError, zlib.error) as error:
            _print({"file": str(file), "error": {"code": "FILE", "message": f"cannot be read: {error}"}})
            continue
        ms = (time.perf_counter() - began) * 1000
        known = {"title": page.title, "byline": page.byline, "published": page.published, "lang": page.lang}
        _print({"file": str(file), **known, "markdown": page.markdown, "text": page.text, "ms": round(ms, 2)})


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="the port to listen on")] = 8501,
    open_to_everyone: Annotated[
        bool, typer.Option("--open-to-everyone", help="let others in though nobody has to sign in")
    ] = False,
) -> None:
    """Starts the app, on this machine alone unless people sign in or everybody is let in."""
    from webcards.serve import serve as start

    start(host, port, open_to_everyone=open_to_everyone)


@app.command()
def index(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="folders, files, WARCs, sitemaps (files or URLs)")
    ],
    out: Annotated[Path, typer.Option(help="the index to make")] = Path("library.sqlite"),
    base_url: Annotated[str | None, typer.Option(help="the address that the folder's pages have on the web")] = None,
) -> None:
    """Makes pages of your own searchable and fetchable: WEBCARDS_LIBRARY then names the index."""
    from webcards.index_command import index_into

    index_into(paths, out, base_url)


@app.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="serve HTTP instead of standard input and output")] = False,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="the port to listen on")] = 8502,
) -> None:
    """Serves the two tools to any agent over the Model Context Protocol, and records each call."""
    from webcards import mcp_server

    try:
        asyncio.run(mcp_server.run(http=http, host=host, port=port))
    except mcp_server.ListenError as error:
        _stop(str(error))


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def batch(context: typer.Context) -> None:
    """Runs many queries and URLs through the two tools; `batch --help` lists what it can do."""
    # Its own commands are loaded when they are asked for: they bring the database with them.
    from webcards.batch.command import app as batches

    batches(args=context.args, prog_name=context.command_path)


@app.command()
def worker(
    lanes: Annotated[int, typer.Option(min=1, max=500, help="how many lanes to work on at once")] = 16,
) -> None:
    """Works on batches, with other workers on as many machines as there are, from one PostgreSQL."""
    from webcards.batch.command import worker as work

    work(lanes)


FormatName = Annotated[str | None, typer.Option("--format", help="the log's format, where it is not to be recognised")]


@app.command()
def replay(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="logs of any known format; - is standard input")],
    format_name: FormatName = None,
) -> None:
    """Prints each web call of logs as one JSON object a line; what cannot be read is told on stderr."""
    from webcards.logs.command import CannotReadError, replay_lines

    try:
        for line in replay_lines(files, format_name, _tell):
            _write(line)
    except CannotReadError as error:
        _stop(str(error))


@app.command()
def convert(
    file: Annotated[str, typer.Argument(help="a log of any known format; - is standard input")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the file to write; standard output if left out")
    ] = None,
    format_name: FormatName = None,
) -> None:
    """Writes a log as a native session log, from which the same cards come."""
    from webcards.logs.command import CannotReadError
    from webcards.logs.command import convert as convert_log

    try:
        if out is None:
            with open(
                sys.stdout.fileno(), "w", encoding="utf-8", errors="replace", newline="\n", closefd=False
            ) as target:
                convert_log(file, target, format_name, _tell)
        else:
            with out.open("w", encoding="utf-8", errors="replace", newline="\n") as target:
                count = convert_log(file, target, format_name, _tell)
            _tell(f"{count} calls in {out}")
    except CannotReadError as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{out} cannot be written: {error.strerror}")


@app.command()
def export(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="logs of any known format")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="a .html report of all cards; sources as .csv, .md or .parquet")
    ],
    format_name: FormatName = None,
) -> None:
    """Writes a report that needs no server, or the sources as a table; secrets are masked."""
    from webcards.logs.command import CannotReadError, calls_of, export_sources
    from webcards.logs.masking import mask_call

    try:
        if out.suffix.lower() == ".html":
            from components.report import report_html

            calls = (mask_call(call)[0] for call in calls_of(files, format_name, _tell))
            with out.open("w", encoding="utf-8", errors="replace") as target:
                target.write(report_html(calls))
        else:
            export_sources(files, out, format_name, _tell)
    except CannotReadError as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{out} cannot be written: {error.strerror}")


def _tell(message: str) -> None:
    sys.stderr.write(f"webcards: {message}\n")


@contextmanager
def _recorder() -> Iterator["Recorder | None"]:
    """What records the call; None, with a line on stderr, where the database cannot be opened."""
    from webcards.settings import load_settings
    from webcards.store.location import DatabaseError
    from webcards.store.opening import open_store
    from webcards.store.recorder import Recorder

    try:
        store = open_store(load_settings())
    except DatabaseError as error:
        sys.stderr.write(f"webcards: the call is not recorded. {error}\n")
        yield None
        return
    with store:
        yield Recorder(store, source="cli")


def _recorded(stream: Iterable[bytes]) -> Iterator[tuple[Any, Any]]:
    """(args, result) of each line; a line that cannot be read counts as one without either."""
    for line in stream:
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            yield record.get("args"), record.get("result")
        else:
            yield None, None


def _unpacked(file: Path) -> bytes:
    body = file.read_bytes()
    if body.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.decompress(body)
    return body


def _print(value: object) -> None:
    try:
        line = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        # JSON beyond msgspec's reach: integers of more than 64 bits, halves of surrogate pairs.
        line = json.dumps(value, ensure_ascii=True)
    _write(line)


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def _stop(message: str) -> None:
    sys.stderr.write(f"webcards: {message}\n")
    raise typer.Exit(2)


def main() -> None:
    """The entry point: errors that a person can mend end in one line, never in a traceback."""
    from webcards.contract import WebError
    from webcards.settings import SettingsError

    try:
        app()
    except (SettingsError, WebError) as error:
        sys.stderr.write(f"webcards: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
