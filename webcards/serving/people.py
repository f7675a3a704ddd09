"""Who a person is and what they may do, from what the sign-in service says of them. Pure, and closed where in doubt.

Addresses are compared with ASCII letters lowered and nothing else: other foldings make two addresses of two people one.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal, Protocol

from msgspec import Struct

EVERYBODY: Final = "*"
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}")
_CAPITALS = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# Clocks of two machines differ a little: a sign-in may seem to lie ahead.
_AHEAD = 300


class Role(StrEnum):
    """What a person may do: look at everything, or run calls and batches as well."""

    READER = "reader"
    RUNNER = "runner"


class Person(Struct, frozen=True):
    """Somebody who may enter."""

    email: str
    role: Role


Reason = Literal["no e-mail", "not verified", "nobody allowed", "not allowed", "too long ago"]


class TurnedAway(Struct, frozen=True):
    """Somebody who signed in and may not enter, and why."""

    reason: Reason
    email: str


class Rules(Protocol):
    """The settings that are read here."""

    @property
    def allowed_emails(self) -> tuple[str, ...]: ...
    @property
    def allowed_domains(self) -> tuple[str, ...]: ...
    @property
    def runners(self) -> tuple[str, ...]: ...
    @property
    def readers(self) -> tuple[str, ...]: ...
    @property
    def sign_in_hours(self) -> float: ...


def judge(claims: Mapping[str, object], rules: Rules, *, now: float) -> Person | TurnedAway:
    """The person that the claims of an ID token mean (OpenID Connect Core 1.0, sections 2 and 5.1).

    `now` is in seconds since the epoch. Only an address that the service says it has verified counts.
    """
    email = address_of(claims.get("email"))
    if email is None:
        return TurnedAway("no e-mail", "")
    if not _verified(claims):
        return TurnedAway("not verified", email)
    allowed = (*rules.allowed_emails, *rules.allowed_domains)
    if not allowed:
        return TurnedAway("nobody allowed", email)
    if not closeness(email, allowed):
        return TurnedAway("not allowed", email)
    if not _recent(claims.get("iat"), rules.sign_in_hours * 3600, now):
        return TurnedAway("too long ago", email)
    return Person(email, role_of(email, rules))


def role_of(email: str, rules: Rules) -> Role:
    """What the owner of an address may do: the closer of the two lists says it, the reader's where both are as close."""
    reads, runs = closeness(email, rules.readers), closeness(email, rules.runners)
    if reads or runs:
        return Role.RUNNER if runs > reads else Role.READER
    return Role.READER if rules.runners else Role.RUNNER


def closeness(email: str, entries: Iterable[str]) -> int:
    """How closely a list names an address: 3 by itself, 2 by its domain (`a.example` or `@a.example`), 1 by `*`, 0 not at all.

    A domain does not mean those below it.
    """
    domain = email.rpartition("@")[2]
    return max((_closeness(email, domain, lowered(entry.strip())) for entry in entries), default=0)


def _closeness(email: str, domain: str, entry: str) -> int:
    if entry == email:
        return 3
    if entry.removeprefix("@") == domain:
        return 2
    return int(entry == EVERYBODY)


def address_of(claim: object) -> str | None:
    """The address in a claim, its ASCII letters lowered; None for anything that is not clearly one."""
    if not isinstance(claim, str) or not claim.isprintable() or not _ADDRESS.fullmatch(claim):
        return None
    return lowered(claim)


def lowered(text: str) -> str:
    """The text with its ASCII capitals lowered."""
    return text.translate(_CAPITALS)


def _verified(claims: Mapping[str, object]) -> bool:
    """Whether the service vouches for the address. Some write the claim as a text; Microsoft's has a name of its own."""
    return any(claims.get(name) in (True, "true", "1") for name in ("email_verified", "xms_edov"))


def _recent(issued: object, most: float, now: float) -> bool:
    number = isinstance(issued, int | float) and not isinstance(issued, bool)
    return number and -_AHEAD <= now - issued <= most  # type: ignore[operator]
