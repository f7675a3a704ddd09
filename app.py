"""The entry of the app: page set-up and navigation, nothing else."""

from pathlib import Path

import streamlit as st

from components.i18n import _
from components.shell import demo_asked, language_choice
from components.sign_in import closed_to_readers, entered

st.set_page_config(
    page_title="Web Cards",
    page_icon=str(Path(__file__).parent / "components" / "static" / "icon.png"),
    layout="centered",
)
language_choice()
demo = demo_asked()
admitted = entered()
page = st.navigation(
    [st.Page("components/pages/demo.py", title=_("Demo"), default=True)]
    if demo
    else [
        st.Page("components/pages/run.py", title=_("Run"), icon=":material/play_circle:", url_path="run", default=True),
        st.Page(
            "components/pages/compare.py", title=_("Compare"), icon=":material/compare_arrows:", url_path="compare"
        ),
        st.Page("components/pages/replay.py", title=_("Replay"), icon=":material/history:", url_path="replay"),
        st.Page("components/pages/gallery.py", title=_("Gallery"), icon=":material/grid_view:", url_path="gallery"),
        st.Page("components/pages/batch.py", title=_("Batch"), icon=":material/playlist_play:", url_path="batch"),
        st.Page(
            "components/pages/dashboard.py", title=_("Dashboard"), icon=":material/monitoring:", url_path="dashboard"
        ),
    ],
    position="sidebar" if admitted and not demo else "hidden",
)
# Running is all that these are for; the other pages have something to look at too. The default page has no path.
if admitted and not (page.url_path in ("", "compare") and closed_to_readers(page.title)):
    page.run()
