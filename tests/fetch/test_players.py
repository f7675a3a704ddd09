"""What a page embeds keeps its place and its address; advertisements and what leads nowhere do not."""

import pytest

from tests.fetch.reading import markdown_of

EMBEDDED = {
    "a film in a frame is the page of the film": (
        '<iframe src="https://www.youtube.com/embed/abcDEF12345?start=3" title="Low water"></iframe>',
        "[Video: Low water](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "a title that only says that it is a player is none": (
        '<p><iframe src="//www.youtube-nocookie.com/embed/abcDEF12345" title="YouTube video player"></iframe></p>',
        "[Video](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "a title is text": (
        '<iframe src="https://player.vimeo.com/video/12" title="*Kiel* [live &lt;b&gt;"></iframe>',
        "[Video: \\*Kiel\\* \\[live \\<b>](https://vimeo.com/12)",
    ),
    "a frame that a script fills": (
        '<div class="ratio"><iframe data-src="https://www.youtube.com/embed/abcDEF12345"></iframe></div>',
        "[Video](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "a frame for those without script": (
        '<noscript><iframe src="https://www.youtube.com/embed/abcDEF12345"></iframe></noscript>',
        "[Video](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "an element of a player's own": (
        '<lite-youtube videoid="abcDEF12345" playlabel="Play: Tides explained"></lite-youtube>',
        "[Video: Tides explained](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "an object of old": (
        '<object><param name="movie" value="https://www.youtube.com/v/abcDEF12345"></object>',
        "[Video](https://www.youtube.com/watch?v=abcDEF12345)",
    ),
    "a box called player that holds a player": (
        '<div class="video-player"><div class="media-player"><video src="/crane.mp4" aria-label="The crane"></video></div></div>',
        "[Video: The crane](http://docs.example/crane.mp4)",
    ),
    "a film of several sources is its first": (
        '<video controls><source src="a.webm"><source src="a.mp4">Your browser plays no films.</video>',
        "[Video](http://docs.example/guide/a.webm)",
    ),
    "sound": ('<audio controls src="horn.mp3"></audio>', "[Audio](http://docs.example/guide/horn.mp3)"),
    "what a player was asked to show": (
        '<iframe src="https://w.soundcloud.com/player/?url=https%3A//soundcloud.example/ada/horn&amp;color=red"></iframe>',
        "[Audio](https://soundcloud.example/ada/horn)",
    ),
    "a chart": (
        '<iframe title="Tides of the year" src="https://datawrapper.dwcdn.net/aBcDe/1/"></iframe>',
        "[Chart: Tides of the year](https://datawrapper.dwcdn.net/aBcDe/1/)",
    ),
    "inside a link it is its own": (
        '<a href="/film"><video src="/a.mp4"></video></a>',
        "[Video](http://docs.example/a.mp4)",
    ),
    "in a cell": (
        (
            "<table><tr><th>a<th>b<tr><td>x<td><iframe src='https://vimeo.com/1'></iframe>"
            "<iframe src='https://player.vimeo.com/video/12'></iframe></table>"
        ),
        "| a | b |\n| --- | --- |\n| x | [Video](https://vimeo.com/12) |",
    ),
}


@pytest.mark.parametrize(("source", "expected"), EMBEDDED.values(), ids=EMBEDDED)
def test_what_is_embedded_is_a_link(source: str, expected: str) -> None:
    assert markdown_of(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '<iframe src="https://ads.example/x" title="3rd party ad content"></iframe>',
        '<iframe src="https://www.youtube.com.evil.example/embed/abcDEF12345"></iframe>',
        '<iframe src="https://www.youtube.com/embed/../evil?y"></iframe>',
        '<video src="blob:https://docs.example/1"></video>',
        '<video src="javascript:alert(1)"></video>',
        '<audio src="data:audio/mp3;base64,AAAA"></audio>',
        "<video>Your browser plays no films.</video>",
        '<div style="display:none"><iframe src="https://www.youtube.com/embed/abcDEF12345"></iframe></div>',
        '<div class="video-player">Up next <iframe src="https://www.youtube.com/embed/abcDEF12345"></iframe></div>',
    ],
)
def test_what_leads_nowhere_or_is_not_the_pages_leaves_nothing(source: str) -> None:
    assert markdown_of(source) == ""


def test_of_a_page_of_players_no_more_are_kept_than_anybody_looks_through() -> None:
    written = markdown_of('<video src="/a.mp4"></video>' * 3_000)
    assert written.count("[Video](http://docs.example/a.mp4)") == 500
