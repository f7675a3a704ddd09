"""What the class and id names of an element say about it: names that people give to boxes, by what the boxes are for.

A name is taken apart into words ("articleTools", "article-tools" and "article_tools" are the same two); then words,
beginnings of words and pairs of words are looked up.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Names(NamedTuple):
    """What a box is called: furniture of the site, remarks of readers, facts about the article, text or row of pictures."""

    furniture: bool = False
    remarks: bool = False
    about: bool = False
    caption: bool = False
    gallery: bool = False


_NO_NAMES = Names()


class _Vocabulary(NamedTuple):
    """Single words, beginnings of words, and pairs of words (which people also write as one)."""

    words: str
    beginnings: str
    pairs: str


_FURNITURE = _Vocabulary(
    words="""
        share shares sharing sharer social socials follow a2a related relates relate trending popular recirc teads
        mgid plista nrelate revcontent ligatus navbox catlinks portal hatnote cta promo promos promoted membership
        consent gdpr ccpa truste cmp paywall ad ads adv mpu leaderboard skyscraper crumb crumbs pagination pager
        paging nav navigation menu menus submenu megamenu dropdown sidebar sidebars rail masthead foot footer
        toolbar toolbars login signin signup optin noprint popup popups modal modals overlay overlays lightbox
        tooltip tooltips popover popovers hovercard dialog toast widget widgets shoutbox carousel slick ticker tags
        tagged topics keywords rating ratings vote votes reactions likes feedback jwplayer copyright topbar donate
        mailchimp
    """,
    beginnings="""
        addthis addtoany sharebar sharetool sharethis sharedaddy sharebutton sharelink shareicon sociallink
        socialicon socialbutton socialbar socialmedia socialshare socialnetwork related recommend newsletter subscri
        sponsor advert adsbygoogle adsense dfp donat cookie onetrust outbrain taboola zergnet breadcrumb affiliate
        langswitch recirc doubleclick
    """,
    pairs="""
        sd-sharing jp-relatedposts social-media social-links social-share share-tools share-buttons share-links
        share-bar share-icons follow-us read-more read-next read-also up-next next-up more-from more-stories
        more-news more-articles more-posts more-on more-in more-like also-like you-may you-might may-like might-like
        most-read most-viewed most-popular most-commented most-shared top-stories latest-news latest-posts
        latest-stories ob-widget sister-site mw-editsection mw-jump vertical-navbox call-to sign-up sign-in log-in
        opt-in mc-embed cc-window privacy-banner ad-box ad-slot ad-unit ad-wrap ad-wrapper ad-container ad-block
        ad-break ad-label ad-placement ad-zone ad-sense banner-ad banner-ads google-ad google-ads gpt-ad page-nav
        post-nav nav-bar nav-link nav-links main-menu side-menu skip-link skip-nav skip-to back-to to-top side-bar
        right-rail left-rail side-rail right-col left-col side-col right-column left-column side-column site-header
        site-footer site-nav mast-head page-footer global-header global-footer global-nav top-bar bottom-bar
        tool-box article-tools search-form search-box search-bar language-switcher language-selector lang-switcher
        print-only print-button print-link print-friendly no-print hidden-print print-block print-inline pop-up
        pop-over hover-card rollover-block people-block shout-box tag-list tag-links tag-cloud post-tags entry-tags
        article-tags story-tags topic-list topic-links topic-tags category-list category-links post-category
        post-categories emoji-reactions like-button rate-this was-this helpful-vote article-gallery-nav slide-count
        video-player video-controls video-title video-playlist audio-player media-player player-controls player-with
        visually-hidden visuallyhidden sr-only screen-reader a11y-hidden hidden-visually element-invisible
        off-screen article-footer article-bottom article-end article-share post-footer post-bottom post-share
        entry-footer story-footer end-of below-post below-article below-content after-post after-article
        after-content after-entry
    """,
)
_REMARKS = _Vocabulary(
    words="comment comments commentlist respond responses replies discussion livefyre viafoura",
    beginnings="disqus spotim",
    pairs="""
        comment-list comment-section comment-area comment-thread comment-form fb-comments discussion-thread
        coral-talk spot-im
    """,
)
_ABOUT = _Vocabulary(
    words="""
        byline bylines author authors contributor contributors meta metadata dateline pubdate published timestamp
        timestamps updated date datetime credit credits bio submeta
    """,
    beginnings="publishdate publishedat publishedon",
    pairs="""
        by-line author-bio author-box author-info author-card author-name about-author about-authors the-author
        post-meta entry-meta article-meta story-meta news-meta blog-meta post-info entry-info article-info post-date
        entry-date article-date story-date post-byline article-byline post-author entry-author article-author
        post-time article-time post-details article-details article-credits meta-data meta-info meta-date date-line
        pub-date publish-date published-date time-stamp posted-on posted-by reading-time read-time sub-meta
    """,
)
_CAPTION = _Vocabulary(
    words="caption captions captiontext wpcaption thumbcaption cutline imagecredit photocredit",
    beginnings="caption",
    pairs="""
        wp-caption image-caption photo-caption picture-caption media-caption figure-caption thumb-caption
        video-caption lead-caption gallery-caption image-credit photo-credit picture-credit media-credit
        figure-credit image-copyright photo-copyright media-desc photo-desc image-desc article-photo-desc image-text
        image-legend photo-legend image-title photo-title
    """,
)
_GALLERY = _Vocabulary(
    words="gallery galleries slideshow slideshows photoset photostrip photostack",
    beginnings="gallery",
    pairs="photo-set photo-stack",
)

_CAMEL = re.compile(r"([a-z\d])([A-Z])")
_SEPARATORS = str.maketrans("_:./", "----")
_DIGITS = "0123456789"
_NEGATIONS = frozenset(["with", "has", "w", "no", "without", "hide", "show", "is", "not", "and"])
_MOST_CHARS = 400


# Each vocabulary is one bit, so that a word is looked up once for all of them.
_BITS = {_FURNITURE: 1, _REMARKS: 2, _ABOUT: 4, _CAPTION: 8, _GALLERY: 16}


def _meanings() -> dict[str, int]:
    known: dict[str, int] = {}
    for vocabulary, bit in _BITS.items():
        pairs = vocabulary.pairs.split()
        for word in (*vocabulary.words.split(), *pairs, *(pair.replace("-", "") for pair in pairs)):
            known[word] = known.get(word, 0) | bit
    return known


_MEANINGS = _meanings()
_BEGINNINGS = tuple(
    (beginning, bit) for vocabulary, bit in _BITS.items() for beginning in vocabulary.beginnings.split()
)
_ANY_BEGINNING = tuple(beginning for beginning, _ in _BEGINNINGS)


@lru_cache(maxsize=16_384)
def names(classes: str | None, identity: str | None) -> Names:
    """What an element's `class` and `id` say of it."""
    known = 0
    for name in f"{identity or ''} {classes or ''}"[:_MOST_CHARS].split():
        known |= _meaning(name)
    if not known:
        return _NO_NAMES
    return Names(bool(known & 1), bool(known & 2), bool(known & 4), bool(known & 8), bool(known & 16))


@lru_cache(maxsize=16_384)
def _meaning(name: str) -> int:
    """What one name says, as bits."""
    spaced = name if name.islower() else _CAMEL.sub(r"\1-\2", name).lower()
    parts = spaced.translate(_SEPARATORS).split("-")
    known = 0
    before = ""
    embedded = negated = False
    for part in parts:
        word = part.rstrip(_DIGITS)
        if not word:
            continue
        if negated or word in _NEGATIONS:
            # "with-sidebar" says what stands beside the box, not what the box is.
            negated = not negated
            before = ""
            continue
        known |= _MEANINGS.get(word, 0)
        if before:
            known |= _MEANINGS.get(f"{before}-{word}", 0)
        if word.startswith(_ANY_BEGINNING):
            known |= next(bit for beginning, bit in _BEGINNINGS if word.startswith(beginning))
        elif word.endswith("gallery"):
            known |= _BITS[_GALLERY]
        embedded = embedded or word == "embed"
        before = word
    # A post of a social network inside an article is quoted, not offered.
    return known & ~1 if embedded else known
