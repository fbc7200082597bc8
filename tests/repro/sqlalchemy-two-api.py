"""python tests/repro/sqlalchemy-two-api.py   (SQLAlchemy 2.0 and 2.1): plain strings, engine.execute and a missing driver."""

import traceback

import sqlalchemy as sa

engine = sa.create_engine("sqlite://")
for call in (
    lambda: engine.connect().execute("select 1"),
    lambda: engine.execute("select 1"),
    lambda: sa.select([sa.literal(1)]),
    lambda: sa.create_engine("postgres://a@b/c"),
):
    try:
        call()
    except (AttributeError, sa.exc.SQLAlchemyError):
        traceback.print_exc()
