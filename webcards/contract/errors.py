"""The one error that a tool raises on purpose, and the codes it may carry."""

from typing import Literal, get_args

ErrorCode = Literal[
    "WEB_INVALID_ARGUMENTS",
    "WEB_INVALID_URL",
    "WEB_BLOCKED_URL",
    "WEB_REDIRECT_BLOCKED",
    "WEB_FETCH_TOO_LARGE",
    "WEB_FETCH_TIMEOUT",
    "WEB_UNSUPPORTED_CONTENT_TYPE",
    "WEB_ABORTED",
    "WEB_PROVIDER_ERROR",
    "WEB_RATE_LIMITED",
    "WEB_PROVIDER_CREDENTIAL_MISSING",
    "WEB_PROVIDER_UNAVAILABLE",
    "WEB_PROVIDER_CONFIGURED_MISSING",
    "WEB_PROVIDER_CONFIGURED_UNAVAILABLE",
    "WEB_PROVIDER_AMBIGUOUS",
    "WEB_DUPLICATE_PROVIDER",
    "WEB_TOOL_DISABLED",
    "WEB_UNKNOWN_TOOL",
    "WEB_INTERNAL_ERROR",
]

ERROR_CODES: tuple[str, ...] = get_args(ErrorCode)


class WebError(Exception):
    """A call that failed in a way a person can understand.

    `code` is one of `ERROR_CODES`; `message` says what happened and what to do; `retry_after` is the number of seconds
    after which the same call may succeed, where the other side said so.
    """

    def __init__(self, code: ErrorCode, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        # An error crosses process boundaries (extraction runs in workers); Exception's own pickling would lose the code.
        return _rebuild, (self.code, self.message, self.retry_after)


def _rebuild(code: ErrorCode, message: str, retry_after: float | None) -> WebError:
    return WebError(code, message, retry_after=retry_after)
