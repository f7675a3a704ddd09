"""Regions as a search asks for them (`gb`, `gb-en`, `en-GB`) and as engines want them."""

import re
from typing import NamedTuple

from webcards.contract.errors import WebError


class Region(NamedTuple):
    """A country (ISO 3166, lower case) and perhaps a language (ISO 639, lower case)."""

    country: str
    language: str | None


def read_region(region: str) -> Region:
    """`gb`, `gb-en` or, as locales are written, `en-GB`. Raises `WEB_INVALID_ARGUMENTS` for anything else."""
    text = region.strip()
    if locale := re.fullmatch(r"([a-z]{2})[-_]([A-Z]{2})", text):
        return Region(locale[2].lower(), locale[1])
    if asked := re.fullmatch(r"([a-z]{2})(?:[-_]([a-z]{2}))?", text.lower()):
        return Region({"uk": "gb"}.get(asked[1], asked[1]), asked[2])
    raise WebError(
        "WEB_INVALID_ARGUMENTS",
        f"The region {region[:40]!r} is not one. Give a country, or a country and a language, such as gb or gb-en.",
    )


_OWN_NAMES = {"gb": "uk", "jp-ja": "jp-jp", "kr-ko": "kr-kr", "tw-zh": "tw-tzh", "hk-zh": "hk-tzh", "ua-uk": "ua-uk"}
_LISTED = (
    "ar-es at-de au-en be-nl br-pt ca-en ch-de cl-es cn-zh co-es cz-cs de-de dk-da es-es fi-fi fr-fr gb-en gr-el hk-zh"
    " hu-hu id-id ie-en il-en in-en it-it jp-ja kr-ko mx-es my-en nl-nl no-no nz-en pe-es ph-en pl-pl pt-pt ro-ro"
    " ru-ru se-sv sg-en th-th tr-tr tw-zh ua-uk us-en vn-vi za-en"
)
_LANGUAGES = dict(pair.split("-") for pair in _LISTED.split())
"""The language that DuckDuckGo lists first for a country."""


def duckduckgo_region(region: str | None) -> str:
    """DuckDuckGo's name of the region (`kl`): `wt-wt` is everywhere."""
    if region is None:
        return "wt-wt"
    country, language = read_region(region)
    language = language or _LANGUAGES.get(country, "en")
    name = f"{country}-{language}"
    return _OWN_NAMES.get(name) or f"{_OWN_NAMES.get(country, country)}-{language}"


_TAVILY_NAMES = {"cz": "czech republic", "tr": "turkey", "bo": "bolivia", "va": "vatican", "mk": "north macedonia"}


def country_name(region: str) -> str:
    """The English name of the region's country, in lower case ("united kingdom")."""
    from babel import Locale

    country = read_region(region).country
    name = _TAVILY_NAMES.get(country) or Locale("en").territories.get(country.upper())
    if name is None:
        raise WebError("WEB_INVALID_ARGUMENTS", f"There is no country {country!r}. Give one such as gb or us.")
    return str(name).lower()
