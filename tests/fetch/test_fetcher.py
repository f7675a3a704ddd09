"""A fetch from end to end, against a real server on loopback: values, details, deadlines, settings."""

from tests.fetch.loopback import Asked, Wire, running, text_page


async def page(asked: Asked, wire: Wire) -> None:
    await wire.answer(
        200, text_page(words="The harbour office keeps a ledger. "), Content_Type="text/html; charset=utf-8"
    )


async def test_a_page_comes_back_as_markdown_with_what_is_known_of_its_retrieval() -> None:
    async with running(page) as web:
        fetched = await web.fetcher().fetch("http://pages.example/notes#top")
    assert "The harbour office keeps a ledger." in (fetched.value.body.markdown or "")
    assert fetched.value.url == "http://pages.example/notes#top"
    assert fetched.details.http_version == "HTTP/1.1"
    assert web.dialled == [("93.184.216.34", 80)]


async def test_a_page_over_tls_is_verified_by_its_name() -> None:
    async with running(page) as web:
        fetched = await web.fetcher().fetch("https://pages.example./notes")
    assert fetched.value.status_code == 200
    assert web.asked[0].scheme == "https"
