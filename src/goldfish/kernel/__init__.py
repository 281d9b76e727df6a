"""The life of one request. Knows wire; knows no HTTP, no stdio, no tool and no store."""
