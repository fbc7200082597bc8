"""How build tools, package managers, compilers, version control and shells print an error: one table, made of those beside it.

What a form's message is:

* The tool's own prefix is off: ``npm ERR!``, ``E:``, ``fatal:``, a file's place, ``-> [Help 1]``.
* A Unix tool's name stays (``cp: cannot stat …``): one form reads all of them, and without the name nobody knows who said so.
* Where the line wraps or goes on below, the message is its first line.

Forms are tried in the order of the table. The first that fits a line, and finds its message below where it looks for one, decides what the
line is; so the summaries stand before the forms that would read them as errors. Of several errors in a paste, the first one counts: compilers go
on after an error, and what comes later mostly follows from it.
"""

from kb.trace.messages import compilers, packages, runners, shells
from kb.trace.messages.form import Form

FORMS: tuple[Form, ...] = (*packages.FORMS, *runners.FORMS, *compilers.FORMS, *shells.FORMS, *shells.GENERAL)
"""All forms of this family, in the order in which they are tried."""
