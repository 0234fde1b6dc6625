"""Lines that fit a width: breaks only between words, and no command line loses its meaning."""

import re
from collections.abc import Iterator

#: A command that a line ends with. Its lines end with a backslash, so that it can be pasted.
_COMMAND = re.compile(r"(?:(?<=: )|(?<=\()|^ *)(?:[A-Z_]+=\S+ )?nomoledger [a-z][a-z-]+ .*$")
#: A word of a shell command: quoted parts may have spaces.
_SHELL_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"]|['"])+""")
#: How much further the second and later lines of a paragraph are indented.
_HANG = 2


def cell_width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrap_text(text: str, width: int) -> str:
    """Return *text* with each of its lines wrapped at *width* columns; see `wrap_line`."""
    return "\n".join(part for line in text.split("\n") for part in wrap_line(line, width))


def wrap_line(line: str, width: int) -> list[str]:
    r"""Return *line* as lines of at most *width* columns; a longer word has a line of its own.

    Later lines are indented. A command at the end of the line is continued with backslashes.

    >>> wrap_line("  Ann pays 12 to Bob", 14)
    ['  Ann pays 12', '    to Bob']
    >>> wrap_line("answer it: nomoledger answer g.db 'no way' --by Ann", 30)
    ['answer it:', '  nomoledger answer g.db \\', "    'no way' --by Ann"]
    """
    if cell_width(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip(" "))]
    command = _COMMAND.search(line)
    if command is None:
        return list(_filled(line.split(), width, indent, indent + " " * _HANG))
    before = line[: command.start()].rstrip()
    further = indent + " " * _HANG if before else indent
    words = _SHELL_WORD.findall(command[0])
    lines = list(_filled(words, width - 2, further, further + " " * _HANG))
    continued = [f"{part} \\" for part in lines[:-1]] + lines[-1:]
    return [*(wrap_line(before, width) if before else []), *continued]


def wrap_words(text: str, width: int) -> list[str]:
    """Return the paragraphs of *text* as lines of at most *width* columns, without indentation.

    >>> wrap_words("a long way", 6)
    ['a long', 'way']
    """
    return [part for line in text.split("\n") for part in _cell_lines(line, width)]


def _cell_lines(line: str, width: int) -> list[str]:
    return [line] if cell_width(line) <= width else list(_filled(line.split(), width, "", ""))


def _filled(words: list[str], width: int, indent: str, hang: str) -> Iterator[str]:
    """Yield lines of *words*: the first with *indent*, the others with *hang*."""
    line = indent
    for word in words:
        if not line.strip():
            line += word
        elif cell_width(line) + 1 + cell_width(word) <= width:
            line += f" {word}"
        else:
            yield line
            line = hang + word
    yield line
