"""The door of the app: who stands before it, whether they may enter, what they may do there, and how much of it.

Without sign-in the app is for this machine alone, and whoever is there may do everything.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from secrets import token_hex
from typing import assert_never

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from components.amounts import day_and_time, duration, number
from components.i18n import _
from components.record import record
from webcards.contract import WebError
from webcards.serve import sign_in_section
from webcards.serving.limits import MINUTE, Limiter, TooMany, limits_of, nth_newest_recorded
from webcards.serving.listening import host_of_header, is_loopback
from webcards.serving.logs import CallLog
from webcards.serving.metrics import metrics
from webcards.serving.people import Person, Role, TurnedAway, judge
from webcards.settings import load_settings
from webcards.store.location import DatabaseError


@dataclass(frozen=True, slots=True)
class Anyone:
    """Whoever is there, since nobody has to sign in; `shared` if that may be somebody else than the machine's owner."""

    shared: bool


@dataclass(frozen=True, slots=True)
class SignedOut:
    """Somebody who has not signed in, and the services by which they can; a name that is None is the only one's."""

    services: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Somebody who came by an address that is not this machine's own, though nobody let others in."""

    address: str


Standing = Person | Anyone | SignedOut | TurnedAway | Elsewhere


def standing() -> Standing:
    """Who stands before the app. Raises SettingsError where that cannot be known."""
    section, settings = sign_in_section(), load_settings()
    if section is not None:
        # Streamlit reads these from the signed cookie that it set after the service's answer.
        claims = st.user.to_dict()
        if claims.get("is_logged_in") is not True:
            return SignedOut(services())
        return judge(claims, settings, now=time.time())
    if settings.serve_open:
        return Anyone(shared=True)
    listening = str(st.get_option("server.address") or "0.0.0.0")  # noqa: S104 (Streamlit's own default)
    if not is_loopback(listening):
        return Elsewhere(listening)
    # A page of the web can make a browser take its own name for this machine's; a proxy brings its name too.
    asked = st.context.headers.get("Host")
    if asked and not is_loopback(host_of_header(asked)):
        return Elsewhere(asked)
    # A proxy that says for whom it speaks: nobody on this machine needs one.
    came_from = st.context.ip_address
    if isinstance(came_from, str) and not is_loopback(came_from):
        return Elsewhere(_("a proxy"))
    return Anyone(shared=False)


def services() -> tuple[str | None, ...]:
    """The services by which people sign in, by name: each a section of `[auth]`; None is the one that stands in it itself."""
    section = sign_in_section() or {}
    named = [name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]
    return (*([None] if "client_id" in section or not named else []), *named)


def email() -> str | None:
    """The address of who has signed in, as it is recorded; None where nobody has to."""
    who = standing()
    return who.email if isinstance(who, Person) else None


def may_run() -> bool:
    """Whether who is there may run calls and batches, and change or delete what is kept."""
    match standing():
        case Person(role=role):
            return role is Role.RUNNER
        case Anyone():
            return True
        case SignedOut() | TurnedAway() | Elsewhere():
            return False
        case other:
            assert_never(other)


def runner_needed() -> bool:
    """Whether who is there is no runner; if so, the page says that it needs one. Call it where something would run."""
    if may_run():
        return False
    st.info(
        _(
            "Your role is reader: you can look at everything, but not run anything. "
            "Whoever runs this app can make you a runner."
        ),
        icon=":material/visibility:",
    )
    return True


def permit_call() -> str | None:
    """Counts a call that starts now for who is there; gives their address, if it is known.

    Raises WebError, in words for people, where they may not run anything, or not yet again.
    """
    who = standing()
    if not may_run():
        metrics().refused("role")
        raise WebError("WEB_TOOL_DISABLED", _("Your role is reader: you can look at everything, but not run anything."))
    address = who.email if isinstance(who, Person) else None
    if isinstance(who, Anyone) and not who.shared:
        return None
    # Without sign-in, people are told apart by where they come from; that is kept in memory only.
    came_from = st.context.ip_address
    counted = address or (came_from if isinstance(came_from, str) else "here")
    settings, now = load_settings(), time.time()
    limiter = _limiter(settings.calls_per_minute, settings.calls_per_day)
    late = limiter.take(counted, now=now, recorded=_in_the_record if address else None)
    if late is not None:
        metrics().refused("minute" if late.limit.seconds == MINUTE else "day")
        raise WebError("WEB_RATE_LIMITED", _too_many(late, now), retry_after=late.again_at - now)
    return address


def call_log() -> CallLog | None:
    """Where each call is told of, if the settings want that; by themselves they do for an app that others reach too."""
    section, settings = sign_in_section(), load_settings()
    shared = section is not None or settings.serve_open
    if settings.call_log == "off" or (settings.call_log == "auto" and not shared):
        return None
    return _call_log(str((section or {}).get("cookie_secret") or ""))


@lru_cache(maxsize=1)
def _call_log(secret: str) -> CallLog:
    # Without a secret that the processes share, the hashes hold for this process alone.
    return CallLog(secret or token_hex())


@lru_cache(maxsize=1)
def _limiter(per_minute: int, per_day: int) -> Limiter:
    return Limiter(limits_of(per_minute, per_day))


def _in_the_record(person: str, n: int, since: float) -> float | None:
    """When the n-th newest recorded call of a person started; None too where the record cannot be asked: then this
    process counts alone.
    """
    try:
        return nth_newest_recorded(record())(person, n, since)
    except (SQLAlchemyError, DatabaseError):
        return None


def _too_many(late: TooMany, now: float) -> str:
    if late.limit.seconds == MINUTE:
        words = _("You started %(n)s calls within a minute, as many as one person may. Try again in %(time)s.")
        again = duration(ceil(late.again_at - now) * 1000)
    else:
        words = _("You started %(n)s calls within a day, as many as one person may. Try again after %(time)s.")
        again = day_and_time(late.again_at * 1000, getattr(st.context, "timezone", None))
    return words % {"n": number(late.limit.calls), "time": again}
