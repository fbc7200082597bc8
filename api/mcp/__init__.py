"""The door for agents: the Model Context Protocol over HTTP (`/mcp`) and over standard input and output (`kb mcp`)."""
