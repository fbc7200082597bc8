"""The JSON doors, one module a noun. Each router is included by `api.app`."""
