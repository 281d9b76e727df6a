"""The reference server: one module per feature of the protocol.

Knows goldfish's public names alone, as any server written with the library would; nothing here reaches past them.
"""
