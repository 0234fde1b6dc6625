"""Methods: what follows a value and a point, and what it returns."""

from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.types import Type

#: The methods of texts, lists and tables, by the name of the type.
METHODS: dict[str, dict[str, Type]] = {
    "Text": {
        **dict.fromkeys(
            ("lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "replace",
             "join", "format", "removeprefix", "removesuffix"),
            t.TEXT,
        ),
        **dict.fromkeys(
            ("startswith", "endswith", "isdigit", "isalpha", "isalnum", "islower", "isupper",
             "isspace", "istitle"),
            t.FLAG,
        ),
        **dict.fromkeys(("find", "rfind", "index", "rindex", "count"), t.COUNT),
        **dict.fromkeys(
            ("split", "rsplit", "splitlines", "elems", "partition", "rpartition"),
            t.list_of(t.TEXT),
        ),
        "codepoints": t.list_of(t.COUNT),
    },
    "List": {
        **dict.fromkeys(("append", "extend", "insert", "remove", "clear"), t.NOTHING),
        "index": t.COUNT,
        "pop": t.UNKNOWN,
    },
    "Table": {
        **dict.fromkeys(("get", "pop", "popitem", "setdefault"), t.UNKNOWN),
        **dict.fromkeys(("keys", "values", "items"), t.list_of(t.UNKNOWN)),
        **dict.fromkeys(("update", "clear"), t.NOTHING),
    },
}  # fmt: skip
#: What can be read of the result of `would`.
FIELDS = ("refused", "seen", "certain")
