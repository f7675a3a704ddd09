"""The Gallery page: every state of the card, to look at, to change, to break and to tick off."""

import streamlit as st

from components.gallery.browse import browse
from components.gallery.look import gallery_sheet
from components.i18n import _
from components.shell import faults_in_words, heading

heading(_("Gallery"), _("Every state of the card: what to look for, how it is drawn, and why it fell back."))
st.html(f"<style>{gallery_sheet()}</style>")
with faults_in_words():
    browse()
