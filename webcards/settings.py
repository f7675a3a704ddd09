"""Every setting, in one typed object: `WEBCARDS_*` in the environment, then `.streamlit/secrets.toml`, then the default."""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

Words = Annotated[tuple[str, ...], NoDecode]
"""Values separated by commas."""


class SettingsError(Exception):
    """A setting that cannot be used; the message names it, says what is wrong and what would be right."""


class Settings(BaseSettings):
    """Each field is `WEBCARDS_<NAME>`; its description is the line of help that people see."""

    model_config = SettingsConfigDict(env_prefix="WEBCARDS_", extra="ignore", frozen=True, hide_input_in_errors=True)

    tools: Words = Field(
        ("web_search", "web_fetch"), description="The tools that are switched on, separated by commas."
    )

    search_provider: str = Field("auto", description="The search engine: auto, duckduckgo, library, searxng, brave …")
    search_chain: Words = Field(("duckduckgo", "library"), description="The engines that auto tries, in this order.")
    search_max_results: int = Field(8, ge=1, le=100, description="The most sources that one search gives.")
    search_timeout: float = Field(30, gt=0, le=600, description="Seconds that a whole search may take.")

    search_enrich: bool = Field(
        False, description="Whether the first pages found are read for their dates, where the engine gave none."
    )
    duckduckgo_url: str = Field("https://html.duckduckgo.com/html/", description="Where DuckDuckGo is asked.")
    searxng_url: str = Field("", description="The address of a SearXNG of one's own, such as http://localhost:8888.")
    searxng_user: str = Field("", description="The user name, if that SearXNG asks for one.")
    searxng_password: SecretStr = Field(SecretStr(""), description="The password that goes with the user name.")
    brave_api_key: SecretStr = Field(SecretStr(""), description="The key for Brave Search.")
    tavily_api_key: SecretStr = Field(SecretStr(""), description="The key for Tavily.")
    exa_api_key: SecretStr = Field(SecretStr(""), description="The key for Exa.")
    perplexity_api_key: SecretStr = Field(SecretStr(""), description="The key for Perplexity.")
    perplexity_model: str = Field("sonar", description="The Perplexity model that searches and answers.")
    serper_api_key: SecretStr = Field(SecretStr(""), description="The key for Serper.")
    mediawiki_url: str = Field("", description="The api.php of a wiki, such as https://en.wikipedia.org/w/api.php.")
    opensearch_url: str = Field(
        "", description="The address of an OpenSearch or Elasticsearch with pages of one's own."
    )
    opensearch_index: str = Field("", description="The index, or indices separated by commas, that is searched there.")
    opensearch_user: str = Field("", description="The user name for it, if it asks for one.")
    opensearch_password: SecretStr = Field(SecretStr(""), description="The password that goes with the user name.")
    opensearch_api_key: SecretStr = Field(SecretStr(""), description="The API key for it, instead of a user name.")
    opensearch_fields: Words = Field(
        ("url", "title", "text", "published"), description="The index's fields for URL, title, text and date."
    )

    log_roots: Words = Field(
        (), description="Folders, separated by commas, whose logs the Replay page may open on the server."
    )
    log_show_secrets: bool = Field(
        False, description="Whether the Replay page lets people see keys, tokens and signed addresses in a log."
    )

    fetch_timeout: float = Field(30, gt=0, le=600, description="Seconds that a whole fetch may take.")
    fetch_max_bytes: int = Field(10_000_000, ge=1_000, description="The most bytes that are read of a body, decoded.")
    fetch_max_chars: int = Field(200_000, ge=0, description="The most characters of a fetch's whole text.")
    fetch_max_redirects: int = Field(10, ge=0, le=50, description="The most redirects that a fetch follows.")
    fetch_user_agent: str = Field(
        "WebCards/0.1 (+a person asked for this page)", description="What a fetch calls itself."
    )
    fetch_allow: Words = Field((), description="host:port, separated by commas, that may be fetched though not public.")
    fetch_private_hosts: Words = Field(
        (), description="Names and networks (10.0.0.0/8) that may be fetched though not public."
    )
    fetch_allow_domains: Words = Field((), description="If set, only these domains and what is below them are fetched.")
    fetch_block_domains: Words = Field((), description="These domains, and what is below them, are never fetched.")
    fetch_cross_host: Literal["follow", "same-origin"] = Field(
        "follow", description="Whether a redirect to another host is followed, or answered with its target."
    )
    fetch_proxy: str = Field(
        "", description="The URL of a proxy that every fetch goes through; none if empty.", repr=False
    )
    fetch_headers: Words = Field(
        (), description="host=Name: value, separated by commas: extra headers for named hosts.", repr=False
    )
    fetch_robots: bool = Field(False, description="Whether robots.txt is honoured.")
    fetch_retries: int = Field(2, ge=0, le=5, description="How often a fetch is tried again, inside its deadline.")
    fetch_cache: bool = Field(False, description="Whether pages are kept and reused as HTTP's caching rules allow.")
    fetch_record: str = Field("", description="A WARC file to which everything that is fetched is added.")
    fetch_replay: str = Field(
        "", description="A WARC or WACZ file, or a folder of them, that is served as the web, in place of the network."
    )

    library: str = Field("", description="An index made by `webcards index`, searched and fetched beside the demo web.")
    database_url: SecretStr = Field(
        SecretStr(""), description="Where calls are recorded; a file of the user's if empty."
    )
    keep_days: float = Field(0, ge=0, description="Days that recorded calls are kept; 0 keeps them for good.")
    keep_megabytes: float = Field(
        0, ge=0, description="Megabytes of recorded calls that are kept, the newest; 0 sets no limit."
    )
    mcp_token: SecretStr = Field(
        SecretStr(""), description="What agents have to send as 'Authorization: Bearer …' to the MCP server over HTTP."
    )

    serve_open: bool = Field(
        False, description="Whether the app may be reached from other machines though nobody has to sign in."
    )
    allowed_emails: Words = Field((), description="The e-mail addresses that may sign in, separated by commas.")
    allowed_domains: Words = Field(
        (), description="The domains whose e-mail addresses may sign in; * is whoever the sign-in service knows."
    )
    runners: Words = Field(
        (), description="E-mail addresses and domains that may run calls; if empty, all who are no readers."
    )
    readers: Words = Field(
        (), description="E-mail addresses and domains that may look at everything, and run and change nothing."
    )
    sign_in_hours: float = Field(168, gt=0, le=720, description="Hours after which people have to sign in again.")
    calls_per_minute: int = Field(
        60,
        ge=0,
        description="Calls that one person may start a minute, in batches too, where people sign in; 0 sets no limit.",
    )
    calls_per_day: int = Field(
        5_000,
        ge=0,
        description="Calls that one person may start in 24 hours, in batches too, where people sign in; 0 sets no limit.",
    )
    metrics_from: Words = Field(
        ("127.0.0.0/8", "::1"), description="Networks, separated by commas, from which /metrics may be asked."
    )
    call_log: Literal["auto", "on", "off"] = Field(
        "auto", description="A line of JSON on stderr for each call; auto: where the app is not for this machine alone."
    )

    @field_validator("duckduckgo_url", "searxng_url", "mediawiki_url", "opensearch_url")
    @classmethod
    def _address(cls, value: str, field: ValidationInfo) -> str:
        """An address without white space around it. Raises ValueError for what is none; the address is not repeated:
        it may hold a password."""
        address = value.strip()
        if not address and not cls.model_fields[str(field.field_name)].default:
            return ""
        if not _is_address(address):
            raise ValueError("give an address with http or https, such as http://127.0.0.1:8888/")
        return address

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        return init_settings, _EnvSource(env_settings), _SecretsToml(settings_cls)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # A port that is none is found when it is asked for.
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not set(text) & set(" \t\n<>")
        )
    except ValueError:
        return False


class _EnvSource(PydanticBaseSettingsSource):
    """The environment, with comma-separated values split, and an empty variable taken as one that is not set."""

    def __init__(self, inner: PydanticBaseSettingsSource) -> None:
        super().__init__(inner.settings_cls)
        self._inner = inner

    def get_field_value(self, field: object, field_name: str) -> tuple[object, str, bool]:
        raise NotImplementedError

    def __call__(self) -> dict[str, object]:
        return _split(self.settings_cls, {name: value for name, value in self._inner().items() if value != ""})


class _SecretsToml(TomlConfigSettingsSource):
    """`.streamlit/secrets.toml`: keys as in the environment, in capitals or not."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls, toml_file=Path(".streamlit/secrets.toml"))

    def __call__(self) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in super().__call__().items():
            found[key.lower().removeprefix("webcards_")] = value
        return _split(self.settings_cls, {key: found[key] for key in found if key in self.settings_cls.model_fields})


def _split(settings_cls: type[BaseSettings], values: dict[str, object]) -> dict[str, object]:
    words = {name for name, field in settings_cls.model_fields.items() if isinstance(field.default, tuple)}
    return {
        name: tuple(part.strip() for part in value.split(",") if part.strip())
        if name in words and isinstance(value, str)
        else value
        for name, value in values.items()
    }


def read_settings(**overrides: object) -> Settings:
    """The settings as they are now. Raises `SettingsError` for one that cannot be used."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        lines = [
            f"WEBCARDS_{'_'.join(str(part) for part in fault['loc']).upper()}: {_reason(fault)}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("A setting cannot be used. " + "; ".join(lines)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f".streamlit/secrets.toml is no TOML: {error}.") from None
    except OSError as error:
        raise SettingsError(f".streamlit/secrets.toml cannot be read: {error.strerror}.") from None


def _reason(fault: ErrorDetails) -> str:
    """Pydantic's words, or our own as they were raised."""
    raised = fault.get("ctx", {}).get("error")
    return str(raised) if raised is not None else fault["msg"].lower()


@lru_cache(maxsize=1)
def load_settings() -> Settings:
    """The settings of this process, read once."""
    return read_settings()
