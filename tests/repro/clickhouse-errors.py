# python tests/repro/clickhouse-errors.py   (chdb 4.4, ClickHouse 26.9 inside the process): memory limit, too many parts of a partition and in total, too many partitions in one INSERT
from chdb import session

clickhouse = session.Session()


def run(*statements: str) -> None:
    """Run statements one after the other and print what the server says to those that fail."""
    for statement in statements:
        try:
            clickhouse.query(statement)
        except Exception as error:  # noqa: BLE001 - whatever it says is what is wanted
            print(str(error).strip(), end="\n\n")


run("SELECT uniqExact(number, toString(number)) FROM numbers(50000000) SETTINGS max_memory_usage = 10000000")
run(
    "CREATE DATABASE shop ENGINE = Atomic",
    "CREATE TABLE shop.orders (k UInt32) ENGINE = MergeTree ORDER BY k SETTINGS parts_to_throw_insert = 3, parts_to_delay_insert = 2",
    "CREATE TABLE shop.events (k UInt32) ENGINE = MergeTree ORDER BY k PARTITION BY k SETTINGS max_parts_in_total = 3",
    "SYSTEM STOP MERGES shop.orders",
)
run(*(f"INSERT INTO shop.orders VALUES ({i})" for i in range(4)))
run(*(f"INSERT INTO shop.events VALUES ({i})" for i in range(4)))
run(
    "CREATE TABLE shop.days (k UInt32) ENGINE = MergeTree ORDER BY k PARTITION BY k",
    "INSERT INTO shop.days SELECT number FROM numbers(500)",
)
