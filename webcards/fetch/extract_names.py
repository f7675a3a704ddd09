"""What the class, id and role names of an element say about it: names that people give to boxes, by what the boxes are for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Names(NamedTuple):
    """What a box is called: furniture of the site, remarks of readers, facts about the article, or the content itself."""

    furniture: bool
    remarks: bool
    about: bool
    content: bool


_SEPARATORS = str.maketrans("_:./", "----")
_CAMEL = re.compile(r"([a-z\d])([A-Z])")


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(r"(?:^|[\s-])(?:" + "|".join(alternatives) + r")(?=$|[\s\d-])")


_FURNITURE = _words(
    # sharing and following
    r"shares?", r"sharing", r"share(?:bar|tools?|this|daddy|buttons?|links?|icons?)", r"sd-sharing", r"addthis\w*", r"addtoany\w*",
    r"a2a", r"socials?", r"social(?:media|links?|icons?|buttons?|bar|share|network)\w*", r"follow(?:-us|us)?", r"jp-relatedposts",
    # other pages
    r"relate[ds]?", r"related\w+", r"recommend\w*", r"recirc\w*", r"read-?more", r"read-?next", r"read-?also", r"up-?next", r"next-?up",
    r"more-(?:from|stories|news|articles|posts|on|in|like)", r"also-like", r"(?:you-)?(?:may|might)-(?:also-)?like", r"see-also-links",
    r"trending", r"popular", r"most-?(?:read|viewed|popular|commented|shared)", r"top-stories", r"latest-(?:news|posts|stories)",
    r"outbrain\w*", r"ob-widget", r"taboola\w*", r"revcontent", r"zergnet", r"teads", r"mgid", r"plista", r"nrelate", r"ligatus",
    r"navbox", r"catlinks", r"sistersitebox", r"portal", r"hatnote", r"mw-editsection", r"mw-jump-link", r"vertical-navbox",
    # asking for something
    r"newsletters?(?:-\w+)?", r"subscri\w+", r"sign-?up", r"opt-?in", r"mailchimp", r"mc-embed", r"call-to-action", r"cta",
    r"promos?", r"promo(?:tion|tions|tional|box|-box)", r"promoted", r"sponsor\w*", r"donat\w+", r"paywall", r"membership",
    r"cookies?(?:-?\w+)?", r"consent", r"gdpr", r"ccpa", r"onetrust\w*", r"truste", r"cc-window", r"cmp", r"privacy-banner",
    # advertisements
    r"ads?", r"adv", r"advert\w*", r"ad-?(?:box|slot|unit|wrap\w*|container|block|break|label|place\w*|zone|s?ense)", r"adsbygoogle",
    r"dfp\w*", r"gpt-ad\w*", r"mpu", r"leaderboard", r"skyscraper", r"banner-?ads?", r"google-?ads?", r"affiliate\w*",
    # finding one's way
    r"breadcrumbs?\w*", r"crumbs?", r"pagination", r"pager", r"paging", r"page-?nav\w*", r"post-?nav\w*", r"nav(?:-?bar|-?links?)?",
    r"navigation", r"(?:sub|mega|main|side|drop-?down)?-?menus?", r"skip-?(?:link|nav|to)\w*", r"back-?to-?top", r"to-?top",
    r"side-?bars?", r"(?:right|left|side)-?(?:rail|col|column)", r"rail", r"site-?(?:header|footer|nav)", r"mast-?head", r"foot(?:er)?",
    r"page-?footer", r"global-?(?:header|footer|nav)", r"top-?bar", r"bottom-?bar", r"toolbars?", r"tool-?box", r"article-?tools",
    r"search-?(?:form|box|bar)", r"log-?in", r"sign-?in", r"language-?(?:switcher|selector)", r"lang-?switch\w*", r"print(?:-?only|friendly)?",
    r"print-?(?:button|link)", r"no-?print", r"pop-?ups?", r"modals?", r"overlays?", r"lightbox(?:es)?", r"tooltips?", r"popovers?", r"hover-?cards?", r"rollover-?\w*-?blocks?", r"rollover-people-block", r"dialog", r"toast",
    r"widgets?", r"shout-?box", r"carousel", r"slick", r"ticker",
    r"tags?-?(?:list|links|cloud|wrap\w*|container|box|section|area)", r"(?:post|entry|article|story)-?tags", r"tags", r"tagged",
    r"topics", r"topic-?(?:list|links|tags)", r"categor(?:y|ies)-?(?:list|links|tags)", r"keywords", r"post-?categor(?:y|ies)",
    r"rating", r"ratings", r"votes?", r"reactions?", r"emoji-reactions", r"likes?", r"like-button", r"rate-this", r"was-this-helpful", r"feedback",
    r"article-?gallery-?nav", r"slide-?count", r"video-?(?:player|controls|title|playlist)", r"(?:audio|media)-?player", r"player-?(?:with-?placeholder|controls)", r"jwplayer",
    r"visually-?hidden", r"hidden-?print", r"noprint", r"article-?(?:footer|bottom|end|share)", r"post-?(?:footer|bottom|share)", r"entry-?footer",
    r"story-?footer", r"end-?of-?article", r"below-?(?:post|article|content)", r"after-?(?:post|article|content|entry)", r"copyright",
)  # fmt: skip
_REMARKS = _words(
    r"comments?", r"comment-?(?:list|section|area|thread|form|respond|wrapper|count|block|box)s?", r"commentlist", r"disqus\w*", r"respond",
    r"livefyre\w*", r"fb-comments", r"discussion-?(?:box|thread)?", r"responses", r"replies", r"spot-?im\w*", r"viafoura", r"coral-?talk",
)  # fmt: skip
_ABOUT = _words(
    r"by-?lines?", r"author-?(?:bio|box|info|card|name|block|details|profile|section|wrap\w*|link|links|meta|image|avatar|desc\w*|area|byline)s?",
    r"about-?(?:the-)?authors?", r"authors?", r"contributors?", r"(?:post|entry|article|story|news|blog)-?(?:meta|metadata|info|date|byline|author|time|details|credits?)",
    r"meta-?(?:data|info|date|bar|box|line|author)?", r"date-?line", r"pub-?date", r"publish(?:ed)?(?:-?(?:date|on|time|at))?", r"time-?stamps?", r"updated(?:-?(?:at|on|date))?",
    r"date(?:time|-?published|-?posted)?", r"posted-?on", r"posted-?by", r"credits?", r"reading-?time", r"read-?time", r"sub-?meta", r"bio",
)  # fmt: skip
_CAPTION = _words(
    r"captions?", r"caption-?(?:text|full|truncated|credit|wrap\w*)?", r"wp-caption-?text", r"(?:image|photo|picture|media|figure|thumb|img|video|lead-?media|gallery)-?(?:captions?|desc\w*|credits?|text|copyright|legend|title)",
    r"thumbcaption", r"cutline",
)  # fmt: skip
_GALLERY = _words(r"(?:[\w-]*-)?galler(?:y|ies)", r"galler(?:y|ies)-[\w-]+", r"[a-z]*gallery", r"slide-?shows?", r"photo-?(?:set|strip|stack)")
_CONTENT = re.compile(r"article|body|content|entry|hentry|main|page|post|text|blog|story|col(?:umn)?\b|section|layout|wrapper|container|grid|row")


# "with-sidebar" says what stands beside the box, not what the box is.
_ELSEWHERE = re.compile(r"(?:^|(?<=[\s-]))(?:with|has|w|no|without|hide|show|is|not)-[a-z]+")
# A post of a social network inside an article is quoted, not offered.
_EMBEDDED = re.compile(r"[\w-]*(?:social|twitter|tweet|instagram|facebook)[\w-]*(?:embed|tweet|post)[\w-]*|[\w-]*embed[\w-]*(?:social|twitter|tweet|instagram|facebook)[\w-]*")


@lru_cache(maxsize=8192)
def is_caption(classes: str, identity: str) -> bool:
    """Whether an element is called the text of a picture, or a box of pictures."""
    return bool(_CAPTION.search(_plain(classes, identity)))


@lru_cache(maxsize=8192)
def is_gallery(classes: str, identity: str) -> bool:
    """Whether an element is called a row of pictures."""
    return bool(_GALLERY.search(_plain(classes, identity)))


def _plain(classes: str, identity: str) -> str:
    return _CAMEL.sub(r"\1-\2", f"{identity} {classes}"[:400]).lower().translate(_SEPARATORS)


@lru_cache(maxsize=8192)
def names(classes: str, identity: str) -> Names:
    """What an element's `class` and `id` say of it."""
    text = _ELSEWHERE.sub(" ", _EMBEDDED.sub(" ", _plain(classes, identity)))
    return Names(
        furniture=bool(_FURNITURE.search(text)),
        remarks=bool(_REMARKS.search(text)),
        about=bool(_ABOUT.search(text)),
        content=bool(_CONTENT.search(text)),
    )
