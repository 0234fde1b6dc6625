"""Messages of a bearable length."""

#: How long a message may be, and how much of its end is kept where it is cut.
_MOST = 300
_END = 100


def shortened(text: str) -> str:
    """Return *text* in one line; if it is long, cut in the middle, as hints stand at the end.

    >>> len(shortened("x = " + "(" * 5000 + "; did you mean 'y'?"))
    300
    """
    line = " ".join(text.split("\n"))
    if len(line) <= _MOST:
        return line
    return f"{line[: _MOST - _END - 3]} … {line[-_END:]}"
