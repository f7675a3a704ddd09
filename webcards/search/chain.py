"""A chain of engines: the first that answers, and a plain word on why the ones before it did not.

`auto` is such a chain. Which engines stand in it is the settings' and `auto`'s part.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from webcards.contract.errors import WebError
from webcards.contract.values import WebSearchResult
from webcards.search.provider import (
    SearchProvider,
    SearchRequest,
    label_of,
    missing_options,
    refuse_missing_options,
    unavailable,
)

OUTAGE_SECONDS = 30.0
"""How long an engine that could not be reached is not tried again."""


class Outages:
    """Which engines could not be reached a moment ago, so that the next search need not wait to learn it again."""

    def __init__(self, seconds: float = OUTAGE_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._since: dict[str, float] = {}

    def note(self, address: str) -> None:
        """The engine at this address could not be reached now."""
        self._since[address] = self._clock()

    def forget(self, address: str) -> None:
        """The engine at this address has answered."""
        self._since.pop(address, None)

    def standing(self, address: str) -> bool:
        """Whether the engine was out of reach within the last `seconds`."""
        since = self._since.get(address)
        return since is not None and self._clock() - since < self._seconds


OUTAGES = Outages()
"""The process's own memory: providers may be made anew for each search."""


class Skipped(Struct, frozen=True):
    """An engine of the chain that did not answer."""

    id: str
    label: str
    error: WebError
    reason: str


class Answered(Struct, frozen=True):
    """A result, the engine that gave it, and those of a chain that were asked before it and did not answer."""

    result: WebSearchResult
    engine: SearchProvider
    skipped: tuple[Skipped, ...] = ()


async def ask(provider: SearchProvider, request: SearchRequest) -> Answered:
    """Ask an engine, or a chain of them, and know who answered. Raises as `SearchProvider.search`."""
    if isinstance(provider, Chain):
        return await provider.answer(request)
    return Answered(await provider.search(request), provider)


def within_reach(provider: SearchProvider) -> list[SearchProvider]:
    """Who would answer a search now, as far as is known without asking: of a chain, those that may be asked."""
    return provider.within_reach() if isinstance(provider, Chain) else [provider]


class Chain:
    """Engines asked one after the other until one answers.

    An engine that cannot be reached, is not set up, asks to wait or fails hands over to the next. The `offline` engines
    are no part of the web: they answer only if every engine before them could not be reached at all. `unknown` are the
    ids that the settings name and nobody has: with any, the chain is not available.
    """

    def __init__(
        self,
        id_: str,
        members: Sequence[SearchProvider],
        *,
        offline: frozenset[str] = frozenset({"library"}),
        outages: Outages = OUTAGES,
        timeout: float = 30.0,
        unknown: Sequence[str] = (),
    ) -> None:
        self.id = id_
        self.label = "The chain of engines"
        self.members = tuple(members)
        self._offline = offline
        self._outages = outages
        self._timeout = timeout
        self._unknown = tuple(unknown)

    @property
    def options(self) -> frozenset[str]:
        """What any of the engines has; one that lacks what is asked for is passed over."""
        return frozenset().union(*(member.options for member in self.members))

    def available(self) -> str | None:
        if self._unknown:
            return f"WEBCARDS_SEARCH_CHAIN names {', '.join(self._unknown)}, which no search provider is called."
        reasons = [unavailable(member) for member in self.members]
        if None in reasons:
            return None
        return " ".join(reason for reason in reasons if reason) or "No engine stands in WEBCARDS_SEARCH_CHAIN."

    def within_reach(self) -> list[SearchProvider]:
        """The engines that are set up and were not out of reach a moment ago; the offline ones if no other is."""
        ready = [
            member
            for member in self.members
            if unavailable(member) is None and not self._outages.standing(_address(member))
        ]
        return [member for member in ready if member.id not in self._offline] or ready

    async def search(self, request: SearchRequest) -> WebSearchResult:
        return (await self.answer(request)).result

    async def answer(self, request: SearchRequest) -> Answered:
        """As `search`, and which engine it was."""
        refuse_missing_options(self, request)
        skipped: list[Skipped] = []
        deadline = asyncio.get_running_loop().time() + self._timeout
        for number, member in enumerate(self.members):
            if member.id in self._offline and not all(_out_of_reach(skip) for skip in skipped):
                break
            try:
                result = await self._ask_in_time(member, request, deadline, self._may_follow(number))
            except WebError as error:
                skipped.append(Skipped(member.id, label_of(member), error, _short(error, member)))
                continue
            return Answered(_with_note(result, member, skipped) if skipped else result, member, tuple(skipped))
        raise _all_failed(skipped)

    def _may_follow(self, number: int) -> int:
        """How many engines of the web come after this one, which must have time left."""
        return sum(1 for member in self.members[number + 1 :] if member.id not in self._offline)

    async def _ask_in_time(
        self, member: SearchProvider, request: SearchRequest, deadline: float, after: int
    ) -> WebSearchResult:
        """Ask one engine, within its share of the time that is left for all."""
        seconds = (deadline - asyncio.get_running_loop().time()) / (1 + after)
        try:
            async with asyncio.timeout(seconds):
                return await self._ask(member, request)
        except TimeoutError as error:
            raise WebError(
                "WEB_FETCH_TIMEOUT", f"{_capital(label_of(member))} did not answer within {seconds:.1f} seconds."
            ) from error

    async def _ask(self, member: SearchProvider, request: SearchRequest) -> WebSearchResult:
        if reason := unavailable(member):
            raise WebError("WEB_PROVIDER_CREDENTIAL_MISSING", reason)
        if missing := missing_options(member, request):
            raise WebError("WEB_INVALID_ARGUMENTS", f"{label_of(member)} has no {' and no '.join(missing)}.")
        address = _address(member)
        if self._outages.standing(address):
            raise WebError("WEB_PROVIDER_UNAVAILABLE", f"{label_of(member)} could not be reached a moment ago.")
        try:
            result = await member.search(request)
        except WebError as error:
            if error.code == "WEB_PROVIDER_UNAVAILABLE":
                self._outages.note(address)
            raise
        except Exception as error:  # a plug-in's fault is no reason for the next engine not to answer
            said = f"{_capital(label_of(member))} failed because of a fault of its own ({type(error).__name__})."
            raise WebError("WEB_PROVIDER_ERROR", said) from error
        self._outages.forget(address)
        return result


def _address(member: SearchProvider) -> str:
    """What is remembered of an engine's being out of reach belongs to the place where it is asked."""
    return f"{member.id} {getattr(member, 'address', '')}"


def _out_of_reach(skip: Skipped) -> bool:
    return skip.error.code in ("WEB_PROVIDER_UNAVAILABLE", "WEB_PROVIDER_CREDENTIAL_MISSING")


def _short(error: WebError, member: SearchProvider) -> str:
    """Why an engine did not answer, as the second half of a sentence."""
    match error.code:
        case "WEB_PROVIDER_UNAVAILABLE":
            return "could not be reached"
        case "WEB_PROVIDER_CREDENTIAL_MISSING":
            return "is not set up"
        case "WEB_RATE_LIMITED":
            return "refused for now because of too many searches"
        case "WEB_FETCH_TIMEOUT":
            return "did not answer in time"
        case "WEB_INVALID_ARGUMENTS":
            return f"cannot do what was asked ({error.message.removeprefix(label_of(member)).strip(' .')})"
        case _:
            return "failed"


def _with_note(result: WebSearchResult, member: SearchProvider, skipped: Sequence[Skipped]) -> WebSearchResult:
    reasons = _joined([f"{skip.label} {skip.reason}" for skip in skipped])
    found = "" if result.sources or result.content is not UNSET else " It found nothing."
    note = f"{_capital(reasons)}, so {label_of(member)} answered.{found}"
    return replace(result, content=note if result.content is UNSET else f"{note}\n\n{result.content}")


def _all_failed(skipped: Sequence[Skipped]) -> WebError:
    if len(skipped) == 1:
        return skipped[0].error
    # An engine that answered, if only with a refusal, says more than one that was out of reach.
    told = next((skip.error for skip in skipped if not _out_of_reach(skip)), skipped[0].error)
    waits = [skip.error.retry_after for skip in skipped if skip.error.retry_after is not None]
    reasons = " ".join(_capital(skip.error.message) for skip in skipped)
    if unable := [skip.label for skip in skipped if skip.error.code == "WEB_INVALID_ARGUMENTS"]:
        reasons += f" Without that, {_joined(unable)} can be asked."
    return WebError(told.code, f"No search engine answered. {reasons}", retry_after=min(waits, default=None))


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
