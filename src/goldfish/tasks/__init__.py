"""The tasks extension, io.modelcontextprotocol/tasks. Uses only what any extension may use."""
