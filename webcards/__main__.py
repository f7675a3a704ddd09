"""The command line: run a tool, present or render recorded results, read files as a fetch would, start the app."""

import asyncio
import codecs
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, NoReturn, cast

import msgspec
import typer

from webcards.commands.ending import run_command, tell
from webcards.commands.streams import secure_streams

if TYPE_CHECKING:
    from webcards.store.recorder import Recorder

app = typer.Typer(
    name="webcards",
    help="Web search and web fetch for agents, with the result kept as a card beside the text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


ToolName = Annotated[str, typer.Argument(metavar="TOOL", help="web_search or web_fetch")]


@app.command()
def run(
    tool: ToolName,
    args_json: Annotated[str, typer.Argument(metavar="ARGS_JSON", help='the arguments, such as \'{"query": "…"}\'')],
) -> None:
    """Runs a tool and prints one JSON object: call, result and view. An error result is a result: exit 0."""
    from webcards.store.recorder import settle_recorded
    from webcards.tools.opening import open_registry
    from webcards.tools.registry import execution_json, no_progress

    args = _arguments(args_json)

    async def execute() -> dict[str, object]:
        async with open_registry() as registry:
            call = registry.start(tool, args)
            with _recorder() as recorder:
                settled = await settle_recorded(registry, recorder, call, on_progress=no_progress)
            return execution_json(settled)

    _print(asyncio.run(execute()))


@app.command()
def present(tool: ToolName) -> None:
    """Reads {"args", "result"} lines on stdin and prints the view of each, or the path and reason of the fallback.

    A line that is no such object has the fallback that says where it is at fault. Blank lines are passed over.
    """
    from webcards.commands.recorded import read_recorded
    from webcards.contract import Refusal
    from webcards.tools.presenters import explain

    for line in read_recorded(_stdin()):
        outcome = line.fault or explain(tool, line.args, line.result)
        if isinstance(outcome, Refusal):
            _print({"view": None, "fallback": msgspec.to_builtins(outcome)})
        else:
            _print({"view": msgspec.to_builtins(outcome), "fallback": None})


@app.command()
def render(
    tool: ToolName,
    page: Annotated[bool, typer.Option("--page", help="a standalone document with all the cards")] = False,
) -> None:
    """Reads {"args", "result"} lines on stdin and prints each one's card, or its fallback, as HTML.

    A line that is no such object is shown as it is, with where it is at fault. Blank lines are passed over.
    """
    from components.markup import generic_html, page_html, result_html
    from webcards.commands.recorded import read_recorded

    cards = (
        generic_html(tool, line.text, refusal=line.fault, card_id=f"card{number}")
        if line.fault
        else result_html(tool, line.args, line.result, card_id=f"card{number}")
        for number, line in enumerate(read_recorded(_stdin()), 1)
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
    """Prints what a fetch would make of each file, as one JSON object a line.

    A file that cannot be read has a line that says why; the others are read all the same, and the exit code is 1.
    """
    from webcards.commands.saved_pages import UnreadableError, read_saved
    from webcards.settings import load_settings

    limit = load_settings().fetch_max_bytes
    failed = False
    for file in files:
        try:
            read = read_saved(file, url=url, content_type=content_type, limit=limit)
        except UnreadableError as error:
            failed = True
            read = {"error": {"code": error.code, "message": str(error)}}
        _print({"file": str(file), **read})
    if failed:
        raise typer.Exit(1)


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

    code = batches(args=context.args, prog_name=context.command_path, standalone_mode=False)
    if code:
        raise typer.Exit(code)


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
        for line in replay_lines(files, format_name, tell):
            _write(line)
    except CannotReadError as error:
        _stop(str(error))


@app.command()
def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a log of any known format; - is standard input")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the file to write; standard output if left out")
    ] = None,
    format_name: FormatName = None,
) -> None:
    """Writes a log as a native session log, from which the same cards come."""
    from webcards.logs.command import STDIN, CannotReadError
    from webcards.logs.command import convert as convert_log

    _all_there([file])
    if out is not None and out.exists() and file != STDIN and Path(file).exists() and out.samefile(file):
        _stop(f"{out} is the log itself, and would be overwritten before it is read. Name another file.")
    try:
        if out is None:
            # Not a wrapper of its own, which would close standard output when it is done.
            target = cast("IO[str]", codecs.getwriter("utf-8")(sys.stdout.buffer))
            convert_log(file, target, format_name, tell)
        else:
            with out.open("w", encoding="utf-8", errors="replace", newline="\n") as written:
                count = convert_log(file, written, format_name, tell)
            tell(f"{count} calls in {out}")
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

    _all_there(files)
    try:
        if out.suffix.lower() == ".html":
            from components.report import report_html

            calls = (mask_call(call)[0] for call in calls_of(files, format_name, tell))
            with out.open("w", encoding="utf-8", errors="replace") as target:
                target.write(report_html(calls))
        else:
            export_sources(files, out, format_name, tell)
    except CannotReadError as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{out} cannot be written: {error.strerror}")


def _all_there(files: list[str]) -> None:
    """Stops where a log is not there, before what was written earlier is overwritten with nothing."""
    from webcards.logs.command import STDIN

    for file in files:
        try:
            if file != STDIN:
                Path(file).stat()
        except OSError as error:
            _stop(f"{file} cannot be read: {error.strerror}.")


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
        tell(f"the call is not recorded. {error}")
        yield None
        return
    with store:
        yield Recorder(store, source="cli")


def _arguments(text: str) -> object:
    """The args of a call, from JSON; what is none ends the command in a line that says where."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        why = f"{error.msg[:1].lower()}{error.msg[1:].removesuffix(':')} at {where}"
    except RecursionError:
        why = "it is nested too deeply to be read"
    except ValueError as error:
        why = str(error) if isinstance(error, _NoNumberError) else "a number in it is too long to be read"
    tell(f'ARGS_JSON is no JSON that can be used: {why}. Give an object, such as \'{{"query": "harbour dues"}}\'.')
    raise typer.Exit(2)


class _NoNumberError(ValueError):
    """A word that JavaScript has for a number and JSON has not."""


def _no_number(word: str) -> None:
    raise _NoNumberError(f"it has no {word}")


def _stdin() -> io.BufferedReader:
    return cast("io.BufferedReader", sys.stdin.buffer)


def _print(value: object) -> None:
    from webcards.contract import json_text

    _write(json_text(value))


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def _stop(message: str) -> NoReturn:
    tell(message)
    raise typer.Exit(2)


def main() -> None:
    """The entry point: whatever happens ends in an exit code and at most one line, never in a traceback."""
    secure_streams()
    sys.exit(run_command(app))


if __name__ == "__main__":
    main()
