"""The seal: what it opens again, and all that it does not (patterns/mrtr "Security")."""

import base64
import itertools
import string
from collections.abc import Sequence

import pytest

from goldfish.backends.hmac_seal import HmacSeal, _sign

KEY = b"k" * 16
OTHER = b"o" * 32
BOUND = b"tools/call echo"


class Clock:
    """A clock that stands until it is set. Seconds."""

    def __init__(self, now: float = 1_785_196_800.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def seal(*keys: bytes, clock: Clock | None = None) -> HmacSeal:
    return HmacSeal(keys or (KEY,), clock or Clock())


@pytest.mark.parametrize("payload", [b"", b"a", b"\x00" * 100, bytes(range(256)), b'{"a":"\xc3\xb6"}', b"x" * 100_000])
@pytest.mark.parametrize("bound", [b"", b"b", BOUND, b"\x00" * 1000])
def test_what_was_sealed_opens_to_the_same_bytes(payload: bytes, bound: bytes) -> None:
    """MRTR-09: whatever the bytes."""
    assert payload == seal().open(seal().seal(payload, bound), bound)


def test_the_text_is_url_safe_ascii_without_padding() -> None:
    """PAG-05, MRTR-07: it travels in JSON, in URLs and in headers unchanged."""
    alphabet = set(string.ascii_letters + string.digits + "-_")
    for length in range(50):
        assert set(seal().seal(b"\xff" * length, BOUND)) <= alphabet


def test_another_process_with_the_same_key_opens_it() -> None:
    """ENV-07, MRTR-07: nothing is remembered but the key."""
    assert b"p" == HmacSeal([KEY]).open(HmacSeal([KEY]).seal(b"p", BOUND), BOUND)


def test_without_keys_only_this_seal_opens_its_own() -> None:
    """MRTR-09: a random key, which nobody else has."""
    mine, yours = HmacSeal(), HmacSeal()
    token = mine.seal(b"p", BOUND)
    assert b"p" == mine.open(token, BOUND)
    assert yours.open(token, BOUND) is None


# ---------------------------------------------------------------- tampering


def test_no_byte_may_change() -> None:
    """MRTR-09: version, expiry, payload and signature alike, every bit of them."""
    signed = base64.urlsafe_b64decode(_padded(seal().seal(b"payload", BOUND, 600)))
    for place, bit in itertools.product(range(len(signed)), range(8)):
        forged = bytearray(signed)
        forged[place] ^= 1 << bit
        assert seal().open(_text(bytes(forged)), BOUND) is None


def test_no_character_may_change() -> None:
    """MRTR-09: the suite's own way of tampering."""
    token = seal().seal(b"payload", BOUND, 600)
    for place in range(len(token)):
        for sign in "A_~=\n ":
            forged = token[:place] + sign + token[place + 1 :]
            if forged != token:
                assert seal().open(forged, BOUND) is None


def test_nothing_may_be_cut_off_or_added() -> None:
    """MRTR-09: at either end."""
    token = seal().seal(b"payload", BOUND)
    for length in range(len(token)):
        assert seal().open(token[:length], BOUND) is None
        assert seal().open(token[length + 1 :], BOUND) is None
    for more in ("A", "AA", "AAAA", "=", "==", "\n", " ", "\x00"):
        assert seal().open(token + more, BOUND) is None
        assert seal().open(more + token, BOUND) is None


def test_another_spelling_of_the_same_bytes_is_refused() -> None:
    """MRTR-09: one state, one text, so that nobody counts it twice."""
    for length in range(3):
        token = seal().seal(b"\xfb\xff" * 6 + b"x" * length, BOUND)
        signed = base64.urlsafe_b64decode(_padded(token))
        spellings = {
            _padded(token),
            base64.b64encode(signed).decode(),
            base64.b64encode(signed).decode().rstrip("="),
            token + "=",
            token[:4] + "\n" + token[4:],
            token[:4] + "=" + token[4:],
            *(token[:-1] + sign for sign in string.ascii_letters + string.digits + "-_"),
        }
        for spelling in spellings - {token}:
            assert seal().open(spelling, BOUND) is None
        assert seal().open(token, BOUND) is not None


@pytest.mark.parametrize(
    "token", ["", " ", "A", "====", "größe", "\ud800", "\x00", "A" * 54, "A" * 100_000, "null", "{}", "\u2028"]
)
def test_text_that_was_never_sealed_is_refused(token: str) -> None:
    """MRTR-09, MRTR-18, PAG-03: non-ASCII, half a surrogate pair, too short, too long."""
    assert seal().open(token, BOUND) is None


# ---------------------------------------------------------------- binding


@pytest.mark.parametrize("bound", [b"", b"tools/call ech", b"tools/call echo ", b"tools/call Echo", BOUND[::-1]])
def test_what_is_bound_to_one_thing_does_not_open_for_another(bound: bytes) -> None:
    """MRTR-10, PAG-03: method, target, arguments, caller."""
    assert seal().open(seal().seal(b"p", BOUND), bound) is None


def test_the_line_between_binding_and_payload_cannot_be_moved() -> None:
    """MRTR-10: no byte of one is read as part of the other."""
    token = seal().seal(b"bc", b"a")
    head = base64.urlsafe_b64decode(_padded(token))[:9]
    for bound in (b"", b"ab", b"abc", b"a" + head, head):
        assert seal().open(token, bound) is None


# ---------------------------------------------------------------- expiry


def test_a_seal_expires_with_its_time_to_live() -> None:
    """MRTR-10: at the very moment, not after it."""
    clock = Clock()
    token = seal(clock=clock).seal(b"p", BOUND, 600)
    for later, opened in ((0, b"p"), (599.99, b"p"), (600, None), (10**9, None)):
        assert opened == seal(clock=Clock(clock.now + later)).open(token, BOUND)


@pytest.mark.parametrize("ttl", [0, -1, -(10**6)])
def test_no_time_to_live_is_over_at_once(ttl: float) -> None:
    """MRTR-10: zero is no exception."""
    assert seal().open(seal().seal(b"p", BOUND, ttl), BOUND) is None


def test_fractions_of_a_second_count() -> None:
    """MRTR-10: the expiry is kept in milliseconds."""
    clock = Clock(1_785_196_800.0)
    token = seal(clock=clock).seal(b"p", BOUND, 0.25)
    clock.now += 0.125
    assert b"p" == seal(clock=clock).open(token, BOUND)
    clock.now += 0.125
    assert seal(clock=clock).open(token, BOUND) is None


def test_without_a_time_to_live_it_never_expires() -> None:
    """PAG-05: as cursors."""
    token = seal().seal(b"p", BOUND)
    assert b"p" == seal(clock=Clock(10.0**11)).open(token, BOUND)


def test_a_clock_that_goes_back_does_not_revive_another_binding() -> None:
    """MRTR-10: the expiry is signed too."""
    token = seal(clock=Clock(10.0**9)).seal(b"p", BOUND, 1)
    assert seal(clock=Clock(10.0**9 + 2)).open(token, BOUND) is None
    assert b"p" == seal(clock=Clock(0.0)).open(token, BOUND)
    assert seal(clock=Clock(0.0)).open(token, b"other") is None


# ---------------------------------------------------------------- keys


def opens(keys: Sequence[bytes], token: str) -> bool:
    return HmacSeal(keys, Clock()).open(token, BOUND) == b"p"


def test_keys_rotate_without_losing_what_is_under_way() -> None:
    """MRTR-07: the first seals, all open, and what is gone opens nothing."""
    old, new = HmacSeal([KEY]).seal(b"p", BOUND), HmacSeal([OTHER, KEY]).seal(b"p", BOUND)
    assert [True, True, False] == [opens(keys, old) for keys in ([KEY], [OTHER, KEY], [OTHER])]
    assert [False, True, True] == [opens(keys, new) for keys in ([KEY], [OTHER, KEY], [OTHER])]


@pytest.mark.parametrize("key", [b"", b"k" * 15])
def test_a_short_key_is_refused(key: bytes) -> None:
    """MRTR-09: also behind a good one."""
    for keys in ([key], [KEY, key]):
        with pytest.raises(ValueError, match=f"a sealing key must have at least 16 bytes, not {len(key)}"):
            HmacSeal(keys)


def test_a_seal_of_another_layout_is_refused() -> None:
    """MRTR-09: signed with our key by a version of this code that wrote it differently."""
    clock = Clock()
    sealed = seal(clock=clock)
    token = base64.urlsafe_b64decode(_padded(sealed.seal(b"p", BOUND)))
    forged = b"\x02" + token[1:-32]
    assert sealed.open(_text(forged + _sign(KEY, forged, BOUND)), BOUND) is None
    assert b"p" == sealed.open(_text(token), BOUND)


def _padded(token: str) -> str:
    return token + "=" * (-len(token) % 4)


def _text(signed: bytes) -> str:
    return base64.urlsafe_b64encode(signed).rstrip(b"=").decode()
