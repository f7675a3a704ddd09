"""Dead links: URLs whose latest fetch failed, and how many searches cited them."""

from msgspec import Struct
from sqlalchemy import Connection, func, select

from webcards.store.filters import Filter
from webcards.store.recording import link_hash
from webcards.store.schema import calls, sources


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


def dead_links(connection: Connection, wanted: Filter, *, now: int, limit: int = 20) -> list[DeadLink]:
    """The URLs that failed most often in the range and failed on their latest fetch, whenever that was."""
    since, until = wanted.window(now)
    failures = func.count().label("failures")
    grouped = (
        select(calls.c.url, failures)
        .where(
            calls.c.started_at >= since,
            calls.c.started_at < until,
            calls.c.url.is_not(None),
            calls.c.dead.is_(True),
            *wanted.conditions(calls),
        )
        .group_by(calls.c.url)
        .order_by(failures.desc(), calls.c.url)
        .limit(limit * 3)
    )
    found: list[DeadLink] = []
    for url, number in connection.execute(grouped).all():
        latest = connection.execute(
            select(calls.c.host, calls.c.status_code, calls.c.error_code, calls.c.started_at, calls.c.dead)
            .where(calls.c.url == url, calls.c.settled_at.is_not(None))
            .order_by(calls.c.started_at.desc())
            .limit(1)
        ).one()
        if not latest.dead or len(found) == limit:
            continue
        cited = connection.execute(
            select(func.count()).select_from(sources).where(sources.c.link == link_hash(url), sources.c.url == url)
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
