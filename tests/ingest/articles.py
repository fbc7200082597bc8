"""Articles written for these tests, one problem for each name."""

TRACE = """java.lang.IllegalStateException: Could not open ledger {name}
    at com.acme.ledger.{name}.Store.open(Store.java:{line})
    at com.acme.ledger.{name}.Service.start(Service.java:41)
    at java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.io.IOException: No locks available on {name}
    at com.acme.ledger.{name}.LockFile.acquire(LockFile.java:77)
    ... 3 more
"""

ARTICLE = """---
title: The {name} ledger does not open
---
# The {name} ledger does not open

## Symptom

Every morning the {name} service refuses to start, and this is in its log:

```
{trace}```

## Root cause

The share that holds the {name} lock file was mounted without the lock daemon, {detail}.

## Fix

Start the lock daemon before mounting {name}, then start the service again.
"""


def trace(name: str, line: int = 112) -> str:
    """The trace in the article of that name, at any line."""
    return TRACE.format(name=name, line=line)


def article(name: str, detail: str = "so that no lock could ever be granted", line: int = 112) -> str:
    """A whole article about a problem of its own."""
    return ARTICLE.format(name=name, detail=detail, trace=trace(name, line))
