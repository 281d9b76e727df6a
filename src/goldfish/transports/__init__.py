"""Bytes to Calls and Replies to bytes. No method name and no feature appears here."""
