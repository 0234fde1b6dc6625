"""The pages of rules: one for every rule that was ever in force, with all versions and numbers."""

import re
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.proof.public_numbering import SEALED
from nomoledger.prose.labels import format_cell
from nomoledger.views.site.site_paths import Ref, Slugs
from nomoledger.views.site.text import DiffPiece, differences

#: Events that change rules.
_ABOUT_RULES = frozenset({e.RuleAmended, e.RuleEnacted, e.RuleRenumbered, e.RuleRepealed})


class Link(msgspec.Struct, frozen=True):
    """A text that links to *path*, or a plain text if *path* is None."""

    text: str
    path: str | None = None


class ParameterOnPage(msgspec.Struct, frozen=True):
    """A parameter of a rule, its former value *was*, and the event that set it."""

    name: str
    value: str
    ref: Ref
    was: str | None = None


class RuleStep(msgspec.Struct, frozen=True):
    """One change to a rule: *what* changed, the authority, and the new version of the rule."""

    what: str
    anchor: str
    ref: Ref
    source: Link
    rule: Rule | None = None
    parameters: tuple[ParameterOnPage, ...] = ()
    prose: tuple[DiffPiece, ...] = ()
    code: tuple[DiffPiece, ...] = ()


class RulePage(msgspec.Struct):
    """A rule and its changes. *number* is its current or last number."""

    slug: str
    number: str
    title: str
    steps: list[RuleStep] = []
    in_force: bool = True

    @property
    def path(self) -> str:
        """The path of the page."""
        return f"rules/{self.slug}.html"

    def last(self) -> RuleStep | None:
        """Return the last change that has a version of the rule."""
        return next((step for step in reversed(self.steps) if step.rule is not None), None)

    def anchor(self, version: int) -> str:
        """Return the anchor of *version* on the page."""
        anchors = [s.anchor for s in self.steps if s.rule is not None and s.rule.version == version]
        return f"#{anchors[-1]}" if anchors else ""


class RulePages:
    """The pages of all rules. A rule that is renumbered or enacted again stays on its page."""

    def __init__(self) -> None:
        self.pages: list[RulePage] = []
        self._by_number: dict[str, RulePage] = {}
        self._slugs = Slugs()

    def apply(self, ref: Ref, body: e.Event) -> None:
        """Apply the next event to the pages."""
        if type(body) not in _ABOUT_RULES:
            return
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            page = self._by_number.get(body.rule.number) or self._add_page(body.rule)
            what = "enacted" if isinstance(body, e.RuleEnacted) else "amended"
            page.steps.append(self._version_step(page, what, ref, body.rule, body.source))
            page.title, page.in_force = body.rule.title, True
        elif isinstance(body, e.RuleRepealed) and body.number in self._by_number:
            self._add_step(self._by_number[body.number], "repealed", ref, body.source)
            self._by_number[body.number].in_force = False
        elif isinstance(body, e.RuleRenumbered) and body.number in self._by_number:
            page = self._by_number[body.to] = self._by_number.pop(body.number)
            page.number = body.to
            what = f"renumbered from {body.number} to {body.to}"
            self._add_step(page, what, ref, body.source)

    def _add_page(self, rule: Rule) -> RulePage:
        slug = self._slugs.of(len(self.pages), rule.number)
        page = RulePage(slug, rule.number, rule.title, [])
        self.pages.append(page)
        self._by_number[rule.number] = page
        return page

    def _add_step(self, page: RulePage, what: str, ref: Ref, source: str) -> None:
        page.steps.append(RuleStep(what, f"e{ref.number}", ref, self._authority(source)))

    def _version_step(
        self, page: RulePage, what: str, ref: Ref, rule: Rule, source: str
    ) -> RuleStep:
        before, anchor = page.last(), f"v{rule.version}"
        if any(step.anchor == anchor for step in page.steps):
            anchor = f"v{rule.version}-{ref.number}"
        old = None if before is None else before.rule
        return RuleStep(
            what=what,
            anchor=anchor,
            ref=ref,
            source=self._authority(source),
            rule=rule,
            parameters=_parameters(before, rule, ref),
            prose=differences(old.prose, rule.prose) if old else (),
            code=differences(old.code, rule.code, by_line=True) if old else (),
        )

    # --- links to rules

    def find(self, citation: str) -> Link | None:
        """Return the link of a citation like `VIII.5@3` or `VIII.5`; None for an unknown rule."""
        match = re.fullmatch(r"(.*)@([0-9]{1,9})", citation)
        page = self._by_number.get(match[1] if match else citation)
        if page is None:
            return None
        return Link(citation, page.path + (page.anchor(int(match[2])) if match else ""))

    def cited(self, rules: tuple[str, ...]) -> tuple[Link, ...]:
        """Return links to the rules and rulings of an event, without secret ones."""
        links = []
        for citation in rules:
            if citation.startswith("ruling:"):
                number = citation.removeprefix("ruling:")
                if number != str(SEALED):
                    links.append(Link(f"ruling {number}", f"rulings/{number}.html"))
            elif link := self.find(citation):
                links.append(link)
        return tuple(links)

    def _authority(self, source: str) -> Link:
        """Return the link to the proposal, ruling or rule in *source*."""
        if match := re.fullmatch(r"proposal (\d+)", source):
            return Link(source, f"proposals.html#p{match[1]}")
        if match := re.fullmatch(r"ruling (\d+)", source):
            return Link(source, f"rulings/{match[1]}.html")
        link = self.find(source.removeprefix("rule ")) if source.startswith("rule ") else None
        return Link(source, link.path if link else None)


def kind_of(rule: Rule) -> str:
    """Return whether *rule* is executable, or why not."""
    if rule.code:
        return "executable"
    return "by ruling" if rule.by_ruling is not None else "text only"


def _parameters(before: RuleStep | None, rule: Rule, ref: Ref) -> tuple[ParameterOnPage, ...]:
    old_parameters = {p.name: p for p in before.parameters} if before else {}

    def compare(name: str, value: Any) -> ParameterOnPage:
        old, text = old_parameters.get(name), format_cell(value)
        if old is None:
            return ParameterOnPage(name, text, ref)
        if old.value == text:
            return ParameterOnPage(name, text, old.ref)
        return ParameterOnPage(name, text, ref, was=old.value)

    return tuple(compare(name, value) for name, value in rule.parameters.items())
