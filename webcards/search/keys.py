"""What an engine needs before it can be asked: its key or its address, and the sentence for one that is missing."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from webcards.contract.errors import WebError
from webcards.search.http import Api

if TYPE_CHECKING:
    from pydantic import SecretStr


class Account:
    """A paid engine's key: which setting holds it, and how it is shown to the engine and to nobody else."""

    def __init__(self, label: str, setting: str, key: SecretStr, timeout: float) -> None:
        self._label = label
        self._setting = setting
        self._key = key
        self._timeout = timeout

    def missing(self) -> str | None:
        """None, or the sentence that says which setting the engine wants."""
        return None if self._key.get_secret_value() else wanted(self._label, "a key", self._setting)

    def api(self, header: str, scheme: str = "") -> Api:
        """The engine's API with the key in the header that it is expected in; `scheme` goes before it ("Bearer").

        Raises `WEB_PROVIDER_CREDENTIAL_MISSING` if there is no key.
        """
        require(self.missing())
        key = self._key.get_secret_value()
        return Api(
            label=self._label,
            advice=f"Check {self._setting} and the plan that it belongs to, or choose another engine.",
            timeout=self._timeout,
            headers={header: f"{scheme} {key}".strip()},
            secrets=(key,),
        )


def wanted(label: str, what: str, setting: str) -> str:
    """The sentence that says which setting an engine wants."""
    return f"{label} needs {what}: set {setting}."


def require(reason: str | None) -> None:
    """Raise `WEB_PROVIDER_CREDENTIAL_MISSING` with the reason that `available` gives, if it gives one."""
    if reason:
        raise WebError("WEB_PROVIDER_CREDENTIAL_MISSING", reason)


def basic_authorization(user: str, password: str) -> dict[str, str]:
    """The header for a user name and a password (RFC 7617), none without a user name."""
    if not user:
        return {}
    return {"Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}
