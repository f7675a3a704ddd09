"""A title that names another site is told from one that names its own, a file, a product, a piece of code or a person."""

import pytest

from components.other_site import other_site
from webcards.contract import link_host

OTHER = [
    ("https://bank.example/", "https://evil.example/login", "bank.example"),
    ("bank.example", "https://evil.example/", "bank.example"),
    ("Sign in: bank.example", "https://evil.example/", "bank.example"),
    ("Sign in to bank.example.", "https://evil.example/", "bank.example"),
    ("Sign in (bank.example)", "https://evil.example/", "bank.example"),
    ("“bank.example” – your account", "https://evil.example/", "bank.example"),
    ("bank.example's login", "https://evil.example/", "bank.example"),
    ("bank.example/login", "https://evil.example/", "bank.example"),
    ("bank.example:443", "https://evil.example/", "bank.example"),
    ("BANK.EXAMPLE | LOGIN", "https://evil.example/", "bank.example"),
    ("paypal.com", "https://paypal.co/", "paypal.com"),
    ("paypal.co", "https://paypal.com/", "paypal.co"),
    ("paypal.com - Log in", "https://paypal.com.evil.example/", "paypal.com"),
    ("paypal.com.evil.example", "https://paypal.com/", "paypal.com.evil.example"),
    ("www.paypal.com", "https://paypal.co/", "www.paypal.com"),
    ("Log in at PayPal.com", "https://evil.example/", "paypal.com"),
    ("https://paypal.com@evil.example/", "https://evil.example/", "paypal.com"),
    ("secure-paypal.com", "https://paypal.com/", "secure-paypal.com"),
    ("bank.co.uk", "https://evil.co.uk/", "bank.co.uk"),
    ("BBC.CO.UK", "https://evil.example/", "bbc.co.uk"),
    ("alice.github.io", "https://bob.github.io/", "alice.github.io"),
    ("pay\u200bpal.com", "https://evil.example/", "paypal.com"),
    ("ｐａｙｐａｌ．ｃｏｍ", "https://evil.example/", "paypal.com"),
    ("paypal.com", "https://xn--pypal-4ve.com/", "paypal.com"),
    ("bücher.example", "https://buecher.example/", "bücher.example"),
    ("登录bank.example以继续", "https://evil.example/", "bank.example"),
    ("яндекс.рф", "https://evil.example/", "яндекс.рф"),
    ("12306.cn", "https://evil.example/", "12306.cn"),
    ("bank.example/evil.example", "https://evil.example/", "bank.example"),
    ("evil.example: bank.example", "https://evil.example/", "bank.example"),
    ("https://crates.rs/", "https://evil.example/", "crates.rs"),
    ("www.ciao.sh", "https://evil.example/", "www.ciao.sh"),
    ("www.java.net", "https://evil.example/", "www.java.net"),
    ("evil.example and bank.example", "https://evil.example/", "bank.example"),
    ("bank.example", "http://127.0.0.1:8000/", "bank.example"),
]
NONE = [
    ("Node.js tutorial", "https://docs.example/"),
    ("README.md", "https://github.com/a/b"),
    ("ASP.NET guide", "https://learn.example/"),
    ("asp.net and VB.NET", "https://learn.example/"),
    ("Json.NET, Paint.NET", "https://learn.example/"),
    ("main.rs explained", "https://docs.example/"),
    ("setup.py or pyproject.toml?", "https://docs.example/"),
    ("install.sh, run.sh and libc.so", "https://docs.example/"),
    ("index.pl: a first script", "https://docs.example/"),
    ("Socket.IO and Next.js", "https://docs.example/"),
    ("java.io.File and System.Net", "https://docs.example/"),
    ("java.net package", "https://docs.example/"),
    ("com.example.app crashes", "https://docs.example/"),
    ("logger.info and console.log", "https://docs.example/"),
    ("os.path.join, asyncio.run, event.target", "https://docs.example/"),
    ("Safari.app and archive.zip", "https://docs.example/"),
    ("Version 1.2.3 is out", "https://docs.example/"),
    ("Chapter 2.in the harbour", "https://docs.example/"),
    ("Dues rose.It was time", "https://docs.example/"),
    ("Dr.No, Mr.Mo and St.Gallen", "https://docs.example/"),
    ("The U.S. and the U.K., e.g. at 5 p.m.", "https://docs.example/"),
    ("Pt.VI of the series", "https://docs.example/"),
    ("Write to info@bank.example", "https://docs.example/"),
    ("first.info@bank.example", "https://docs.example/"),
    ("The end...", "https://docs.example/"),
    ("my_bank.example", "https://docs.example/"),
    ("docs.example - Home", "https://docs.example/a"),
    ("docs.example", "https://www.docs.example/a"),
    ("www.docs.example", "https://docs.example/a"),
    ("Docs.Example", "https://docs.example/a"),
    ("docs.example", "https://de.docs.example:8443/a"),
    ("api.docs.example", "https://docs.example/a"),
    ("api.docs.example", "https://www.docs.example/a"),
    ("news.bank.co.uk", "https://www.bank.co.uk/"),
    ("web.de", "https://www.web.de/"),
    ("https://archive.example/https://bank.example/", "https://archive.example/https://bank.example/"),
    ("docs.example:8080?of=bank.example", "https://docs.example:8080/"),
    ("github.io", "https://alice.github.io/"),
    ("bücher.example", "https://bücher.example/"),
    ("bücher.example", "https://xn--bcher-kva.example/"),
    ("xn--bcher-kva.example", "https://bücher.example/"),
    ("BÜCHER.example", "https://shop.bücher.example/"),
    ("例え.example", "https://例え.example/"),
    ("欢迎来到docs.example", "https://docs.example/"),
    ("яндекс.рф", "https://яндекс.рф/"),
    ("", "https://docs.example/"),
    (".", "https://docs.example/"),
    ("…", "https://docs.example/"),
]


@pytest.mark.parametrize(("title", "url", "named"), OTHER)
def test_a_title_that_names_another_site_is_found(title: str, url: str, named: str) -> None:
    host = link_host(url)
    assert host
    assert other_site(title, host) == named


@pytest.mark.parametrize(("title", "url"), NONE)
def test_a_title_that_names_its_own_site_or_none_is_left_alone(title: str, url: str) -> None:
    host = link_host(url)
    assert host
    assert other_site(title, host) == ""


@pytest.mark.parametrize("unit", ["a", "a.", "a-", ".", "a.example ", "例", "例.", "a@", "https://"])
def test_a_title_of_millions_of_characters_is_read_as_its_beginning(unit: str) -> None:
    host = link_host("https://a.example/")
    assert host
    assert other_site(unit * 3_000_000, host) == ""
