"""Whether a source's title names another site than the one that its link leads to: that is how a link is passed off.

Of the 1,500 top-level domains many are words of programs (`open`, `name`, `run`), and a mark that fires wrongly is one that
nobody heeds. So a name counts with a suffix that people know from sites, and not where it is known for files and programs,
unless `https://` or `www.` says that it is a site. Which part of a host is a site's own is told by the few suffixes below which
anybody can register.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from webcards.contract import Host, link_host

# What is read of a title.
LONGEST_TITLE = 4_000


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KNOWN = _words(
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc "
    "cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga "
    "gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp "
    "ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms "
    "mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro "
    "rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt "
    "tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw "
    "com org net edu gov mil int info biz pro mobi travel jobs asia aero coop museum eus cat xyz online site shop "
    "store club live top vip bank app dev page cloud tech website space blog news wiki world finance money agency "
    "digital email support services solutions systems network software company foundation academy london berlin paris "
    "tokyo nyc icu cyou link click example test onion рф укр бел срб 中国 中國 公司 网络 香港 台湾 台灣 한국 ไทย みんな भारत"
)
# Endings of files: README.md, main.rs, setup.py.
_OF_FILES = _words("ac am app bz cc la md mk ml pm ps py rs sh so st tf vi ws")
# Endings that are a site's more often than a file's, but for the names that files usually have.
_OF_SOME_FILES = frozenset({"pl", "in", "pt"})
_FILES = _words("main index setup test tests run install config configure script hello example build model makefile")
# ASP.NET, Socket.IO; java.net, logger.info, window.top.
_OF_PRODUCTS = frozenset({"net", "io"})
_PROGRAMS = _words(
    "asp ado vb ml paint json java javax system std node fs socket engine rx window document console log logger "
    "logging self this event user os sys math config request response data"
)
_NOT_OF_PROGRAMS = frozenset({"com", "org", "edu", "gov", "example", "test"})
# What stands first in the name of a package: com.example.app.
_REVERSED = _words("com org net edu gov io dev")
# Below these of a country, and below these hosters, anybody can register.
_SECOND_LEVEL = _words("co com org net ac edu gov go gob gouv ne or nic ltd plc sch")
_HOSTERS = _words(
    "github.io gitlab.io blogspot.com wordpress.com appspot.com firebaseapp.com web.app pages.dev workers.dev r2.dev "
    "vercel.app netlify.app herokuapp.com onrender.com fly.dev readthedocs.io cloudfront.net amazonaws.com "
    "azurewebsites.net windows.net surge.sh neocities.org glitch.me translate.goog repl.co replit.app deno.dev "
    "ngrok.io trycloudflare.com wixsite.com"
)
_LABEL = r"[^\W_](?:[^\W_]|-){0,62}"
_NAME = re.compile(
    rf"(?:(?P<scheme>https?://)|(?<![\w@.-]))(?P<name>{_LABEL}(?:\.{_LABEL}){{1,10}})(?![\w-]|\.[^\W_])", re.IGNORECASE
)
# What stands behind a site in an address is the site's own matter.
_PATH = re.compile(r"(?::\d+)?[/?#]")
_DOT_INSIDE = re.compile(r"\.\w")
# A name between words that are written without spaces.
_HAN = "\u2e80-\U0003ffff"
_WORDS_BEFORE = re.compile(rf"[{_HAN}]+(?=[a-zA-Z0-9])")
_WORDS_BEHIND = re.compile(rf"(?<=[a-zA-Z])[{_HAN}].*\Z")


def other_site(title: str, host: Host) -> str:
    """The first site that a title names and that is not the host's own; "" if there is none."""
    title = title[:LONGEST_TITLE]
    if not title.isascii():
        # As it looks: without what is not seen, and with full-width letters as what they stand for.
        if not title.isprintable():
            title = "".join(char for char in title if unicodedata.category(char) != "Cf")
        title = unicodedata.normalize("NFKC", title)
    if not _DOT_INSIDE.search(title):
        return ""
    real = host.ascii.split(":")[0]
    return next((named for name in _sites(title) if (named := _named_other(name, real))), "")


@lru_cache(maxsize=4096)
def _named_other(name: str, real: str) -> str:
    """The name without the words that are glued to it, if it is not the real host's site; else ""."""
    spellings = {name, _WORDS_BEFORE.sub("", name, 1)}
    hosts = [found.ascii for spelling in spellings if (found := link_host(f"https://{spelling}/"))]
    other = bool(hosts) and not any(_same_site(claimed, real) for claimed in hosts)
    return min(spellings, key=len) if other else ""


def _sites(title: str) -> Iterator[str]:
    for word in filter(_DOT_INSIDE.search, title.split()):
        for found in _NAME.finditer(word):
            name = _WORDS_BEHIND.sub("", found["name"])
            certain = bool(found["scheme"]) or name.lower().startswith("www.")
            if not found["scheme"] and word[found.end() : found.end() + 1] == "@":
                # The first half of an e-mail address.
                continue
            if certain or _is_site(name.split(".")):
                yield name.lower()
                if _PATH.match(word, found.end()):
                    break


def _is_site(labels: list[str]) -> bool:
    """Whether a name is a site's, by its suffix and by what else has names like it."""
    *_, stem, ending = labels
    suffix = ending.lower()
    if suffix not in _KNOWN or (len(labels) > 2 and labels[0].lower() in _REVERSED):
        return False
    capitals = all(label.isupper() and len(label) > 1 for label in labels)
    if (len(suffix) == 2 or suffix in _OF_PRODUCTS) and ending.isascii() and not (ending.islower() or capitals):
        # "Dues rose.It was", "Socket.IO", "System.Net".
        return False
    own = stem.lower()
    if len(labels) > 2 and own in _SECOND_LEVEL and len(suffix) == 2:
        return True
    if len(labels) == 2 and (
        (own in _PROGRAMS and suffix not in _NOT_OF_PROGRAMS) or (own in _FILES and suffix in _OF_SOME_FILES)
    ):
        return False
    if f"{own}.{suffix}" in _HOSTERS:
        return True
    # "Chapter 2.in", as against 163.com and 12306.cn.
    return suffix not in _OF_FILES and (not own.isdigit() or suffix in ("com", "net", "org", "cn"))


def _same_site(claimed: str, real: str) -> bool:
    """Whether two hosts are one site: what was registered is the same, or one stands below the other."""
    return f".{real}".endswith(f".{claimed.removeprefix('www.')}") or _registered(claimed) == _registered(real)


def _registered(host: str) -> str:
    """The part of a host that was registered: one label below a public suffix."""
    labels = host.split(".")
    shared = ".".join(labels[-2:])
    deep = shared in _HOSTERS or (len(labels[-1]) == 2 and len(labels) > 2 and labels[-2] in _SECOND_LEVEL)
    return ".".join(labels[-3:]) if deep else shared
