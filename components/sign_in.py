"""What is drawn at the door: the page where people sign in, why somebody may not enter, and who has entered."""

from html import escape
from typing import assert_never

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAuthError

from components.access import Anyone, Elsewhere, SignedOut, may_run, runner_needed, services, standing
from components.i18n import N_, _
from components.safe_text import md_escape
from components.shell import faults_in_words, heading
from webcards.serving.listening import OPENED_BY
from webcards.serving.people import Person, Reason, Role, TurnedAway
from webcards.serving.wanted import XSRF_COOKIE, address_of, wanted

SHEET = """
.st-key-door{max-width:30rem;margin:8vh auto 0;padding:2rem 2.2rem 2.2rem;border-radius:1rem;
 border:1px solid light-dark(#d5dce3,#2b3440);background:light-dark(#fff,#161c24);
 box-shadow:0 1px 2px light-dark(#1c24300f,#0000),0 12px 32px light-dark(#1c243014,#0000)}
.door{display:flex;flex-direction:column;gap:.5rem}
.door-mark{display:flex;gap:.3rem;align-items:flex-end;height:2.4rem;margin-bottom:.5rem}
.door-mark i{display:block;width:1.5rem;border-radius:.3rem;background:light-dark(#0d6e6e,#11827b)}
.door-mark i:nth-child(1){height:100%}
.door-mark i:nth-child(2){height:74%;opacity:.62}
.door-mark i:nth-child(3){height:48%;opacity:.36}
.door h1{font-size:1.6rem;line-height:1.2;margin:0;padding:0}
.door p{margin:0;line-height:1.5;overflow-wrap:anywhere}
.door .door-who{font-weight:600}
"""
ROLES = {Role.READER: N_("reader"), Role.RUNNER: N_("runner")}


def entered() -> bool:
    """Whether who is there may enter; if not, the page says why, and what to do."""
    with faults_in_words():
        who = standing()
        match who:
            case Person():
                _who_is_here(who)
                return True
            case Anyone():
                return True
            case SignedOut(services=services):
                said = _("This Web Cards is for a team. Sign in to see its cards and to run its tools.")
                with _door("Web Cards", said):
                    _services(services)
            case TurnedAway():
                _turned_away(who)
            case Elsewhere(address=address):
                _elsewhere(address)
            case other:
                assert_never(other)
    return False


def closed_to_readers(title: str) -> bool:
    """Whether a page that is for running only is closed to who is there; if so, the page says so in place of itself."""
    if may_run():
        return False
    heading(title, _("This page runs calls."))
    runner_needed()
    return True


def _door(title: str, *paragraphs: str, person: str = "") -> DeltaGenerator:
    """Draws what is said at the door; gives the container for what can be done there."""
    st.html(f"<style>{SHEET}</style>")
    who = f'<p class="door-who" dir="auto">{escape(person)}</p>' if person else ""
    said = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    mark = '<div class="door-mark" aria-hidden="true"><i></i><i></i><i></i></div>'
    door = st.container(key="door")
    door.html(f'<div class="door">{mark}<h1>{escape(title)}</h1>{who}{said}</div>')
    return door


def _services(services: tuple[str | None, ...], *, again: bool = False) -> None:
    """A button for each service by which one can sign in."""
    for service in services:
        if service is not None:
            label = _("Sign in with %(service)s") % {"service": service.replace("-", " ").title()}
        else:
            label = _("Sign in with another account") if again else _("Sign in")
        key = f"sign-in-{service or 'default'}"
        if st.button(md_escape(label), type="primary", width="stretch", icon=":material/login:", key=key):
            _go_to(service)


def _go_to(service: str | None) -> None:
    params = {name: st.query_params.get_all(name) for name in st.query_params}
    wanted().keep(st.context.cookies.get(XSRF_COOKIE, ""), address_of(st.context.url, params))
    try:
        st.login(service)
    except StreamlitAuthError as error:
        reason = " ".join(str(error).split())
        st.error(
            md_escape(_("Sign-in is not set up as it should be. %(reason)s") % {"reason": reason}),
            icon=":material/error:",
        )


def _turned_away(who: TurnedAway) -> None:
    title, said = _("You cannot enter"), _why(who.reason)
    if who.reason == "too long ago":
        title = _("Please sign in again")
    with _door(title, said, person=who.email):
        _services(services(), again=who.reason != "too long ago")
        _sign_out()


def _why(reason: Reason) -> str:
    match reason:
        case "no e-mail":
            return _(
                "The sign-in service did not say which e-mail address is yours. "
                "Whoever runs this app can ask it for the scope “email”."
            )
        case "not verified":
            return _("The sign-in service does not vouch for this address. Have it verified there, then sign in again.")
        case "nobody allowed":
            return _(
                "Nobody may enter yet. Whoever runs this app can name people in WEBCARDS_ALLOWED_EMAILS "
                "or WEBCARDS_ALLOWED_DOMAINS."
            )
        case "not allowed":
            return _(
                "This address is not among those that may enter. Sign in with another one, "
                "or ask whoever runs this app to let you in."
            )
        case "too long ago":
            return _("It is a while since you signed in.")
        case other:
            assert_never(other)


def _elsewhere(address: str) -> None:
    _door(
        _("This app is for its own machine alone"),
        _("You came by %(address)s, which others can reach too, and nobody has to sign in.") % {"address": address},
        _(
            "Open it on http://127.0.0.1 on that machine. Or let people sign in: [auth] in .streamlit/secrets.toml, "
            "as docs/deploy.md says. Or let everybody in: %(option)s."
        )
        % {"option": OPENED_BY},
    )


def _who_is_here(person: Person) -> None:
    said = _("Signed in as %(email)s (%(role)s)") % {"email": person.email, "role": _(ROLES[person.role])}
    with st.sidebar, st.container(key="who"):
        # Not as Markdown: an address is to be copied as it is.
        st.html(f'<p style="margin:0;overflow-wrap:anywhere">{escape(said)}</p>')
        _sign_out()


def _sign_out() -> None:
    if st.button(_("Sign out"), icon=":material/logout:", key="sign-out", width="stretch"):
        st.logout()
