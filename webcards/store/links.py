"""Hosts and links: which hosts are cited and fetched most, and which links are dead."""

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Subquery, case, func, literal, or_, select, union_all

from webcards.store.filters import DAY, Filter
from webcards.store.rollup import failed, sealed_until
from webcards.store.schema import calls, host_days, sources

DEAD_STATUSES = (404, 410)
# The server could not be reached, or did not answer. A refusal (401, 403, 429, a blocked address) is no dead
# link.
DEAD_ERRORS = ("WEB_PROVIDER_ERROR", "WEB_FETCH_TIMEOUT")
_SUMMED = {"tool", "provider", "source", "outcome"}


class Host(Struct, frozen=True):
    """How often a host stood among the sources of a search, was fetched, and how often that failed."""

    host: str
    cited: int
    fetched: int
    failed: int


class DeadLink(Struct, frozen=True):
    """A URL whose latest fetch failed: how it failed, how often in the range, when last, how many searches
    cited it.
    """

    url: str
    host: str | None
    status_code: int | None
    error_code: str | None
    failures: int
    last_at: int
    cited: int


def cites(host: str) -> ColumnElement[bool]:
    """True for a call that has the host among its sources."""
    return calls.c.id.in_(select(sources.c.call).where(sources.c.host == host))


def top_hosts(connection: Connection, wanted: Filter, *, now: int, limit: int = 20) -> list[Host]:
    """The hosts that were cited and fetched most."""
    rows = _host_rows(connection, wanted, now)
    cited = func.sum(case((rows.c.role == "cited", rows.c.seen), else_=0))
    fetched = func.sum(case((rows.c.role == "fetched", rows.c.seen), else_=0))
    query = (
        select(rows.c.host, cited, fetched, func.sum(rows.c.failed))
        .group_by(rows.c.host)
        .order_by((cited + fetched).desc(), rows.c.host)
        .limit(limit)
    )
    return [Host(host, int(a), int(b), int(c)) for host, a, b, c in connection.execute(query)]


def _host_rows(connection: Connection, wanted: Filter, now: int) -> Subquery:
    since, until = wanted.window(now)
    _, until_day = sealed_until(connection)
    first, last = -(-since // DAY), min(until // DAY, until_day)
    if first >= last or wanted.fields_set - _SUMMED:
        return union_all(*_host_arms(wanted, since, until)).subquery()
    summed = select(host_days.c.role, host_days.c.host, host_days.c.seen, host_days.c.failed).where(
        host_days.c.day >= first, host_days.c.day < last, *wanted.conditions(host_days)
    )
    return union_all(summed, *_host_arms(wanted, since, first * DAY), *_host_arms(wanted, last * DAY, until)).subquery()


def _host_arms(wanted: Filter, since: int, until: int) -> list[Any]:
    if since >= until:
        return []
    conditions = [calls.c.started_at >= since, calls.c.started_at < until, *wanted.conditions(calls)]
    cited = (
        select(literal("cited").label("role"), sources.c.host, func.count().label("seen"), literal(0).label("failed"))
        .select_from(calls.join(sources, sources.c.call == calls.c.id))
        .where(*conditions)
        .group_by(sources.c.host)
    )
    fetched = (
        select(literal("fetched"), calls.c.host, func.count(), func.sum(failed()))
        .where(calls.c.host.is_not(None), *conditions)
        .group_by(calls.c.host)
    )
    return [cited, fetched]


def dead_links(connection: Connection, wanted: Filter, *, now: int, limit: int = 20) -> list[DeadLink]:
    """The URLs that failed most often in the range and failed on their latest fetch, whenever that was."""
    since, until = wanted.window(now)
    dead = or_(calls.c.status_code.in_(DEAD_STATUSES), calls.c.status_class == 5, calls.c.error_code.in_(DEAD_ERRORS))
    failures = func.count().label("failures")
    grouped = (
        select(calls.c.url, failures)
        .where(
            calls.c.started_at >= since,
            calls.c.started_at < until,
            calls.c.url.is_not(None),
            dead,
            *wanted.conditions(calls),
        )
        .group_by(calls.c.url)
        .order_by(failures.desc(), calls.c.url)
        .limit(limit * 3)
    )
    found: list[DeadLink] = []
    for url, number in connection.execute(grouped).all():
        latest = connection.execute(
            select(calls.c.host, calls.c.status_code, calls.c.error_code, calls.c.started_at, dead.label("dead"))
            .where(calls.c.url == url, calls.c.settled_at.is_not(None))
            .order_by(calls.c.started_at.desc())
            .limit(1)
        ).one()
        if not latest.dead or len(found) == limit:
            continue
        cited = connection.execute(
            select(func.count()).select_from(sources).where(sources.c.host == latest.host, sources.c.url == url)
        ).scalar()
        found.append(
            DeadLink(
                url,
                latest.host,
                latest.status_code,
                latest.error_code,
                number,
                latest.started_at,
                int(cited or 0),
            )
        )
    return found
