"""The HTTP contract: shapes of requests and responses, problem documents, bodies, addresses of incidents."""
