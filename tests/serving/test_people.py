"""Who may enter and as what: from the claims of a sign-in service, which is strict where it is in doubt."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webcards.serving.people import Person, Role, TurnedAway, address_of, closeness, judge
from webcards.settings import Settings, read_settings

NOW = 1_796_000_000.0
DOMAIN = "kittiwick.example"


def rules(**settings: object) -> Settings:
    return read_settings(**{"allowed_domains": (DOMAIN,), **settings})


def claims(**changed: object) -> dict[str, Any]:
    return {"email": f"ada@{DOMAIN}", "email_verified": True, "iat": NOW - 60, **changed}


def test_who_is_of_an_allowed_domain_enters_as_a_runner() -> None:
    assert judge(claims(), rules(), now=NOW) == Person(f"ada@{DOMAIN}", Role.RUNNER)


def test_who_is_allowed_by_address_enters_and_a_colleague_does_not() -> None:
    one = rules(allowed_domains=(), allowed_emails=("Ada@Kittiwick.example",))
    assert isinstance(judge(claims(), one, now=NOW), Person)
    assert judge(claims(email=f"eve@{DOMAIN}"), one, now=NOW) == TurnedAway("not allowed", f"eve@{DOMAIN}")


def test_capitals_make_no_other_person_of_one() -> None:
    person = judge(claims(email="ADA@Kittiwick.EXAMPLE"), rules(), now=NOW)
    assert isinstance(person, Person)
    assert person.email == f"ada@{DOMAIN}"


@pytest.mark.parametrize(
    "email",
    [
        "ada@other.example",
        f"ada@evil.{DOMAIN}",
        f"ada@{DOMAIN}.other.example",
        f"ada@not{DOMAIN}",
        f"ada@{DOMAIN}.",
        "ada@\u212aittiwick.example",  # KELVIN SIGN, whose lower case is k
        "ada@k\u0131ttiwick.example",  # dotless i, whose upper case is I
        "ada@ｋittiwick.example",
    ],
)
def test_an_address_that_only_looks_like_one_of_the_domain_stays_outside(email: str) -> None:
    assert judge(claims(email=email), rules(), now=NOW) == TurnedAway("not allowed", email)


@pytest.mark.parametrize(
    "email",
    [
        None,
        "",
        True,
        7,
        [f"ada@{DOMAIN}"],
        "ada",
        DOMAIN,
        f"@{DOMAIN}",
        f"eve@other.example@{DOMAIN}",
        f"eve@other.example, ada@{DOMAIN}",
        f"ada@{DOMAIN}\n",
        f" ada@{DOMAIN}",
        f"ada\u202e@{DOMAIN}",
        f"{'a' * 65}@{DOMAIN}",
    ],
)
def test_what_is_not_clearly_one_address_is_none(email: object) -> None:
    assert judge(claims(email=email), rules(allowed_domains=("*",)), now=NOW) == TurnedAway("no e-mail", "")


@pytest.mark.parametrize("verified", [False, None, "false", "", "yes", 0, 2, [], {}, "absent"])
def test_an_address_that_the_service_does_not_vouch_for_stays_outside(verified: object) -> None:
    told = claims(email_verified=verified)
    if verified == "absent":
        del told["email_verified"]
    assert judge(told, rules(), now=NOW) == TurnedAway("not verified", f"ada@{DOMAIN}")


@pytest.mark.parametrize("told", [{"email_verified": "true"}, {"email_verified": None, "xms_edov": "1"}])
def test_services_that_vouch_in_words_of_their_own_are_understood(told: dict[str, object]) -> None:
    assert isinstance(judge(claims(**told), rules(), now=NOW), Person)


def test_nobody_enters_until_somebody_is_named() -> None:
    assert judge(claims(), rules(allowed_domains=()), now=NOW) == TurnedAway("nobody allowed", f"ada@{DOMAIN}")


def test_a_star_means_whoever_the_service_knows() -> None:
    assert isinstance(judge(claims(email="eve@other.example"), rules(allowed_domains=("*",)), now=NOW), Person)


@pytest.mark.parametrize(
    ("issued", "enters"),
    [
        (NOW - 3600 + 1, True),
        (NOW - 3601, False),
        (NOW + 60, True),
        (NOW + 3600, False),
        (None, False),
        ("1", False),
        (True, False),
        (float("nan"), False),
    ],
)
def test_a_sign_in_holds_for_as_long_as_the_setting_says(issued: object, enters: bool) -> None:
    judged = judge(claims(iat=issued), rules(sign_in_hours=1), now=NOW)
    assert isinstance(judged, Person) is enters
    assert enters or judged == TurnedAway("too long ago", f"ada@{DOMAIN}")


@pytest.mark.parametrize(
    ("runners", "readers", "role"),
    [
        ((), (), Role.RUNNER),
        ((), (f"ada@{DOMAIN}",), Role.READER),
        ((), ("bob@kittiwick.example",), Role.RUNNER),
        (("bob@kittiwick.example",), (), Role.READER),
        ((f"ada@{DOMAIN}",), (DOMAIN,), Role.RUNNER),
        ((DOMAIN,), (f"ada@{DOMAIN}",), Role.READER),
        ((DOMAIN,), (f"@{DOMAIN}",), Role.READER),
        (("*",), ("*",), Role.READER),
        ((f"@{DOMAIN}",), ("*",), Role.RUNNER),
    ],
)
def test_the_closer_of_two_lists_gives_the_role_and_the_reader_s_wins_a_tie(
    runners: tuple[str, ...], readers: tuple[str, ...], role: Role
) -> None:
    assert judge(claims(), rules(runners=runners, readers=readers), now=NOW) == Person(f"ada@{DOMAIN}", role)


def test_a_role_lets_nobody_in_who_is_not_allowed() -> None:
    told = claims(email="eve@other.example")
    assert isinstance(judge(told, rules(runners=("eve@other.example",)), now=NOW), TurnedAway)


@given(st.dictionaries(st.sampled_from(["email", "email_verified", "iat", "xms_edov"]), st.from_type(object)))
def test_no_claims_at_all_raise(told: dict[str, object]) -> None:
    judge(told, rules(), now=NOW)


@given(st.emails())
def test_an_address_is_within_its_own_domain_and_no_other(email: str) -> None:
    address = address_of(email)
    assert address is not None
    domain = address.rpartition("@")[2]
    assert closeness(address, [domain]) == 2
    assert closeness(address, [address]) == 3
    assert closeness(address, [f"x{domain}", f"{domain}x", domain.partition(".")[2], f"x{address}"]) == 0
