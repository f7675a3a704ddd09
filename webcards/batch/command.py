"""`python -m webcards batch …` and `worker`: batches from the command line, with a progress bar that people
expect.
"""

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from webcards.batch import batches, changes, schedule
from webcards.batch.items import Items, read_items
from webcards.batch.lane import Ending, run_here
from webcards.batch.options import Options
from webcards.serving.limits import limits_of
from webcards.settings import load_settings
from webcards.store import Store
from webcards.store.location import DatabaseError
from webcards.store.opening import open_store
from webcards.store.store import now_ms
from webcards.tools.opening import open_registry

app = typer.Typer(
    name="batch",
    help="Runs many queries and URLs through the two tools.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console(stderr=True)

# The largest number that both databases hold.
_MOST = 2**63 - 1
_Run = Annotated[
    int, typer.Argument(metavar="RUN", min=1, max=_MOST, help="the number of a run, as `batch list` shows it")
]


@app.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="a list, CSV, JSON Lines or log of queries and URLs; - reads stdin")
    ],
    name: Annotated[str, typer.Option(help="what the batch is called")] = "",
    concurrency: Annotated[int, typer.Option(help="calls at once")] = 8,
    per_host: Annotated[int, typer.Option(help="calls at once to one host")] = 2,
    delay: Annotated[int, typer.Option(help="milliseconds between the starts of two calls to one host")] = 0,
    retries: Annotated[int, typer.Option(help="how often a call that failed for the moment is tried again")] = 1,
    deadline: Annotated[float, typer.Option(help="seconds after which no more calls start; 0: none")] = 0,
    workers: Annotated[bool, typer.Option("--workers", help="leaves it to the workers on this PostgreSQL")] = False,
) -> None:
    """Makes a batch of a file and runs it. Interrupted, it is gone on with by `batch resume`."""
    options = Options(
        concurrency=concurrency,
        per_host=per_host,
        delay_ms=delay,
        retries=retries,
        deadline_s=deadline or None,
    )
    with _words(), open_store(load_settings()) as store:
        read = _read(file)
        batch = batches.create(store, name or file.name, read.items, options)
        started = batches.start_run(store, batch, on_workers=workers)
        console.print(f"Batch {batch}, run {started}: {len(read.items):,} calls.")
        _follow(store, started, here=not workers)


@app.command()
def resume(run: _Run) -> None:
    """Goes on with a run that was paused, stopped or broken off."""
    with _words(), open_store(load_settings()) as store:
        found = _found(store, run)
        batches.resume(store, run)
        _follow(store, run, here=not found.on_workers)


@app.command()
def pause(run: _Run) -> None:
    """Lets a run start no more calls, wherever it runs."""
    with _words(), open_store(load_settings()) as store:
        _found(store, run)
        console.print("Paused." if batches.pause(store, run) else "It was not running.")


@app.command()
def stop(run: _Run) -> None:
    """Stops a run, wherever it runs; calls under way are cancelled."""
    with _words(), open_store(load_settings()) as store:
        _found(store, run)
        console.print("Stopped." if batches.stop(store, run) else "It had ended.")


@app.command(name="list")
def list_() -> None:
    """Shows all batches and their runs."""
    with _words(), open_store(load_settings()) as store:
        table = Table("run", "batch", "calls", "state", "settled", "errors")
        for batch in batches.list_batches(store):
            for found in batches.list_runs(store, batch.id):
                done = batches.progress(store, found.id)
                cells = (found.id, f"{batch.id} {batch.name}", batch.items, found.state, done.settled, done.errors)
                table.add_row(*(_plain(cell) for cell in cells))
        Console().print(table)


@app.command()
def show(
    run: _Run,
    errors: Annotated[bool, typer.Option("--errors", help="only the calls that failed")] = False,
) -> None:
    """Prints the results of a run, one line a call: status, title, URL or query."""
    with _words(), open_store(load_settings()) as store:
        _found(store, run)
        after = 0
        while page := batches.results(store, run, after=after, limit=500, outcome="error" if errors else None):
            for result in page:
                status = result.error_code or result.status_code or result.outcome or result.state
                sys.stdout.write(f"{_plain(status)}\t{_plain(result.title or '')}\t{_plain(result.subject)}\n")
            after = page[-1].position


@app.command()
def compare(
    run: _Run,
    earlier: Annotated[
        int, typer.Option("--with", min=0, max=_MOST, help="the run before; the batch's last one if left out")
    ] = 0,
) -> None:
    """Shows what changed since an earlier run: new, gone, status, title, text."""
    with _words(), open_store(load_settings()) as store:
        _found(store, run)
        before = earlier or changes.run_before(store, run)
        if not before:
            message = f"run {run} is the first of its batch; name another with --with"
            raise LookupError(message)
        _found(store, before)
        found = changes.compare(store, before, run)
        for change in found:
            if change.kinds == ("same",):
                continue
            old, new = (side.status if side else "-" for side in (change.before, change.after))
            sys.stdout.write(f"{', '.join(change.kinds)}\t{old} → {new}\t{_plain(change.args)}\n")
        console.print(", ".join(f"{kind}: {number:,}" for kind, number in changes.counts(found).items()))


@app.command()
def nightly(
    batch: Annotated[int, typer.Argument(metavar="BATCH", min=1, max=_MOST, help="the number of a batch")],
    at: Annotated[str, typer.Argument(metavar="TIME", help="the time of day, such as 02:30; 'never' ends it")],
    zone: Annotated[str, typer.Option(help="whose clock that is")] = "UTC",
) -> None:
    """Runs a batch each day at a time, while the app or a worker runs; `batch compare` shows what changed."""
    with _words(), open_store(load_settings()) as store:
        if batches.get_batch(store, batch) is None:
            message = f"there is no batch {batch}"
            raise LookupError(message)
        next_at = schedule.set_schedule(store, batch, None if at == "never" else at, zone=zone, now=now_ms())
        console.print("It runs no more by itself." if next_at is None else f"It runs each day at {at} ({zone}).")


def worker(
    lanes: Annotated[int, typer.Option(min=1, max=500, help="how many lanes to work on at once")] = 16,
) -> None:
    """Works on batches, with other workers on as many machines as there are, from one PostgreSQL."""
    from webcards.batch.workers import work

    settings = load_settings()
    limits = limits_of(settings.calls_per_minute, settings.calls_per_day)
    with _words(), open_store(settings) as store:
        console.print(f"Working on the batches in {store.location}; Ctrl-C ends it.")
        asyncio.run(work(store, open_registry, lanes_at_once=lanes, limits=limits))


def _read(file: Path) -> Items:
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    read = read_items(data, name=file.name)
    for left in read.left[:10]:
        console.print(f"line {left.line}: {_plain(left.reason)}", markup=False)
    if len(read.left) > 10:
        console.print(f"and {len(read.left) - 10:,} more lines that cannot be used")
    if read.repeated:
        console.print(f"{read.repeated:,} calls stood there more than once and are made once")
    return read


def _follow(store: Store, run: int, *, here: bool) -> None:
    """Runs it here, or waits for the workers, with a progress bar."""
    ending = asyncio.run(_followed(store, run, here=here))
    done = batches.progress(store, run)
    found = _found(store, run)
    reason = f": {found.reason}" if found.reason else ""
    if ending == "taken":
        console.print(f"Run {run} is run by another process already.")
        raise typer.Exit(3)
    console.print(f"Run {run} {found.state}{reason}: {done.settled:,} of {done.total:,}, {done.errors:,} errors.")


async def _followed(store: Store, run: int, *, here: bool) -> Ending:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(f"run {run}", total=None, words="")
        working = asyncio.create_task(_run_here(store, run) if here else _run_elsewhere(store, run))
        while not working.done():
            await asyncio.wait({working}, timeout=0.5)
            done = await asyncio.to_thread(batches.progress, store, run)
            left = "" if done.seconds_left is None else f", {done.seconds_left:,.0f} s left"
            words = f"{done.rate:,.1f}/s{left}, {done.errors:,} errors"
            bar.update(task, total=done.total, completed=done.settled, words=words)
    return working.result()


async def _run_here(store: Store, run: int) -> Ending:
    async with open_registry() as registry:
        return await run_here(store, registry, run)


async def _run_elsewhere(store: Store, run: int) -> Ending:
    while (found := await asyncio.to_thread(batches.get_run, store, run)) and found.state == "running":  # noqa: ASYNC110
        await asyncio.sleep(0.5)
    return "done"


def _found(store: Store, run: int) -> batches.Run:
    found = batches.get_run(store, run)
    if found is None:
        message = f"there is no run {run}; `batch list` shows those that there are"
        raise LookupError(message)
    return found


def _plain(value: object) -> str:
    """A value on one line, without what would move a terminal's cursor."""
    return "".join(character if character.isprintable() else " " for character in str(value))


@contextlib.contextmanager
def _words() -> Iterator[None]:
    """Turns the faults that a person can mend into one line."""
    try:
        yield
    except (LookupError, ValueError, DatabaseError) as error:
        console.print(f"webcards: {error}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None
    except OSError as error:
        named = error.filename or "reading or writing failed"
        console.print(f"webcards: {named}: {error.strerror}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None
