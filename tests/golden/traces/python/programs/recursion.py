"""Recursion without end: Python shortens the repeated line itself."""

import sys

sys.setrecursionlimit(60)


def depth(node):
    return 1 + depth(node["child"])


tree = {}
tree["child"] = tree
depth(tree)
