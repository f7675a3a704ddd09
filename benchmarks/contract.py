"""Presenting a recorded result beside `json.loads` of the same meta: a replay must not be slower than reading its log."""

import json

from benchmarks.figures import machine, medians, table
from webcards.contract import present_search_result

REPEATS = 2_000


def result(count: int) -> dict[str, object]:
    sources = [
        {
            "url": f"https://host{n % 50}.example/page/{n}?q=1",
            "title": f"Title number {n} of a list",
            "snippet": "Some words of the page that was found, about as long as snippets are. " * 2,
            "publishedAt": "2026-04-30T10:00:00Z",
        }
        for n in range(count)
    ]
    return {"content": [], "isError": False, "meta": {"sources": sources, "truncated": False}}


def main() -> None:
    rows = []
    for count in (8, 100, 1000):
        recorded = result(count)
        text = json.dumps(recorded["meta"])
        repeats = max(1, REPEATS // count)

        def present(recorded: dict[str, object] = recorded, repeats: int = repeats) -> None:
            for _ in range(repeats):
                assert present_search_result({"query": "harbour dues"}, recorded) is not None

        def loads(text: str = text, repeats: int = repeats) -> None:
            for _ in range(repeats):
                json.loads(text)

        seconds = medians({"present": present, "loads": loads})
        micro = {name: value / repeats * 1e6 for name, value in seconds.items()}
        rows.append(
            [count, f"{micro['present']:.1f}", f"{micro['loads']:.1f}", f"{micro['present'] / micro['loads']:.2f}"]
        )
    print(f"present_search_result beside json.loads of the same meta ({machine()})\n")
    print(table(["sources", "present µs", "json.loads µs", "ratio (at most 1)"], rows))


if __name__ == "__main__":
    main()
