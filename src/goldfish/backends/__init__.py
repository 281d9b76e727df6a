"""Implementations of the ports. They know the ports and the shapes that they keep."""
