"""Compiles a text that is no Python."""

source = "def f(:\n    return 1\n"
exec(compile(source, "/srv/shop/plugins/rules.py", "exec"))
