"""Shapes and bytes, as the specification defines them. No asyncio, clock, state or I/O."""
