"""python tests/repro/pydantic-two.py   (pydantic 2, FastAPI): what version 1 allowed."""

import traceback


def case(code: str) -> None:
    try:
        exec(code, {})
    except (ImportError, RuntimeError, ValueError):
        traceback.print_exc()


case("from pydantic import BaseSettings")
case("import pydantic\nclass A(pydantic.BaseModel):\n    @pydantic.root_validator\n    def x(cls, v): return v")
case("import pydantic\nclass A(pydantic.BaseModel):\n    a: int\nA(a='x')")
case("import pydantic\nclass A(pydantic.BaseModel):\n    a = 1")
case("import pydantic\nclass A(pydantic.BaseModel):\n    a: str = pydantic.Field(regex='x')")
