"""What a process and its sandbox say to each other: calls, pieces of results, and errors."""

import copyreg
import io
import pickle
import traceback
from types import FunctionType
from typing import Any

import msgspec

from nomoledger import errors

#: The kinds of messages. The parent sends calls, and answers to questions.
CALL, ANSWER = b"C", b"A"
#: The child sends the pieces of a result, questions, the end of a result, or an error; and between
#: two pieces, that it has gone on.
PIECE, QUESTION, DONE, ERROR, PROGRESS = b"P", b"Q", b"D", b"E", b"G"
#: The body of DONE if the child has grown so much that it should be replaced.
GROWN = b"grown"
#: The size of the file in which a child writes the number of the rule that acts.
RULE_BYTES_MAX = 256
#: The size of the part after that, in which a child writes the step of play that is under way.
STEP_BYTES_MAX = 512


class _Pickler(pickle.Pickler):
    """A pickler whose structs come back with the very objects of their defaults.

    Encoders omit a field whose value is the object of its default. An equal text that was pickled
    is another object, so an event with that text would be encoded as other bytes.
    """

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.modules: set[str] = set()

    def reducer_override(self, item: Any) -> Any:
        """Reduce structs to their class and to the fields that differ from their defaults."""
        kind = type(item)
        if kind is FunctionType or isinstance(item, type):
            self.modules.add(item.__module__)
        if not isinstance(item, msgspec.Struct) or kind in copyreg.dispatch_table:
            return NotImplemented
        names, defaults = kind.__struct_fields__, kind.__struct_defaults__
        values = [getattr(item, name) for name in names]
        required = len(names) - len(defaults)
        fields = dict(zip(names[:required], values, strict=False))
        for name, value, default in zip(names[required:], values[required:], defaults, strict=True):
            if value is not default:
                fields[name] = value
        return _build, (kind, fields)


def _build(kind: type[msgspec.Struct], fields: dict[str, Any]) -> msgspec.Struct:
    return kind(**fields)


def dump_call(function: Any, arguments: tuple[Any, ...]) -> tuple[bytes, set[str]]:
    """Return a call as bytes, and the modules that a process must have imported to load it.

    Only a process that trusts this one may load the bytes. *function* is at the top level of a
    module, or a partial of such a function.
    """
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump((function, arguments))
    return file.getvalue(), pickler.modules


def load_call(data: bytes) -> tuple[Any, tuple[Any, ...]]:
    """Return the function and the arguments of a call that the parent process sent."""
    call: tuple[Any, tuple[Any, ...]] = pickle.loads(data)
    return call


def encode_error(error: BaseException) -> bytes:
    """Encode *error* as its class, its message and its rule; bugs carry their traceback."""
    rule = getattr(error, "rule", None)
    if isinstance(error, errors.NomoledgerError):
        public = next(kind for kind in type(error).__mro__ if hasattr(errors, kind.__name__))
        fields = (public.__name__, str(error), rule, getattr(error, "is_certain", False))
    elif isinstance(error, MemoryError):
        fields = ("RuleFault", "the rules used up the memory they may use", rule, False)
    elif isinstance(error, RecursionError):
        fields = ("RuleFault", "the rules nest too deeply", rule, False)
    else:
        fields = ("", "".join(traceback.format_exception(error)), None, False)
    return msgspec.msgpack.encode(fields)


def decode_error(body: bytes) -> Exception:
    """Return the error that `encode_error` encoded; a bug becomes a RuntimeError."""
    kind = tuple[str, str, str | None, bool]
    name, text, rule, is_certain = msgspec.msgpack.decode(body, type=kind)
    if name == "RuleFault":
        return errors.RuleFault(text, rule=rule, is_certain=is_certain)
    cls = getattr(errors, name, None)
    if isinstance(cls, type) and issubclass(cls, errors.NomoledgerError):
        return cls(text)
    return RuntimeError(text)
