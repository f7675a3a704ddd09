"""Scripts and characters: right-to-left, scripts without spaces, emoji, marks, and characters that cannot be seen."""

from components.gallery.state import Group, fetch, search, source
from components.i18n import N_

_NEXT = source("https://office.kittiwick.example/", "The next row stays left-to-right", "As ever.")

GROUP = Group(
    "scripts",
    N_("Scripts"),
    (
        search(
            "script-arabic",
            N_("Arabic begins at the right of its row, numbers and the host stay legible, the next row is untouched."),
            source(
                "https://marsa.example/twin-town",
                "المدينة التوأم: كيتيويك (2026)",
                "رسوم الميناء 14.20 لليلة.",
                "2026-03-04",
            ),
            _NEXT,
            args={"query": "الميناء"},
            visible_text_has=["المدينة التوأم: كيتيويك (2026)", "رسوم الميناء 14.20 لليلة."],
            bidi_contained=True,
        ),
        search(
            "script-hebrew",
            N_("Hebrew with Latin words in it: each run reads in its own direction."),
            source("https://namal.example/", "אגרות הנמל של Kittiwick לשנת 2026", "התשלום עד 12:00 במשרד (office)."),
            _NEXT,
            visible_text_has=["אגרות הנמל של Kittiwick לשנת 2026"],
            bidi_contained=True,
        ),
        search(
            "script-cjk",
            N_("Chinese, Japanese and Korean wrap between any two characters and show no empty boxes."),
            source(
                "https://xn--j6w163h.example/",
                "海堤大风:港口费用与潮汐表",
                "十一月十二日夜间,大风越过海堤。" * 6,
                "2026-11-13",
            ),
            source("https://minato.example/", "港湾使用料のお知らせ", "正午までに港務所でお支払いください。"),
            source("https://hangu.example/", "항만 사용료 안내", "정오 전까지 항만 사무소에 납부하십시오."),
            args={"query": "港口 潮汐"},
            visible_text_has=["海堤大风:港口费用与潮汐表", "港湾使用料のお知らせ", "항만 사용료 안내"],
        ),
        search(
            "script-thai",
            N_("Thai has no spaces between words: lines break all the same, and vowel signs are not cut off."),
            source(
                "https://tha.example/",
                "ค่าธรรมเนียมท่าเรือสำหรับเรือเยี่ยมชม",
                "ชำระก่อนเที่ยงที่สำนักงานท่าเรือหรือที่เครื่องข้างทางลาด" * 4,
            ),
            _NEXT,
            visible_text_has=["ค่าธรรมเนียมท่าเรือสำหรับเรือเยี่ยมชม"],
        ),
        search(
            "script-indic",
            N_("Devanagari and Tamil clusters stay whole."),
            source("https://bandar.example/", "बंदरगाह शुल्क २०२६", "दोपहर से पहले भुगतान करें।"),
            source("https://thurai.example/", "துறைமுக கட்டணம்", "நண்பகலுக்கு முன் செலுத்தவும்."),
            visible_text_has=["बंदरगाह शुल्क २०२६", "துறைமுக கட்டணம்"],
        ),
        search(
            "script-emoji",
            N_("Emoji, flags, families and skin tones are one sign each; none falls apart."),
            source("https://office.kittiwick.example/", "⚓ Dues 👩🏽‍✈️ 👨‍👩‍👧‍👦 🇬🇧 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🌊🌊🌊 ❤️‍🔥 1️⃣"),
            visible_text_has=["⚓ Dues 👩🏽‍✈️ 👨‍👩‍👧‍👦"],
        ),
        search(
            "script-combining-marks",
            N_("Forty marks on one letter stay within their row, or at least cover nothing that must be read."),
            source("https://office.kittiwick.example/", "Z" + "\u0335\u0321\u0341\u035d" * 10 + "algo", "Zalgo text."),
            _NEXT,
            visible_text_has=["The next row stays left-to-right"],
        ),
        search(
            "script-zero-width",
            N_("Zero-width characters cannot be seen and move nothing; joiners that scripts need are kept."),
            source("https://office.kittiwick.example/", "Har\u200bbour\u2060 du\ufeffes \u200dnow", "می\u200cخواهم"),
            visible_text_has=["می\u200cخواهم"],
        ),
        search(
            "script-bidi-override",
            N_("A right-to-left override in a title turns nothing around: not the host, not the next row."),
            source("https://d.example/about", "d.example/about\u202e3pm.exe"),
            _NEXT,
            bidi_contained=True,
            visible_text_has=["The next row stays left-to-right"],
        ),
        search(
            "script-isolates-unclosed",
            N_("Embeddings and isolates that are never closed end with the text that holds them."),
            source("https://d.example/a", "\u2067\u202bnever closed", "\u2066\u202a also here"),
            _NEXT,
            bidi_contained=True,
        ),
        search(
            "script-lone-surrogate",
            N_("Half of a cut emoji from an old log is a replacement sign; the page does not fail."),
            source("https://office.kittiwick.example/", "Dues \ud83d for 2026", "Cut here: \udc4d"),
            visible_text_has=["Dues \ufffd for 2026"],
            no_exception=True,
        ),
        search(
            "script-private-use",
            N_("Private-use characters in a title may show as boxes, and nothing else happens."),
            source("https://office.kittiwick.example/", "Dues \ue000\uf8ff 2026"),
            numbers=[1],
        ),
        fetch(
            "script-page-right-to-left",
            N_("An Arabic page reads from the right, the address above it from the left."),
            url="https://marsa.example/twin-town",
            args={"url": "https://marsa.example/twin-town"},
            body="# المدينة التوأم\n\nرسوم الميناء تُدفع قبل الظهر.\n\n- الليلة الأولى\n- الليلة الثانية",
            visible_text_has=["المدينة التوأم"],
        ),
    ),
)
