"""URI templates of RFC 6570, level 1: what they match, what they expand to, what is no template."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldfish.features.uri_template import Template


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("demo://files/{name}", "demo://files/readme.md", {"name": "readme.md"}),
        ("test://template/{id}/data", "test://template/7/data", {"id": "7"}),
        ("x://{a}/{b}", "x://1/2", {"a": "1", "b": "2"}),
        ("x://{a}?q={q}#{f}", "x://p?q=1&r=2#top", {"a": "p", "q": "1&r=2", "f": "top"}),
        ("{a}", "x:y", {"a": "x:y"}),
        ("x://{a.b}_{c_1}", "x://1_2", {"a.b": "1", "c_1": "2"}),
        ("x://%41/{a}", "x://%41/b", {"a": "b"}),
        ("x://plain", "x://plain", {}),
    ],
)
def test_a_uri_of_the_template_gives_its_values(template: str, uri: str, values: dict[str, str]) -> None:
    """RES-10."""
    assert values == Template(template).match(uri)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a%20b", "a b"),
        ("%67r%C3%B6%c3%9fe", "größe"),
        ("a%2Fb", "a/b"),
        ("a%3Fb%23c", "a?b#c"),
        ("%252e%252e", "%2e%2e"),
        ("...", "..."),
        ("a..b", "a..b"),
        (".hidden", ".hidden"),
        ("größe", "größe"),
        ("a%2F%2Fb", "a//b"),
        ("%0A", "\n"),
    ],
)
def test_a_value_is_percent_decoded_once(raw: str, value: str) -> None:
    """RES-10: it may have several segments when they come encoded."""
    assert {"v": value} == Template("x://{v}/end").match(f"x://{raw}/end")


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "a/b",
        "a?b",
        "a#b",
        "/",
        "%",
        "%4",
        "%4g",
        "%zz",
        "a%",
        "%%41",
        "%ff",
        "%C3",
        "%ED%A0%80",
        "\ud800",
        "%C0%AF",
    ],
)
def test_a_value_that_is_empty_or_split_or_badly_encoded_is_no_value(raw: str) -> None:
    """RES-10, RES-11."""
    for template in ("x://{v}/end", "x://{v}/end/{w}", "x://{w}/end/{v}"):
        uri = template.replace("{v}", raw).replace("{w}", "w")
        assert Template(template).match(uri) is None


@pytest.mark.parametrize(
    "raw",
    [
        ".",
        "..",
        "%2e",
        "%2E%2e",
        ".%2e",
        "..%2Fsecret",
        "a%2F..%2Fb",
        "a%2F..",
        "a%2F.",
        "..%5Csecret",
        "..\\secret",
        "a\\..",
        "a%5C.",
        "%2F..",
        "..%2F",
        "a%00b",
        "%00",
    ],
)
def test_a_value_never_climbs(raw: str) -> None:
    """RES-11: by dots between slashes or backslashes, encoded or not; and NUL, which ends a path for some."""
    assert Template("file:///base/{path}").match(f"file:///base/{raw}") is None
    assert Template("file:///{first}/{path}").match(f"file:///{raw}/x") is None


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("demo://files/{name}", "demo://files/"),
        ("demo://files/{name}", "demo://files"),
        ("demo://files/{name}", "Demo://files/a"),
        ("demo://files/{name}", "xdemo://files/a"),
        ("demo://files/{name}", "demo://files/a/b"),
        ("demo://files/{name}", "demo://files/a/"),
        ("demo://files/{name}", "demo://files/a\n/"),
        ("x://{a}/data", "x://7/data/"),
        ("x://{a}/data", "x://data"),
        ("x://{a}/data", "x:///data"),
        ("x://ab{v}ba", "x://aba"),
        ("x://{a}-{b}-{c}", "x://1-2"),
        ("x://{a}-{b}", "x://1-"),
        ("x://{a}-{b}", "x://-1"),
        ("x://{a}/x/{b}", "x://1/x/"),
        ("x://plain", "x://plain/"),
        ("x://plain", "x://Plain"),
    ],
)
def test_another_uri_is_no_match(template: str, uri: str) -> None:
    """RES-10, RES-17: a URI is compared as the text it is."""
    assert Template(template).match(uri) is None


def test_earlier_values_are_the_shorter_ones() -> None:
    """RES-10: where a URI can be read in several ways."""
    assert {"a": "1", "b": "2-3"} == Template("x://{a}-{b}").match("x://1-2-3")
    assert {"a": "-", "b": "1"} == Template("x://{a}-{b}").match("x://--1")
    assert {"a": "1", "b": "x2", "c": "3"} == Template("x://{a}-{b}-{c}").match("x://1-x2-3")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("x://{+a}", "not a plain variable"),
        ("x://{#a}", "not a plain variable"),
        ("x://{/a}", "not a plain variable"),
        ("x://a{.b}", "not a plain variable"),
        ("x://a{?q}", "not a plain variable"),
        ("x://{a,b}", "not a plain variable"),
        ("x://{a*}", "not a plain variable"),
        ("x://{a:3}", "not a plain variable"),
        ("x://{}", "not a plain variable"),
        ("x://{ a }", "not a plain variable"),
        ("x://{größe}", "not a plain variable"),
        ("x://{a\n}", "not a plain variable"),
        ("x://{a.}", "not a plain variable"),
        ("x://{a", "the braces do not match"),
        ("x://a}", "the braces do not match"),
        ("x://{{a}}", "the braces do not match"),
        ("x://}a{", "the braces do not match"),
        ("x://{a}/{a}", "a variable stands twice"),
        ("x://{a}{b}", "two variables touch"),
        ("x://a b/{c}", "characters that no URI has"),
        ("x://größe/{c}", "characters that no URI has"),
        ("x://a%2/{c}", "characters that no URI has"),
        ("x://{c}/a\n", "characters that no URI has"),
        ('x://"{c}"', "characters that no URI has"),
    ],
)
def test_what_is_not_of_level_1_is_refused(template: str, reason: str) -> None:
    """RES-10, RES-13: with the template and the reason."""
    with pytest.raises(ValueError, match=reason) as refused:
        Template(template)
    assert str(refused.value).startswith(f"template {template!r}: ")


def test_a_template_names_its_variables_in_order() -> None:
    """RES-10."""
    template = Template("x://{b}/{a}/end")
    assert ("x://{b}/{a}/end", ("b", "a")) == (template.template, template.variables)
    assert () == Template("x://none").variables


def test_values_are_encoded_when_a_uri_is_made() -> None:
    """RES-10: all but the unreserved characters of RFC 3986 (RFC 6570, 3.2.2)."""
    template = Template("x://{a}/{b}?q={c}")
    assert "x://AZaz09-._~/a%20b%2Fc?q=gr%C3%B6%C3%9Fe%25" == template.expand(a="AZaz09-._~", b="a b/c", c="größe%")


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("x://{a}", {}),
        ("x://{a}", {"a": ""}),
        ("x://{a}", {"a": "1", "b": "2"}),
        ("x://{a}", {"a": ".."}),
        ("x://{a}", {"a": "b/../c"}),
        ("x://{a}", {"a": "\0"}),
        ("x://{a}", {"a": "\ud800"}),
        ("x://{a}-{b}", {"a": "1-2", "b": "3"}),
    ],
)
def test_values_that_could_not_be_read_back_make_no_uri(template: str, values: dict[str, str]) -> None:
    """RES-11: a URI that is handed out can be read."""
    with pytest.raises(ValueError, match="cannot be read back"):
        Template(template).expand(**values)


VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
    lambda text: not {".", ".."} & set(text.replace("\\", "/").split("/"))
)


@given(VALUES, VALUES, VALUES)
def test_expanding_and_matching_undo_each_other(a: str, b: str, c: str) -> None:
    """RES-10: for all values, where what stands between them is never part of an encoded one."""
    template = Template("x://{a}/{b}?c={c}")
    values = {"a": a, "b": b, "c": c}
    assert values == template.match(template.expand(**values))


@given(st.text(st.sampled_from("ab-/%2e.\\")))
def test_what_is_matched_keeps_every_rule(rest: str) -> None:
    """RES-10, RES-11."""
    values = Template("x://{a}-{b}/b{c}").match("x://" + rest)
    for value in (values or {}).values():
        assert value
        assert not {".", ".."} & set(value.replace("\\", "/").split("/"))


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("x://{a}-{b}-{c}-{d}-{e}-{f}!", "x://" + "-" * 200_000),
        ("x://{a}aa{b}aa{c}aa{d}aa{e}!", "x://" + "a" * 200_000),
        ("x://{a}!", "x://" + "%61" * 200_000),
        ("x://{a}/{b}", "x://" + "%" * 200_000 + "/"),
        ("x://{a}/{b}", "x://" + "..%2f" * 100_000),
    ],
    ids=["runs", "overlapping runs", "escapes", "bad escapes", "dots"],
)
def test_a_long_uri_takes_time_in_proportion(template: str, uri: str) -> None:
    """RES-11: no choice is taken back, so that no URI can keep a server busy."""
    started = time.perf_counter()
    assert Template(template).match(uri) is None
    assert time.perf_counter() - started < 0.5
