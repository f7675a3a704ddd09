"""Makes the catalogues: reads the messages out of the sources, merges them into the translations and compiles those.

`python -m components.locale.catalogues` does all of it and says what is left to translate; a test uses the same functions.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import extract
from babel.messages.catalog import Catalog
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from webcards.library.tour import TOUR

HERE = Path(__file__).parent
COMPONENTS = HERE.parent
TEMPLATE = HERE / "messages.pot"
DOMAIN = "webcards"
TRANSLATIONS = ("zh",)
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}
# A date of its own in each run would change the files where no message did.
_DATE = datetime(2026, 12, 1, tzinfo=UTC)


def extracted() -> Catalog:
    """The messages of `components/`, of the entry and of the tour, each with the files that hold it."""
    with (HERE / "babel.cfg").open(encoding="utf-8") as lines:
        methods, options = parse_mapping_cfg(lines)  # type: ignore[no-untyped-call]
    catalog = _empty()
    found = extract.extract_from_dir(str(COMPONENTS), methods, options, KEYWORDS)
    for name, _line, message, comments, context in sorted(found, key=lambda item: (item[0], item[1])):
        catalog.add(message, None, [_in_file(f"components/{name}")], auto_comments=comments, context=context)
    entry = COMPONENTS.parent / "app.py"
    if entry.exists():
        for _line, message, comments, context in extract.extract_from_file(methods[0][1], entry, KEYWORDS):
            catalog.add(message, None, [_in_file(entry.name)], auto_comments=comments, context=context)
    for step in TOUR:
        catalog.add(step.title, None, [_in_file("webcards/library/tour.py")])
        catalog.add(step.text, None, [_in_file("webcards/library/tour.py")])
    return catalog


def _in_file(name: str) -> tuple[str, int]:
    """The place of a message, without a line, which would change the files with every edit above it."""
    return name, None  # type: ignore[return-value]


def _empty(locale: str | None = None) -> Catalog:
    return Catalog(
        locale=locale,
        domain=DOMAIN,
        project="Web Cards",
        version="0.1",
        header_comment="# Web Cards: what people read. Made by components/locale/catalogues.py.",
        msgid_bugs_address="-",
        copyright_holder="Web Cards",
        last_translator="Web Cards",
        language_team="Web Cards",
        creation_date=_DATE,
        revision_date=_DATE,
        fuzzy=False,
    )


def po_path(language: str) -> Path:
    """The translation of a language, as people edit it."""
    return HERE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_translation(language: str) -> Catalog:
    """The translation of a language as it stands; an empty one if there is none yet."""
    path = po_path(language)
    if not path.exists():
        return _empty(language)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def merged(template: Catalog, language: str) -> Catalog:
    """The translation with exactly the messages of the template; a new message is empty, none is guessed."""
    old, new = read_translation(language), _empty(language)
    for message in template:
        if not message.id:
            continue
        kept = old.get(message.id if isinstance(message.id, str) else message.id[0], message.context)
        text = kept.string if kept is not None and kept.id == message.id else None
        new.add(message.id, text, message.locations, message.flags, context=message.context)
    return new


def untranslated(catalog: Catalog) -> Iterator[str]:
    """The messages that lack a translation, or one of its plural forms."""
    for message in catalog:
        if message.id:
            texts = message.string if isinstance(message.string, list | tuple) else (message.string,)
            if not all(texts):
                yield message.id if isinstance(message.id, str) else message.id[0]


def main() -> int:
    """Writes the template, the translations and what is compiled from them; 1 if a message lacks its translation."""
    template = extracted()
    with TEMPLATE.open("wb") as file:
        write_po(file, template, width=110, sort_output=True)
    missing = 0
    for language in TRANSLATIONS:
        catalog = merged(template, language)
        path = po_path(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalog, width=110, sort_output=True)
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalog)
        for message in untranslated(catalog):
            missing += 1
            sys.stdout.write(f"{language}: not translated: {message}\n")
    sys.stdout.write(f"{len(template)} messages, {missing} without a translation\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
