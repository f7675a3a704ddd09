"""Settings that cannot be used are named, with what is wanted, and never repeated where they may hold a secret."""

import pytest

from webcards.settings import SettingsError, read_settings

ADDRESSES = ["duckduckgo_url", "searxng_url", "mediawiki_url", "opensearch_url"]


@pytest.mark.parametrize("setting", ADDRESSES)
@pytest.mark.parametrize(
    "value",
    ["junk", "ftp://a.example/", "//a.example", "http://", "http://a.example:99999/", "http://[::1", "http://a b/"],
)
def test_an_address_that_is_none_is_named_with_what_is_wanted(setting: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(**{setting: value})
    assert str(caught.value) == (
        f"A setting cannot be used. WEBCARDS_{setting.upper()}:"
        " give an address with http or https, such as http://127.0.0.1:8888/"
    )


@pytest.mark.parametrize("setting", ADDRESSES)
@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("http://127.0.0.1:8888", "http://127.0.0.1:8888"),
        (" https://a.example/w/api.php\n", "https://a.example/w/api.php"),
        ("http://[::1]:80/", "http://[::1]:80/"),
    ],
)
def test_an_address_is_kept_without_the_white_space_around_it(setting: str, value: str, kept: str) -> None:
    assert getattr(read_settings(**{setting: value}), setting) == kept


def test_an_engine_without_an_address_is_one_that_is_not_set_up() -> None:
    assert read_settings(searxng_url=" ").searxng_url == ""
    with pytest.raises(SettingsError, match="WEBCARDS_DUCKDUCKGO_URL"):
        read_settings(duckduckgo_url="")


def test_other_faults_are_told_in_pydantic_s_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBCARDS_SEARCH_MAX_RESULTS", "many")
    with pytest.raises(SettingsError, match="WEBCARDS_SEARCH_MAX_RESULTS: input should be a valid integer"):
        read_settings()
