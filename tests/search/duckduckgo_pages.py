"""Pages as DuckDuckGo's HTML endpoint sends them (structure as seen in 2026; the words are ours)."""

from html import escape
from urllib.parse import quote


def results(*rows: tuple[str, str, str | None], query: str = "quay dues", ad: bool = False) -> str:
    """A page of results, each a title, the address that it leads to, and a snippet or none. Titles and snippets are HTML."""
    blocks = "".join(_result(title, wrapped(url), snippet, "web-result") for title, url, snippet in rows)
    paid = _result(
        "Rope, cheap",
        f"https://duckduckgo.com/y.js?ad_domain=shop.example&u3={quote('https://a.example')}",
        "Buy",
        "result--ad",
    )
    return _page(
        query,
        f'<div class="serp__results"><div id="links" class="results">{paid if ad else ""}{blocks}{_NEXT}</div></div>',
    )


def nothing(query: str = "zzzqqq") -> str:
    """The page that says that there are no results."""
    note = f'<div class="no-results">No results found for <b>{escape(query)}</b></div>'
    return _page(query, f'<div class="serp__results"><div id="links" class="results">{note}</div></div>')


def robot_test(query: str = "quay dues") -> str:
    """The test for robots, which comes with 202 and with 200."""
    return _page(
        query,
        '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&amp;cc=botnet" method="POST">'
        '<div class="anomaly-modal__mask"><div class="anomaly-modal__modal" data-testid="anomaly-modal">'
        '<div class="anomaly-modal__title">Bots come here too.</div></div></div></form>',
    )


def changed(query: str = "quay dues") -> str:
    """A page of another design, which nobody here can read."""
    return _page(
        query,
        '<main><article data-testid="result"><h3><a href="https://docs.example/dues">Dues</a></h3></article></main>',
    )


def wrapped(url: str) -> str:
    """A result's link, which leads over DuckDuckGo."""
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='')}&rut=0a1b2c3d"


_NEXT = (
    '<div class="nav-link"><form action="/html/" method="post"><input type="submit" value="Next">'
    '<input type="hidden" name="q" value="quay dues"><input type="hidden" name="s" value="10"></form></div>'
)


def _result(title: str, href: str, snippet: str | None, kind: str) -> str:
    link = escape(href)
    words = f'<a class="result__snippet" href="{link}">{snippet}</a>' if snippet is not None else ""
    return (
        f'<div class="result results_links results_links_deep {kind} ">'
        f'<div class="links_main links_deep result__body"><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{link}">{title}</a></h2>'
        f'<div class="result__extras"><div class="result__extras__url"><a class="result__url" href="{link}">docs.example</a></div></div>'
        f'{words}<div class="clear"></div></div></div>'
    )


def _page(query: str, content: str) -> str:
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html><head>'
        f"<title>{escape(query)} at DuckDuckGo</title></head><body class='body--html'>"
        f'<div id="header"><form name="x" class="header__form" action="/html/" method="post">'
        f'<input name="q" class="search__input" value="{escape(query)}"></form></div>{content}</body></html>'
    )
