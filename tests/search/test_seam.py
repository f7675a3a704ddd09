"""Which providers there are, and which one answers: never a matter of the order they are registered in."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions
from itertools import permutations
from pathlib import Path

import pytest

from webcards.contract import WebError, WebSearchResult
from webcards.search.provider import SearchProvider, SearchRequest, unavailable
from webcards.search.seam import BUILT_IN, ENTRY_POINT_GROUP, providers, select_provider
from webcards.settings import Settings, read_settings


class Stub:
    """A provider that is only selected, never asked."""

    def __init__(self, id_: str, wants: str | None = None) -> None:
        self.id = id_
        self.options: frozenset[str] = frozenset()
        self._wants = wants

    def available(self) -> str | None:
        return self._wants

    async def search(self, request: SearchRequest) -> WebSearchResult:
        raise NotImplementedError


def selected(search_provider: str, *stubs: SearchProvider) -> set[str]:
    """What is selected in every order of registration: the ids, or the codes of the errors."""
    settings = read_settings(search_provider=search_provider)
    outcomes = set()
    for order in permutations(stubs):
        try:
            outcomes.add(select_provider(settings, order).id)
        except WebError as error:
            outcomes.add(error.code)
    return outcomes


USABLE, OTHER, UNUSABLE = Stub("pond"), Stub("lake"), Stub("sea", "The sea needs salt: set WEBCARDS_SALT.")


def test_a_configured_provider_answers_if_it_is_usable() -> None:
    assert selected("pond", USABLE, OTHER, UNUSABLE) == {"pond"}


def test_a_configured_provider_that_does_not_exist_is_an_error_that_lists_those_that_do() -> None:
    assert selected("ocean", USABLE, OTHER, UNUSABLE) == {"WEB_PROVIDER_CONFIGURED_MISSING"}
    with pytest.raises(WebError, match=r"WEBCARDS_SEARCH_PROVIDER to one of lake, pond, sea"):
        select_provider(read_settings(search_provider="ocean"), [UNUSABLE, USABLE, OTHER])


def test_a_configured_provider_that_is_not_usable_is_an_error_that_says_what_it_wants() -> None:
    assert selected("sea", USABLE, OTHER, UNUSABLE) == {"WEB_PROVIDER_CONFIGURED_UNAVAILABLE"}
    with pytest.raises(WebError, match="set WEBCARDS_SALT"):
        select_provider(read_settings(search_provider="sea"), [UNUSABLE])


def test_with_none_configured_the_only_usable_one_answers() -> None:
    assert selected("", USABLE, UNUSABLE) == {"pond"}


def test_with_none_configured_several_usable_ones_are_ambiguous() -> None:
    assert selected("", USABLE, OTHER, UNUSABLE) == {"WEB_PROVIDER_AMBIGUOUS"}
    with pytest.raises(WebError, match="lake, pond"):
        select_provider(read_settings(search_provider=""), [USABLE, OTHER])


def test_with_none_usable_the_error_says_what_each_wants() -> None:
    assert selected("", UNUSABLE) == {"WEB_PROVIDER_UNAVAILABLE"}
    with pytest.raises(WebError, match="set WEBCARDS_SALT"):
        select_provider(read_settings(search_provider=""), [UNUSABLE])


def test_two_providers_of_one_name_are_an_error_even_if_another_is_configured() -> None:
    assert selected("lake", USABLE, OTHER, Stub("pond")) == {"WEB_DUPLICATE_PROVIDER"}


def test_by_default_auto_answers() -> None:
    settings = read_settings()
    assert select_provider(settings, providers(settings, plug_ins=[])).id == "auto"


def test_every_built_in_engine_goes_by_the_id_it_is_listed_under() -> None:
    found = providers(read_settings(), plug_ins=[])
    assert [provider.id for provider in found] == [*BUILT_IN, "auto"]


EXAMPLE = Path(__file__).parents[2] / "docs" / "provider-example.md"


def _example_files() -> dict[str, str]:
    """The files of the example, which stand in the text as code blocks headed by their names."""
    return dict(re.findall(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```$", EXAMPLE.read_text(), re.MULTILINE | re.DOTALL))


def _wheel(folder: Path) -> Path:
    """The example as a wheel (Binary distribution format), so that no build tool and no network is needed."""
    files = _example_files()
    project = tomllib.loads(files["pyproject.toml"])["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    points = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in members.items())
        for group, members in project["entry-points"].items()
    )
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("harbour_search.py", files["harbour_search.py"])
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/entry_points.txt", points)
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example of the documentation, installed by pip into a folder of its own that Python then looks into."""
    target = tmp_path / "target"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    done = subprocess.run([*pip, str(_wheel(tmp_path))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    monkeypatch.syspath_prepend(str(target))
    yield target
    sys.modules.pop("harbour_search", None)


def test_the_example_of_a_provider_is_about_twenty_lines() -> None:
    code = [line for line in _example_files()["harbour_search.py"].splitlines() if line.strip()]
    assert len(code) <= 20


async def test_a_package_that_is_installed_adds_a_provider(installed: Path) -> None:
    assert any(
        point.group == ENTRY_POINT_GROUP for dist in distributions(path=[str(installed)]) for point in dist.entry_points
    )
    settings = read_settings(search_provider="harbour")
    provider = select_provider(settings, providers(settings))
    result = await provider.search(SearchRequest(query="quay dues"))
    assert [source.url for source in result.sources] == ["https://harbour.example/?q=quay%20dues"]


class Point:
    """An entry point, as importlib.metadata gives it."""

    name = "marsh"
    value = "marsh:Marsh"

    def __init__(self, made: object) -> None:
        self._made = made

    def load(self) -> object:
        if isinstance(self._made, Exception):
            raise self._made
        return self._made


def test_a_plug_in_that_cannot_be_loaded_is_named_where_it_is_asked_for_and_harms_no_other() -> None:
    settings = read_settings(search_provider="marsh")
    found = providers(settings, plug_ins=[Point(ImportError("no module named bog"))])  # type: ignore[list-item]
    assert {provider.id for provider in found} >= {"duckduckgo", "library", "marsh"}
    with pytest.raises(WebError, match="no module named bog") as caught:
        select_provider(settings, found)
    assert caught.value.code == "WEB_PROVIDER_CONFIGURED_UNAVAILABLE"
    assert select_provider(read_settings(search_provider="library"), found).id == "library"


async def test_a_plug_in_that_cannot_be_loaded_answers_with_the_reason() -> None:
    (broken,) = (
        provider
        for provider in providers(read_settings(), plug_ins=[Point(ImportError("no module named bog"))])  # type: ignore[list-item]
        if provider.id == "marsh"
    )
    with pytest.raises(WebError, match="no module named bog"):
        await broken.search(SearchRequest(query="reeds"))


def test_a_plug_in_that_fails_when_asked_whether_it_is_usable_is_not_usable() -> None:
    class Fragile(Stub):
        def available(self) -> str | None:
            raise RuntimeError("broken")

    assert "could not say" in (unavailable(Fragile("reed")) or "")
    assert selected("", Fragile("reed"), USABLE) == {"pond"}


def test_a_plug_in_gets_the_settings() -> None:
    seen: list[Settings] = []

    def marsh(settings: Settings) -> SearchProvider:
        seen.append(settings)
        return Stub("marsh")

    settings = read_settings()
    providers(settings, plug_ins=[Point(marsh)])  # type: ignore[list-item]
    assert seen == [settings]


@pytest.mark.parametrize("site", ["", "  ", "not a host", "http://", "https://user@docs.example", "mailto:a@b.example"])
def test_a_site_that_is_none_is_refused_before_any_engine_is_asked(site: str) -> None:
    with pytest.raises(WebError) as caught:
        SearchRequest(query="dues", site=site)
    assert caught.value.code == "WEB_INVALID_ARGUMENTS"


@pytest.mark.parametrize("region", ["", "europe", "en-gb-x", "g", "12"])
def test_a_region_that_is_none_is_refused_before_any_engine_is_asked(region: str) -> None:
    with pytest.raises(WebError) as caught:
        SearchRequest(query="dues", region=region)
    assert caught.value.code == "WEB_INVALID_ARGUMENTS"


@pytest.mark.parametrize(
    ("given", "site"),
    [
        ("Docs.Example", "docs.example"),
        ("https://docs.example/guide/", "docs.example/guide"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_site_is_a_host_however_it_was_given(given: str, site: str) -> None:
    assert SearchRequest(query="dues", site=given).site == site
