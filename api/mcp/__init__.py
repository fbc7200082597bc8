"""The Model Context Protocol for agents, over HTTP (`/mcp`) and over standard input and output (`kb mcp`)."""
