"""How a command ends: its exit code, and one line on standard error for whatever went wrong."""

import sys

import typer

from webcards.commands.streams import OutputError

# What Typer raises for a command line that it cannot use; where it keeps them has changed more than once.
_UsageError, _CommandError = typer.BadParameter.__mro__[1:3]


def run_command(command: typer.Typer) -> int:
    """Runs the command that the process was started with and gives the exit code.

    2: something that the one who called can mend; 1: the output cannot be written, or a fault of the program's own;
    130: interrupted. A reader that goes before the end is no fault.
    """
    try:
        code = command(standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # whatever it is, it ends in one line
        return _ended(_innermost(error))
    return code if isinstance(code, int) else 0


def tell(message: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"webcards: {' '.join(message.split())}\n")


def _innermost(error: BaseException) -> BaseException:
    """The first error of a group: a server's tasks wrap theirs."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _ended(error: BaseException) -> int:
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        tell(str(error.code))
        return 1
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return 130
    if isinstance(error, BrokenPipeError):
        return 0
    if isinstance(error, OutputError):
        if not error.reader_gone:
            tell(str(error))
        return 0 if error.reader_gone else 1
    words = _words(error)
    if words is not None:
        if words:
            tell(words)
        return 2
    if sys.flags.dev_mode:
        raise error
    kind = type(error).__name__
    tell(f"a fault of the program's own: {kind}: {error}. `{sys.executable} -X dev -m webcards …` shows where it is.")
    return 1


def _words(error: BaseException) -> str | None:
    """What the one who called can mend, in words ("" where it is said already); None for any other error."""
    if isinstance(error, _CommandError):
        return _usage(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'reading or writing failed'}: {error.strerror or error}."
    from sqlalchemy.exc import DBAPIError

    from webcards.contract import WebError
    from webcards.settings import SettingsError
    from webcards.store.location import DatabaseError

    if isinstance(error, DBAPIError):
        return f"the database cannot be used: {error.orig}. WEBCARDS_DATABASE_URL names it."
    return str(error) if isinstance(error, (WebError, SettingsError, DatabaseError)) else None


def _usage(error: BaseException) -> str:
    """Typer's words for a command line that it cannot use, and where to look; "" if it has shown the help itself."""
    said = str(error.format_message()).strip()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None) if isinstance(error, _UsageError) else None
    if not said or context is None:
        return said
    return f"{said.removesuffix('.')}. `{context.command_path} --help` says what it takes."
