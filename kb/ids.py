"""Which ids an incident may have, wherever it comes from: the store refuses others, an ingest gives another name."""

import unicodedata

from kb.record import short_hash, slug

LONGEST = 200
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Categories of signs that nobody sees: controls, marks that turn the direction of writing (U+202E), joiners, halves of signs."""


def lost(incident_id: str) -> str:
    """What keeps an id from being used at all; '' when nothing does."""
    if not incident_id.strip() or len(incident_id) > LONGEST:
        return f"has {len(incident_id)} characters, not 1 to {LONGEST}"
    if not {".", ".."}.isdisjoint(incident_id.split("/")):  # clients take such a segment out of an address
        return "has a part that is `.` or `..`, which addresses lose"
    return ""


def alike(incident_id: str) -> str:
    """What makes an id look like another; '' when nothing does. Stores of older versions may hold such ids."""
    if any(unicodedata.category(sign) in _UNSEEN for sign in incident_id):
        return "has a sign that nobody sees"
    if not unicodedata.is_normalized("NFC", incident_id):
        return "is written in another way than it looks (Unicode NFC)"
    return ""


def usable(incident_id: str) -> str:
    """The id, or where it cannot be used one that is made of it, always the same."""
    if not lost(incident_id) and not alike(incident_id):
        return incident_id
    return f"{slug(unicodedata.normalize('NFC', incident_id))}-{short_hash(incident_id)}"
