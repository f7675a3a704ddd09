"""The command line: run a tool, present or render recorded results, read files as a fetch would, start the app."""

import asyncio
import json
import sys
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

ToolChoice = Literal["web_search", "web_fetch"]

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
    from webcards.tools.opening import open_registry
    from webcards.tools.registry import execution_json

    try:
        args = json.loads(args_json)
    except (ValueError, RecursionError) as error:
        _stop(f'ARGS_JSON is no JSON: {error}. Give an object, such as \'{{"query": "harbour dues"}}\'.')

    async def execute() -> dict[str, object]:
        async with open_registry() as registry:
            return execution_json(await registry.execute(tool, args))

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
) -> None:
    """Starts the app, with the security headers."""
    from webcards.serve import serve as start

    start(host, port)


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
