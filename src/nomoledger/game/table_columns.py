"""The columns of a table of facts: which field of a record each column means."""

import re
from collections.abc import Collection, Sequence

import msgspec

from nomoledger.errors import RecordError

#: The fields that a table knows, with the headings that mean them.
_FIELDS = {
    "week": "week day period round update weeks week_no week_number",
    "at": "at at_time time_of_day",
    "kind": "kind type event action fact what what_happened",
    "player": "player who by mover payer from_player paid_by name_of_player player_name",
    "dice": "dice die roll rolls rolled throw thrown dice_rolled dice_roll",
    "square": "square to space landed land lands landed_on lands_on to_square square_number",
    "from_square": "from from_square start_square square_before came_from",
    "amount": "amount price money sum cost paid dollars value rent",
    "payee": "payee paid_to recipient receiver to_player pays_to rent_to",
    "reason": "reason why for paid_for",
    "attribute": "attribute",
    "text": "text note notes comment comments remark",
    "rules": "rules rule_file",
    "basis": "basis",
    "proposal": "proposal proposal_number",
    "verdict": "verdict",
}
#: Headings of a table without a column of kinds: a cell is a fact of the kind.
_KINDS = {
    "roll": _FIELDS["dice"],
    "land": _FIELDS["square"],
    "buy": "buy buys bought purchase purchases purchased bought_for price",
    "rent": "rent rents rent_paid pays_rent",
    "pay": "pay pays paid payment payments",
}
#: How people write the kinds of facts in a column of kinds.
_KIND_WORDS = {
    "roll": "rolls rolled dice throw throws",
    "land": "lands landed landing landings move moves arrives",
    "buy": "buys bought purchase purchases purchased",
    "rent": "rents rent_paid pays_rent",
    "pay": "pays paid payment payments",
}
_DIE = re.compile(r"(?:die|dice|d)_?[1-9]")


class TableColumn(msgspec.Struct, frozen=True):
    """A column of a table.

    Attributes:
        heading: the heading as written.
        field: the field of a fact that the cells state.
        kind: the kind of fact that each cell is, in a table without a column of kinds; else "".
        is_known: whether the heading is one that tables or the rules know.
    """

    heading: str
    field: str
    kind: str = ""
    is_known: bool = True


def normal_word(text: str) -> str:
    """Return *text* as the name of a field: small letters, and one underscore between words.

    >>> normal_word(" Landed  on-Square ")
    'landed_on_square'
    """
    return "_".join(re.findall(r"[^\W_]+", text.casefold()))


def read_columns(
    headings: Sequence[str],
    fields: Collection[str],
    kinds: dict[str, str],
    attributes: Collection[str] = (),
) -> list[TableColumn | None]:
    """Return the column of each heading; None for one without a heading.

    *fields* are those that rules read. *kinds* are the kinds of facts that rules know, each with
    the field that a cell of such a column states. *attributes* are those of players and squares.

    Raises:
        RecordError: no column names the week or the kind, or two columns mean the same.
    """
    words = [normal_word(heading) for heading in headings]
    has_kinds = any(word in _FIELDS["kind"].split() for word in words)
    columns = [
        _column(heading, word, fields, attributes, None if has_kinds else kinds)
        for heading, word in zip(headings, words, strict=True)
    ]
    meant = [column for column in columns if column is not None]
    seen: dict[tuple[str, str], str] = {}
    for column in meant:
        other = seen.setdefault((column.kind, column.field), column.heading)
        if other != column.heading or sum(each == column for each in meant) > 1:
            if column.field == "dice" and _DIE.fullmatch(normal_word(column.heading)):
                continue
            raise RecordError(
                f"columns {other!r} and {column.heading!r} both mean {column.field}: rename one"
            )
    if not any(column.field == "week" for column in meant):
        raise RecordError(
            "no column names the week: the first line names the columns, as in"
            " week,kind,player,dice,square"
        )
    if not (has_kinds or any(column.kind for column in meant)):
        raise RecordError("no column says what happened: add a column kind, or one for each kind")
    return columns


def _column(
    heading: str,
    word: str,
    fields: Collection[str],
    attributes: Collection[str],
    kinds: dict[str, str] | None,
) -> TableColumn | None:
    """Return what the column with this *heading* means, written *word* in small letters.

    *kinds* is None in a table with a column of kinds.
    """
    if not word and heading.strip() not in ("$", "€", "£"):
        return None
    is_die = _DIE.fullmatch(word) is not None
    if kinds is not None:
        for kind, names in _KINDS.items():
            if word in names.split() or (is_die and kind == "roll"):
                default = {"roll": "dice", "land": "square"}.get(kind, "amount")
                return TableColumn(heading, kinds.get(kind, default), kind)
        for kind, field in kinds.items():
            if normal_word(kind) == word:
                return TableColumn(heading, field, kind)
    if word in fields and word not in _FIELDS:
        return TableColumn(heading, word)
    for field, names in _FIELDS.items():
        if word == field or word in names.split() or (is_die and field == "dice"):
            return TableColumn(heading, field)
    return TableColumn(heading, word or "amount", is_known=not word or word in attributes)


def kind_called(written: str, kinds: Collection[str]) -> str:
    """Return the kind of fact that a cell calls *written*; *kinds* are those that rules know.

    >>> kind_called("Landed", {"roll", "land"}), kind_called("Board growth", {"board-growth"})
    ('land', 'board-growth')
    """
    word = normal_word(written)
    for kind in kinds:
        if normal_word(kind) == word:
            return kind
    for kind, words in _KIND_WORDS.items():
        if word in words.split():
            return kind
    return word.replace("_", "-")
