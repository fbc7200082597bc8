"""Python tracebacks of which the top is cut off, and which stand further right than what follows them. The rows were written before the rule."""

import pytest

from tests.kb.trace.reading import only

FRAME = 'File "/srv/till/__main__.py", line 3, in <module>'
ENDED = ("ModuleNotFoundError", "No module named 'till_sdk'")
PULUMI = "Resources:\n    + 1 to create\n    1 errored\n"
PIP = "\nnote: This error originates from a subprocess, and is likely not a problem with pip.\nERROR: Failed to build 'till' when getting requirements to build wheel\n"

ROWS = {
    "frame": f"      {FRAME}\n        import till_sdk as till\n    ModuleNotFoundError: No module named 'till_sdk'\n\n{PULUMI}",
    "no-blank-line": f"      {FRAME}\n        import till_sdk as till\n    ModuleNotFoundError: No module named 'till_sdk'\n{PULUMI}",
    "source": f"        exec(code, run_globals)\n      {FRAME}\n        import till_sdk as till\n    ModuleNotFoundError: No module named 'till_sdk'\n\n{PULUMI}",
    "source-alone": f"        import till_sdk as till\n    ModuleNotFoundError: No module named 'till_sdk'\n\n{PULUMI}",
    "margin": f"  {FRAME}\n    import till_sdk as till\nModuleNotFoundError: No module named 'till_sdk'\n{PULUMI}",
    "tabs": f"\t\t{FRAME}\n\t\t\timport till_sdk as till\n\tModuleNotFoundError: No module named 'till_sdk'\n\n{PULUMI}",
    "all-equal": f"   {FRAME}\n   import till_sdk as till\n   ModuleNotFoundError: No module named 'till_sdk'\n\n{PULUMI}",
    "pip": f"      {FRAME}\n    ModuleNotFoundError: No module named 'till_sdk'\n    [end of output]\n{PIP}",
    "pip-whole": f"  ╰─> [4 lines of output]\n      Traceback (most recent call last):\n        {FRAME}\n          import till_sdk as till\n      ModuleNotFoundError: No module named 'till_sdk'\n      [end of output]\n  {PIP}",
    "other-words": f"      {FRAME}\n        import till_sdk as till\n    ModuleNotFoundError: No module named 'till_sdk'\nShutting down: 3 tills are open\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ROWS.values(), ids=list(ROWS))
def test_what_stands_further_left_is_no_part_of_a_traceback(text: str) -> None:
    chain = only(text, "python")
    assert [(raised.type, raised.message) for raised in chain.exceptions] == [ENDED]


def test_the_lines_of_a_message_stand_as_far_right_as_its_first() -> None:
    text = (
        f"      {FRAME}\n        open_till()\n    till.TillError: no drawer\n      and no key\n    all of it\nDone: 1\n"
    )
    chain = only(text, "python")
    assert (chain.root.message, chain.notes) == ("no drawer\n  and no key", ("till.TillError is noted: all of it",))
