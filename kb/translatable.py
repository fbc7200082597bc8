"""A sentence for users that can be said in other languages, too: a form and the values in it, as a message of gettext."""

from typing import Self


class Translatable(str):
    """A sentence in English that keeps its ``form`` and ``values``. A door looks the form up in the reader's language.

    It is a `str`, so that whatever stores, compares or sends it needs to know nothing of this. A value may be one itself.
    """

    __slots__ = ("form", "values")

    form: str
    values: tuple[object, ...]

    def __new__(cls, form: str, *values: object) -> Self:
        made = super().__new__(cls, form.format(*values))
        made.form, made.values = form, values
        return made

    def __getnewargs__(self) -> tuple[object, ...]:  # type: ignore[override]  # a copy is made of the form, too
        return (self.form, *self.values)
