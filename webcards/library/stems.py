"""The stems of words exactly as the index has them: SQLite's own tokeniser is asked, so that the two cannot differ."""

import sqlite3
import threading
from collections.abc import Iterable

TOKENIZER = "porter unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
"""English stems; accents are folded before (segment.py), marks belong to the words of the scripts that need them."""

_REMEMBERED = 50_000
"""Words, after which the memory starts afresh."""


class Stemmer:
    """Stems folded words; any number of threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}
        self._base = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._base.executescript(
            f'CREATE VIRTUAL TABLE word USING fts5 (spelling, content = "", tokenize = "{TOKENIZER}");'
            "CREATE VIRTUAL TABLE stem USING fts5vocab (word, instance);"
        )

    def stems(self, words: Iterable[str]) -> dict[str, str]:
        """Each word's stem. A word that the index would cut into several has no stem and stands for itself."""
        asked = list(dict.fromkeys(words))
        with self._lock:
            fresh = [word for word in asked if word not in self._known]
            if len(self._known) + len(fresh) > _REMEMBERED:
                self._known.clear()
                fresh = asked
            if fresh:
                self._known.update(self._ask(fresh))
            return {word: self._known[word] for word in asked}

    def _ask(self, words: list[str]) -> dict[str, str]:
        found: dict[int, list[str]] = {}
        self._base.execute("BEGIN")
        self._base.executemany("INSERT INTO word (rowid, spelling) VALUES (?, ?)", enumerate(words))
        for doc, term in self._base.execute("SELECT doc, term FROM stem"):
            found.setdefault(doc, []).append(term)
        self._base.execute("INSERT INTO word (word) VALUES ('delete-all')")
        self._base.execute("COMMIT")
        return {word: terms[0] if len(terms := found.get(row, [])) == 1 else word for row, word in enumerate(words)}
