"""Run: python sqlalchemy-detached-instance.py (Python 3.11, SQLAlchemy 2.0)."""

import traceback

from sqlalchemy import ForeignKey, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from sqlalchemy.orm.exc import DetachedInstanceError


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    orders: Mapped[list["Order"]] = relationship()


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"))


engine = create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add(Customer(id=1, name="a"))
    session.commit()
with Session(engine) as session:
    customer = session.get(Customer, 1)
try:
    print(customer.orders)
except DetachedInstanceError:
    traceback.print_exc()
with Session(engine) as session:
    customer = session.get(Customer, 1)
    session.commit()
print(customer.name)
