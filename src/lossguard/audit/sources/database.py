"""A table of a database, by ADBC: read-only, as a stream of Arrow batches."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from lossguard.audit.sources.part import Source
from lossguard.audit.sources.places import check_there
from lossguard.audit.trouble import CannotAudit, nearest, needs
from lossguard.records import dataclass

#: The driver of each scheme, the statement that makes reading all that is allowed, and the mark that quotes a name.
#: SQLite takes an unknown name in double quotes for a text.
_DRIVERS: Final = {
    "postgresql": ("adbc_driver_postgresql", "SET TRANSACTION READ ONLY", '"'),
    "postgres": ("adbc_driver_postgresql", "SET TRANSACTION READ ONLY", '"'),
    "sqlite": ("adbc_driver_sqlite", "PRAGMA query_only = ON", "`"),
}


@dataclass(frozen=True, slots=True)
class TablePart:
    """One column of one table."""

    name: str
    address: str
    table: str
    column: str

    def batches(self) -> Iterator[Any]:
        """The column, batch by batch, in the order in which the database gives it."""
        driver, read_only, mark = _driver(self.address)
        table = ".".join(_quoted(name, mark) for name in self.table.split("."))
        query = f"SELECT {_quoted(self.column, mark)} FROM {table}"  # noqa: S608 - the names are quoted
        try:
            with driver.connect(_uri(self.address)) as connection:
                self._check_names(connection, driver)
                with connection.cursor() as cursor:
                    cursor.execute(read_only)
                    cursor.execute(query)
                    for batch in cursor.fetch_record_batch():
                        yield batch.column(0)
        except driver.Error as error:
            raise CannotAudit(f"{self.name} cannot be read: {str(error).partition(chr(10))[0]}") from None

    def _check_names(self, connection: Any, driver: Any) -> None:
        """Say what is nearest to a name of a table or a column that is not there."""
        schema, _, table = self.table.rpartition(".")
        try:
            known = connection.adbc_get_table_schema(table, db_schema_filter=schema or None).names
        except driver.Error:
            connection.rollback()
            tables = _tables(connection, schema or None)
            if tables and table not in tables:
                raise CannotAudit(f"{self.name}: there is no such table{nearest(table, tables)}") from None
            return  # the query itself may know better
        if self.column not in known:
            raise CannotAudit(f"{self.name} has no column {self.column!r}{nearest(self.column, known)}")


def _tables(connection: Any, schema: str | None) -> list[str]:
    """The names of all tables that are not the database's own."""
    found = connection.adbc_get_objects(depth="tables", db_schema_filter=schema).read_all().to_pylist()
    schemas = [each for catalog in found for each in catalog["catalog_db_schemas"] or ()]
    return [
        table["table_name"]
        for each in schemas
        if each["db_schema_name"] not in {"pg_catalog", "information_schema"}
        for table in each["db_schema_tables"] or ()
    ]


def _driver(address: str) -> tuple[Any, str, str]:
    scheme = address.partition("://")[0]
    if scheme not in _DRIVERS:
        raise CannotAudit(f"there is no driver for {scheme}://; there are {', '.join(sorted(_DRIVERS))}")
    package, read_only, mark = _DRIVERS[scheme]
    try:
        return importlib.import_module(f"{package}.dbapi"), read_only, mark
    except ModuleNotFoundError:
        raise needs(package.replace("_", "-"), "database", f"{scheme}://") from None


def _uri(address: str) -> str:
    """What the driver takes. A file of SQLite is opened for reading only: opened otherwise, it would be made."""
    if not address.startswith("sqlite://"):
        return address
    path = address.removeprefix("sqlite://")
    check_there(path)
    return f"file:{quote(path)}?mode=ro"


def _quoted(name: str, mark: str) -> str:
    return mark + name.replace(mark, 2 * mark) + mark


def database_source(address: str, target: str | None) -> Source:
    """The column that `--target TABLE.COLUMN` names; the address is shown without its password."""
    _driver(address)
    _uri(address)
    table, dot, column = (target or "").rpartition(".")
    if not dot:
        raise CannotAudit("a database needs --target TABLE.COLUMN, or SCHEMA.TABLE.COLUMN")
    shown = _without_password(address)
    return Source(shown, (TablePart(f"{table} of {shown}", address, table, column),))


def _without_password(address: str) -> str:
    scheme, _, rest = address.partition("://")
    user, at, host = rest.rpartition("@")
    host = host.partition("?")[0]
    return f"{scheme}://{user.partition(':')[0]}@{host}" if at else f"{scheme}://{host}"
