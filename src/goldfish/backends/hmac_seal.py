"""A seal by HMAC-SHA256: it signs and does not hide, so whatever travels in it can be read by the client.

Knows keys, a clock and the token's layout: version, expiry, payload, signature, all in unpadded base64url. Keys rotate:
the first seals, all open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
import secrets
import struct
import time
from collections.abc import Sequence
from typing import Final

from goldfish.ports import Clock

_LAYOUT: Final = b"\x01"
_HEAD: Final = struct.Struct(">cQ")  # the layout's version; the expiry in milliseconds since the epoch, 0 for never
_SIGNATURE: Final = hashlib.sha256().digest_size
MIN_KEY: Final = 16


class HmacSeal:
    """`keys` are secrets of at least 16 bytes; without any, a random one is made, which no other process can open."""

    def __init__(self, keys: Sequence[bytes] = (), clock: Clock = time.time) -> None:
        for key in keys:
            if len(key) < MIN_KEY:
                raise ValueError(f"a sealing key must have at least {MIN_KEY} bytes, not {len(key)}")
        self._keys = tuple(keys) or (secrets.token_bytes(32),)
        self._clock = clock

    def seal(self, payload: bytes, bound: bytes, ttl: float | None = None) -> str:
        expiry = 0 if ttl is None else math.ceil((self._clock() + ttl) * 1000)
        text = _HEAD.pack(_LAYOUT, expiry) + payload
        signed = text + _sign(self._keys[0], text, bound)
        return base64.urlsafe_b64encode(signed).rstrip(b"=").decode()

    def open(self, token: str, bound: bytes) -> bytes | None:
        signed = _decode(token)
        if signed is None or len(signed) < _HEAD.size + _SIGNATURE:
            return None
        text, signature = signed[:-_SIGNATURE], signed[-_SIGNATURE:]
        if not any(hmac.compare_digest(_sign(key, text, bound), signature) for key in self._keys):
            return None
        layout, expiry = _HEAD.unpack_from(text)
        if layout != _LAYOUT or (expiry and self._clock() * 1000 >= expiry):
            return None
        return text[_HEAD.size :]


def _sign(key: bytes, text: bytes, bound: bytes) -> bytes:
    # The length keeps the two parts apart: no payload can be read as part of what it is bound to.
    return hmac.digest(key, len(bound).to_bytes(8, "big") + bound + text, "sha256")


def _decode(token: str) -> bytes | None:
    """Exactly what `seal` writes: another spelling of the same bytes is refused as well."""
    try:
        raw = token.encode("ascii")
        signed = base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return None
    return signed if base64.urlsafe_b64encode(signed).rstrip(b"=") == raw else None
