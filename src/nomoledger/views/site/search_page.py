"""The search page: a list of pages, and the words of each, in an index that a script reads.

The page works from disk and without a server. Without JavaScript it is a plain list. The script
hides and shows items of the list. It makes no markup, so nothing that people wrote can become any.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from nomoledger.views.site.event_log import EventGroup
from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.site_paths import folder_of
from nomoledger.views.site.text import harmless

PATH = "search.html"
INDEX = "search-index.js"
SCRIPT = "search.js"
#: How much of a long text can be found, and of the different words of a log.
CHARACTERS_MAX, LOG_CHARACTERS_MAX = 4000, 20_000
#: What stands around words, and is no part of them.
_AROUND = ".,:;!?()[]{}“”‘’'\"…→"
#: The words of the log of each period, by number.
LogWords = Mapping[int, str]


class SearchItem(msgspec.Struct, frozen=True):
    """A page, or a part of one: its *kind*, *title* and *path*, and its *words*."""

    kind: str
    title: str
    path: str
    words: str = ""


def search_items(history: HistoryPage, logs: LogWords) -> list[SearchItem]:
    """Return what can be found on the site of *history*, in the order of the list.

    *logs* are the words of the log of each period.
    """
    return list(_items(history, logs))


def words_of_log(groups: Iterable[EventGroup]) -> str:
    """Return the different words of a log, sorted, without the bookkeeping of the engine."""
    lines = (line.text for group in groups for line in group.all() if not line.quiet)
    words = {word.strip(_AROUND) for text in lines for word in _words(harmless(text).lower())}
    return " ".join(sorted(words - {""}))[:LOG_CHARACTERS_MAX]


def _words(text: str) -> list[str]:
    """Return the words of *text*; the signs of markup, < and >, separate words."""
    return text.replace("<", " ").replace(">", " ").split()


def search_index(items: list[SearchItem]) -> str:
    r"""Return the index as a script: the words of each of *items*, in lower case.

    >>> print(search_index([SearchItem("rule", "I.1 </script>", "rules/i-1.html")]), end="")
    const searchIndex = [
    "rule i.1 \u003c/script\u003e"
    ];
    """
    lines = (_encoded(f"{item.kind} {item.title} {item.words}") for item in items)
    return "const searchIndex = [\n" + ",\n".join(lines) + "\n];\n"


def _encoded(words: str) -> str:
    """Return *words* as a text of JavaScript that is harmless within HTML, too."""
    plain = " ".join(harmless(words).lower().split())
    text = msgspec.json.encode(plain).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _items(history: HistoryPage, logs: LogWords) -> Iterator[SearchItem]:
    for item in _pages(history):
        yield msgspec.structs.replace(item, words=item.words[:CHARACTERS_MAX])
    for past in history.upto:
        folder = folder_of(past.period)
        yield SearchItem("period", f"Period {past.period}", f"{folder}index.html", "standings")
        title, words = f"Log of period {past.period}", f"events {logs.get(past.period, '')}"
        yield SearchItem("log", title, f"{folder}log.html", words)


def _pages(history: HistoryPage) -> Iterator[SearchItem]:
    moment = history.moment
    for player in moment.players:
        name = player.person.name
        yield SearchItem("player", name, f"players/{player.person.slug}.html")
    for page in moment.declared:
        yield SearchItem("page", page.title, f"{page.name}.html")
    for rule in history.rules:
        last = rule.last()
        words = "" if last is None or last.rule is None else f"{last.rule.prose} {last.rule.code}"
        yield SearchItem("rule", f"{rule.number} {rule.title}", rule.path, words)
    for proposal in moment.proposals:
        words = " ".join([proposal.text, *(change.text for change in proposal.changes)])
        title = f"Proposal {proposal.number} by {proposal.by}, {proposal.verdict}"
        yield SearchItem("proposal", title, f"proposals.html#p{proposal.number}", words)
    effects = history.outline.corrections.effects
    for ruling in moment.rulings:
        path = f"rulings/{ruling.number}.html"
        changes = effects[ruling.number].standings if ruling.number in effects else []
        names = dict.fromkeys(change.name for change in changes)
        words = " ".join([ruling.text, *names])
        yield SearchItem("ruling", f"Ruling {ruling.number}", path, words)
    for dispute in moment.disputes:
        words = " ".join([dispute.text, *(argument.text for argument in dispute.arguments)])
        title = f"Dispute {dispute.number} by {dispute.by}"
        yield SearchItem("dispute", title, f"disputes/{dispute.number}.html", words)
    for square in moment.board.squares:
        called, owner = square.attributes.get("name"), square.attributes.get("owner")
        title = f"Square {square.called}" + (f" {called.text}" if called else "")
        words = "" if owner is None else f"owner {owner.text}"
        yield SearchItem("square", title, f"board.html#{square.anchor}", words)
