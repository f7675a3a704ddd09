"""Both languages: nothing that people read is left out of the catalogues, and each of them says the same with the same parts."""

import ast
import gettext
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from lxml import html as lxml_html
from streamlit.testing.v1 import AppTest

from components import amounts
from components.gallery.catalogue import GROUPS
from components.i18n import LANGUAGES, LOCALE_DIR, _, choose, in_language, ngettext, reader_locale, set_language
from components.locale.catalogues import TEMPLATE, TRANSLATIONS, extracted, read_translation, untranslated
from tests.shared import ROOT

AGAIN = "run `make messages`, translate what it names, run it again"
SOURCES = [path for path in sorted((ROOT / "components").rglob("*.py")) if "locale" not in path.parts]
# Words that are the same in every language here.
NAMES = {
    "HTTP",
    "JSON",
    "Markdown",
    "CSV",
    "PDF",
    "URL",
    "Web Cards",
    "JSON Lines",
    "BibTeX",
    "CSL-JSON",
    "RIS",
    "WARC",
    "Parquet",
}


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Each test begins and ends in English."""
    set_language("en")
    yield
    set_language("en")


def ids(catalog: Any) -> set[Any]:
    return {message.id if isinstance(message.id, str) else tuple(message.id) for message in catalog if message.id}


def test_the_template_holds_exactly_the_messages_of_the_sources() -> None:
    with TEMPLATE.open("rb") as file:
        template = read_po(file)
    assert ids(template) == ids(extracted()), AGAIN


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_every_message_and_leaves_none_empty_or_guessed(language: str) -> None:
    translation = read_translation(language)
    assert ids(translation) == ids(extracted()), AGAIN
    assert list(untranslated(translation)) == [], AGAIN
    assert [message.id for message in translation if message.id and message.fuzzy] == []


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_is_filled_with_the_same_values_as_its_message(language: str) -> None:
    wrong = []
    for message in read_translation(language):
        if not message.id:
            continue
        singular = message.id if isinstance(message.id, str) else message.id[-1]
        texts = [message.string] if isinstance(message.string, str) else list(message.string or ())
        wrong += [text for text in texts if sorted(values(text)) != sorted(values(singular))]
    assert wrong == []


def values(text: str) -> list[str]:
    """The places in a message that are filled in: `%(n)d` and the like."""
    return re.findall(r"%\(\w+\)[-+0-9.]*[a-z]", text)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_what_is_compiled_says_what_the_translation_says(language: str) -> None:
    compiled = gettext.translation("webcards", LOCALE_DIR, languages=[language])
    for message in read_translation(language):
        if isinstance(message.id, str) and message.id:
            assert compiled.gettext(message.id) == message.string, AGAIN
        elif message.id and message.string:
            assert compiled.ngettext(message.id[0], message.id[1], 2) == message.string[-1], AGAIN


def test_every_sentence_and_title_of_the_gallery_is_a_message() -> None:
    known = ids(extracted())
    shown = {text for group in GROUPS for text in (group.title, *(state.look for state in group.states))}
    assert shown - known == set()


# What a Streamlit element shows, or says to a screen reader.
SHOWN_FIRST = {
    *(
        "title",
        "header",
        "subheader",
        "caption",
        "markdown",
        "text",
        "write",
        "info",
        "success",
        "warning",
        "error",
        "toast",
    ),
    *("button", "download_button", "link_button", "form_submit_button", "checkbox", "toggle", "radio", "selectbox"),
    *(
        "multiselect",
        "pills",
        "segmented_control",
        "text_input",
        "text_area",
        "number_input",
        "slider",
        "select_slider",
    ),
    *(
        "date_input",
        "time_input",
        "datetime_input",
        "file_uploader",
        "expander",
        "popover",
        "status",
        "spinner",
        "metric",
    ),
    *("page_link", "chat_input", "progress", "dialog", "Page", "heading", "data_editor", "badge", "menu_button"),
}
SHOWN_BY_NAME = {"label", "help", "placeholder", "caption", "text", "title", "body", "alt", "description"}


def shown_literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The literals that a page shows as they stand in the source."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in SHOWN_FIRST or (isinstance(node.func, ast.Name) and name not in ("heading", "dialog")):
            continue
        arguments = [*node.args[:1], *(word.value for word in node.keywords if word.arg in SHOWN_BY_NAME)]
        for argument in arguments:
            for text in constants(argument):
                if words_in(text):
                    yield argument.lineno, text


def constants(node: ast.expr) -> Iterator[str]:
    """The strings of an expression that stand in it as they are, not as the argument of a call."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr(values=parts):
            for part in parts:
                yield from constants(part)
        case ast.BinOp(left=left, right=right):
            yield from constants(left)
            yield from constants(right)
        case ast.IfExp(body=body, orelse=orelse):
            yield from constants(body)
            yield from constants(orelse)
        case _:
            return


def words_in(text: str) -> str:
    """What of a literal is words: no name, markup, icon or placeholder, no example of an address or of code."""
    text = re.sub(
        r"<[^>]*>|:material/\w+:|%\(\w+\)\w|&\w+;|`[^`]*`|\S+\.(?:py|png)\b|https?://\S+|[\w-]+\.example\b\S*|\{.*\}",
        " ",
        text,
    )
    left = " ".join(re.findall(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", text))
    return "" if left in NAMES else left


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in [*SOURCES, ROOT / "app.py"]]
)
def test_what_a_page_shows_is_no_bare_literal(path: Path) -> None:
    assert list(shown_literals(ast.parse(path.read_text("utf-8")))) == []


PROSE = re.compile(r"^[A-Z“][^\W\d_]*,? (?:[^\W\d_]+[,:]? ?){2,}")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=str(path.relative_to(ROOT)))
        for path in SOURCES
        if path.parent.name != "states" and path.name != "state.py"
    ],
)
def test_a_sentence_in_the_source_is_a_message(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    known = {text for message in ids(extracted()) for text in ((message,) if isinstance(message, str) else message)}
    sentences = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PROSE.match(node.value)
    }
    assert sentences - unseen(tree) - known - NAMES == set()


def unseen(tree: ast.Module) -> set[Any]:
    """The strings that nobody sees on a page: documentation, and the keys of a table."""
    documentation = {
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    keys = {
        key.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    }
    return documentation | keys


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.name) for path in sorted((ROOT / "components" / "templates").glob("*.html"))],
)
def test_a_template_holds_no_words_of_its_own(path: Path) -> None:
    markup = re.sub(r"(?s)\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", path.read_text("utf-8"))
    tree = lxml_html.fragment_fromstring(markup, create_parent="div")
    for style in tree.xpath("//style"):
        style.drop_tree()
    texts = [*tree.itertext(), *tree.xpath("//@aria-label | //@title | //@alt | //@placeholder")]
    assert [text for text in texts if words_in(str(text))] == []


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("zh-CN", "zh"),
        ("zh_TW", "zh"),
        ("ZH", "zh"),
        ("en-GB", "en"),
        ("de-AT", "en"),
        ("", "en"),
        (None, "en"),
        ("zhuang", "en"),
    ],
)
def test_the_browsers_wish_becomes_one_of_the_languages(wanted: str | None, chosen: str) -> None:
    assert choose(wanted) == chosen


def test_a_language_holds_for_as_long_as_it_is_in_force() -> None:
    with in_language("zh-CN"):
        assert _("No results found") == "没有找到结果"
        assert ngettext("%(n)d source", "%(n)d sources", 3) % {"n": 3} == "3 个来源"
    assert _("No results found") == "No results found"
    assert ngettext("%(n)d source", "%(n)d sources", 1) % {"n": 1} == "1 source"


@pytest.mark.parametrize(
    ("language", "browser", "locale"),
    [
        ("en", "de-AT", "de-AT"),  # English only because German is none of ours: the reader is Austrian all the same
        ("en", "en-US", "en-US"),
        ("zh", "en-US", "zh"),  # Chinese was chosen: a reader who wants it reads dates in Chinese
        ("zh", "zh-TW", "zh-TW"),
        ("en", None, "en"),
    ],
)
def test_the_readers_locale_is_the_browsers_unless_another_language_was_chosen(
    language: str, browser: str | None, locale: str
) -> None:
    set_language(language, browser=browser)
    assert reader_locale() == locale


@pytest.mark.parametrize(
    ("locale", "number", "share", "day", "taken", "size"),
    [
        ("en-GB", "1,234,567.9", "1.2%", "1 Dec 2026", "2.3 s", "3.5 MB"),
        ("en-US", "1,234,567.9", "1.2%", "Dec 1, 2026", "2.3 s", "3.5 MB"),
        ("de-DE", "1.234.567,9", "1,2\xa0%", "01.12.2026", "2,3 s", "3,5 MB"),
        ("pt-BR", "1.234.567,9", "1,2%", "1 de dez. de 2026", "2,3 s", "3,5 MB"),
        ("xx-YY", "1,234,567.9", "1.2%", "1 Dec 2026", "2.3 s", "3.5 MB"),
        (None, "1,234,567.9", "1.2%", "1 Dec 2026", "2.3 s", "3.5 MB"),
    ],
)
def test_amounts_are_written_as_the_reader_writes_them(
    locale: str | None, number: str, share: str, day: str, taken: str, size: str
) -> None:
    set_language("en", browser=locale)
    written = (
        amounts.number(1234567.891, 1),
        amounts.percent(0.0123),
        amounts.day(datetime(2026, 12, 1, tzinfo=UTC)),
        amounts.duration(2345),
        amounts.size(3_480_000),
    )
    assert written == (number, share, day, taken, size)


def test_amounts_are_chinese_where_chinese_was_chosen() -> None:
    set_language("zh", browser="de-DE")
    assert amounts.day(datetime(2026, 12, 1, tzinfo=UTC)) == "2026年12月1日"
    assert amounts.duration(340) == "340 毫秒"
    assert amounts.size(12) == "12 字节"


def test_an_instant_is_told_by_the_clock_of_the_readers_time_zone() -> None:
    set_language("en", browser="en-GB")
    assert amounts.day_and_time(1_764_547_200_000, "Asia/Shanghai") == "1 Dec 2025, 08:00:00"
    assert amounts.day_and_time(1_764_547_200_000, "No/Such_Zone") == "1 Dec 2025, 00:00:00"


def opened(**context: str) -> AppTest:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in context.items():
        test.context[name] = value
    return test


def test_a_chinese_browser_is_greeted_in_chinese() -> None:
    test = opened(locale="zh-CN").run()
    assert not test.exception
    assert test.title[0].value == "运行"


def test_a_language_is_chosen_by_hand_and_kept_in_the_address() -> None:
    test = opened(locale="en-GB").run()
    assert test.title[0].value == "Run"
    test.selectbox(key="language").set_value("zh").run()
    assert test.title[0].value == "运行"
    assert test.query_params["lang"] == "zh"


def test_an_address_names_the_language() -> None:
    test = opened(locale="en-GB")
    test.query_params["lang"] = "zh"
    assert test.run().title[0].value == "运行"


def test_every_language_names_itself() -> None:
    assert LANGUAGES == {"en": "English", "zh": "中文"}
