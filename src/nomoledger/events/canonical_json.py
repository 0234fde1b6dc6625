"""JSON of values: the same bytes for the same value, in every process."""

from typing import Any

import msgspec

_encode_in_order = msgspec.json.Encoder(enc_hook=str).encode
_encode = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode


def canonical_json(value: Any, *, in_order: bool = False) -> bytes:
    """Return *value* as one line of JSON. Keys are sorted, or keep their order if *in_order*.

    Older versions recorded keys that are no text. A whole number becomes the text of its digits, as
    in any JSON. Another key, and a number whose text is a key, too, become their type and value.

    >>> canonical_json({2: "two"}), canonical_json({1: "one", "1": "text"})
    (b'{"2":"two"}', b'{"!int 1":"one","1":"text"}')
    >>> canonical_json({"piece": "Player", "again": "Flag"}, in_order=True)
    b'{"piece":"Player","again":"Flag"}'
    """
    encode = _encode_in_order if in_order else _encode
    try:
        return encode(value)
    except TypeError:
        return encode(_with_text_keys(msgspec.to_builtins(value, enc_hook=str)))


def _with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {_text(key, value): _with_text_keys(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text_keys(item) for item in value]
    return value


def _text(key: Any, others: Any) -> str:
    """Return the text for *key*, which no other of the keys *others* has."""
    if isinstance(key, str):
        return key
    is_number = isinstance(key, int) and not isinstance(key, bool)
    return str(key) if is_number and str(key) not in others else f"!{type(key).__name__} {key}"
