"""The peers of the search benchmark, tantivy and Whoosh, on the same documents and behind the same few calls."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from webcards.library.index import Document

FIELDS = ("title", "headings", "address", "body")


class Peer(Protocol):
    """An engine with its index; `settings` are the ways in which it can combine words."""

    settings: Sequence[str]

    def __init__(self, documents: Sequence[Document], folder: Path) -> None: ...
    def tune(self, setting: str, weights: tuple[float, ...]) -> None: ...
    def search(self, query: str) -> list[str]: ...


class Tantivy:
    """tantivy with its English stemmer in every field, and its lenient query parser."""

    settings: Sequence[str] = ("any word",)

    def __init__(self, documents: Sequence[Document], folder: Path) -> None:
        import tantivy

        schema = tantivy.SchemaBuilder()
        for field in FIELDS:
            schema.add_text_field(field, tokenizer_name="en_stem")
        schema.add_text_field("url", stored=True, tokenizer_name="raw")
        folder.mkdir()
        self._index: Any = tantivy.Index(schema.build(), path=str(folder))
        writer = self._index.writer(heap_size=256_000_000, num_threads=2)
        for page in documents:
            fields = {
                "title": page.title,
                "headings": page.headings,
                "address": page.url,
                "body": page.text,
                "url": page.url,
            }
            writer.add_document(tantivy.Document(**fields))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher: Any = self._index.searcher()
        self.tune(self.settings[0], (1.0,) * len(FIELDS))

    def tune(self, setting: str, weights: tuple[float, ...]) -> None:  # noqa: ARG002  # it has only one
        self._weights = {field: float(weight) for field, weight in zip(FIELDS, weights, strict=True)}

    def search(self, query: str) -> list[str]:
        parsed, _ = self._index.parse_query_lenient(query, list(FIELDS), field_boosts=self._weights)
        return [self._searcher.doc(address)["url"][0] for _, address in self._searcher.search(parsed, 10).hits]


class Whoosh:
    """Whoosh with its stemming analyser, which leaves out stop words, and BM25F."""

    settings: Sequence[str] = ("all words", "any word", "any word, more is better")

    def __init__(self, documents: Sequence[Document], folder: Path) -> None:
        from whoosh import index
        from whoosh.analysis import StemmingAnalyzer
        from whoosh.fields import ID, TEXT, Schema

        folder.mkdir()
        analyser = StemmingAnalyzer()
        schema = Schema(url=ID(stored=True), **{field: TEXT(analyser) for field in FIELDS})
        made = index.create_in(str(folder), schema)
        writer = made.writer(limitmb=256)
        for page in documents:
            writer.add_document(
                url=page.url, title=page.title, headings=page.headings, address=page.url, body=page.text
            )
        writer.commit(optimize=True)
        self._schema = schema
        self._searcher: Any = made.searcher()
        self.tune(self.settings[0], (1.0,) * len(FIELDS))

    def tune(self, setting: str, weights: tuple[float, ...]) -> None:
        from whoosh.qparser import AndGroup, MultifieldParser, OrGroup

        groups = {"all words": AndGroup, "any word": OrGroup, "any word, more is better": OrGroup.factory(0.9)}
        boosts = dict(zip(FIELDS, weights, strict=True))
        self._parser: Any = MultifieldParser(list(FIELDS), self._schema, fieldboosts=boosts, group=groups[setting])

    def search(self, query: str) -> list[str]:
        return [hit["url"] for hit in self._searcher.search(self._parser.parse(query), limit=10)]


PEERS: dict[str, type[Peer]] = {"tantivy": Tantivy, "Whoosh": Whoosh}
