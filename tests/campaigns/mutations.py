"""Mutations of files: of their bytes, of their lines, and of the values in them."""

import copy
import io
import json
import random
import re
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import EVENTS, decode_json, encode, tag_of
from nomoledger.ledger.chain import hash_records, origin
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: Values that a hostile file may hold in any place.
POOL: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10**9, 2**63 - 1, 2**63, -(2**63), 2**64, 10**40, 10**400,
    0.5, 1e308, -0.0, "", " ", "x", "Ann", "admin", "engine", "bank", "$", "game", "square:1", "@",
    "1", "-1", "0", "None", "a|b", "a>b", "#1", "ruling:1", "@close", "@settle", "x" * 5000,
    "\x00", "\x1b[31m", "\u202e", "\u0085", "=1+1", "\ud7ff", "e\u0301", "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z",
    [], {}, [None], [1, 2], ["a", "b"], {"a": 1}, {"": {}}, [[[[[[[[[[[[]]]]]]]]]]]], {"1": [2]},
)  # fmt: skip
DEEP = (b"[" * 3000 + b"]" * 3000, b'{"a":' * 3000 + b"1" + b"}" * 3000, b"[" * 200 + b"]" * 200)
LITERALS = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1E400", b"00", b"'x'", b"\\u0000")
IN_TEXT = re.compile(rb"[A-Za-z_]{2,}|-?\d+|[\[\]{}:,#&*|>-]")


class Mutator:
    """Mutates files by *chance*; parts of other *files* may come into them."""

    def __init__(self, chance: random.Random, files: dict[str, list[bytes]]) -> None:
        self._chance = chance
        self._files = files

    def mutated(self, kind: str, data: bytes) -> bytes:
        """Return *data*, a file of *kind*, after one mutation or a few."""
        values = {"cases", "changes", "key", "rulebook", "database"}
        ways = [self._bytes, self._words] if kind in values else [self._values] * 4
        ways += [self._lines, self._bytes]
        for _ in range(self._chance.choice((1, 1, 1, 2, 3))):
            data = self._chance.choice(ways)(data)
        return data

    # --- bytes

    def _bytes(self, data: bytes) -> bytes:
        chance, size = self._chance, len(data)
        if not size:
            return b"x"
        at = chance.randrange(size)
        end = min(size, at + chance.choice((1, 2, 10, 100, 1000)))
        ways = (
            lambda: data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :],
            lambda: data[:at] + chance.randbytes(chance.choice((1, 1, 4, 30))) + data[at:],
            lambda: data[:at] + chance.randbytes(end - at) + data[end:],
            lambda: data[:at] + data[end:],
            lambda: data[:at] + data[at:end] * chance.choice((2, 3, 100)) + data[end:],
            lambda: data[:at],
            lambda: data[:at] + self._piece() + data[at:],
        )
        return chance.choice(ways)()

    def _piece(self) -> bytes:
        """Return a piece of any file."""
        other = self._chance.choice([file for files in self._files.values() for file in files])
        at = self._chance.randrange(len(other))
        return other[at : at + self._chance.choice((5, 50, 500))]

    def _words(self, data: bytes) -> bytes:
        """Change a word, a number or a sign."""
        found = list(IN_TEXT.finditer(data))
        if not found:
            return data
        place, other = self._chance.choice(found), self._chance.choice(found)
        new = self._chance.choice(
            (other[0], self._literal(), b"", place[0] * 2, b" ", b"\t", b"\n")
        )
        return data[: place.start()] + new + data[place.end() :]

    def _literal(self) -> bytes:
        value = self._chance.choice((*POOL, *DEEP, *LITERALS))
        return value if isinstance(value, bytes) else json.dumps(value).encode()

    # --- lines

    def _lines(self, data: bytes) -> bytes:
        chance, lines = self._chance, data.splitlines(keepends=True)
        if len(lines) < 2:
            return data[: chance.randrange(len(data) + 1)]
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        way = chance.randrange(6)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(other, lines[at])
        elif way == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif way == 3:
            part = lines[at : at + 20]
            chance.shuffle(part)
            lines[at : at + 20] = part
        elif way == 4:
            del lines[at:]
        else:
            lines.insert(at, self._piece().replace(b"\n", b" ") + b"\n")
        return b"".join(lines)

    # --- values of JSON

    def _values(self, data: bytes) -> bytes:
        """Change a value in one line of JSON, or in the only document."""
        chance = self._chance
        lines = [data] if data.startswith(b"{\n") else data.splitlines()
        at = chance.randrange(len(lines)) if lines else 0
        try:
            document = json.loads(lines[at])
        except (ValueError, RecursionError, IndexError):
            return self._bytes(data)
        places = list(_places(document))
        if not places:
            return self._bytes(data)
        table, key = chance.choice(places)
        try:
            marked = self._change(document, places, table, key)
        except RecursionError:  # the document is too deep to be copied
            return self._bytes(data)
        line = json.dumps(document, separators=(",", ":"), ensure_ascii=chance.random() < 0.5)
        encoded = line.encode("utf-8", "surrogatepass")
        lines[at] = encoded.replace(b'"\\u0001mark"', marked).replace(b'"\x01mark"', marked)
        return b"\n".join(lines) + b"\n"

    def _change(self, document: Any, places: list[Any], table: Any, key: Any) -> bytes:
        """Change the value at *key* of *table*; return what stands for a mark, if one is set."""
        chance = self._chance
        way = chance.randrange(9)
        value = table[key]
        if way == 0 and isinstance(value, int):
            table[key] = value + chance.choice((-1, 1, 1000, -1000, 2**62))
        elif way == 1 and isinstance(value, str):
            at = chance.randrange(len(value) + 1)
            table[key] = value[:at] + chance.choice(("x", "0", " ", "\x1b", "é", "@")) + value[at:]
        elif way == 2:
            del table[key]
        elif way == 3 and isinstance(table, dict):
            table[str(chance.choice(POOL))[:20]] = table.pop(key)
        elif way == 4:
            other, name = chance.choice(places)
            table[key] = copy.deepcopy(other[name])
        elif way == 5 and key == "event":
            table[key] = chance.choice(list(EVENTS))
        elif way == 6:
            table[key] = [value] if chance.random() < 0.5 else {"a": value}
        elif way == 7:
            table[key] = "\x01mark"
            return chance.choice((*DEEP, *LITERALS))
        else:
            table[key] = chance.choice(POOL)
        return b""


def _places(value: Any) -> Any:
    """Yield every table or list within *value* with each of its keys."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict | list):
            for key in item if isinstance(item, dict) else range(len(item)):
                yield item, key
                waiting.append(item[key])


# --- a skilled forger ---------------------------------------------------------------------------


def rewrite(data: bytes, chance: random.Random) -> bytes:
    """Return an export of one game with numbers, digests and the head made to fit its events.

    Where the events cannot be read, *data* is returned as it is.
    """
    try:
        header, *lines = data.splitlines()
        head = json.loads(header)
        bodies = [decode_json(json.dumps(json.loads(line)["body"]).encode()) for line in lines]
        if chance.random() < 0.8:
            bodies = _with_digests(bodies)
        records = [(n, tag_of(body), encode(body)) for n, body in enumerate(bodies)]
        secret, file = bytes.fromhex(head["secret"]), io.BytesIO()
        _, hashes = hash_records(secret, origin(head["game"]), records)
        head |= {"records": len(records), "head": f"{len(records) - 1}:{hashes[-1].hex()}"}
        file.write(json.dumps(head, separators=(",", ":")).encode() + b"\n")
        for number, body in enumerate(bodies):
            line = {"number": number, "body": msgspec.Raw(msgspec.json.encode(body))}
            file.write(msgspec.json.encode(line) + b"\n")
        return file.getvalue()
    except Exception:  # the file is beyond forging
        return data


def _with_digests(bodies: list[e.Event]) -> list[e.Event]:
    """Return *bodies* with the digest of the state at each close, as far as they can be folded."""
    world, fitted = World(), list(bodies)
    try:
        for number, body in enumerate(bodies):
            if isinstance(body, e.PeriodClosed):
                body = fitted[number] = msgspec.structs.replace(body, digest=world.digest())
            apply(world, body)
    except Exception:
        pass
    return fitted
