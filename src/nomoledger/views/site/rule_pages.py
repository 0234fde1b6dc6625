"""Every rule that was ever in force, through all its versions and numbers: a page each."""

import re
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.proof.public_numbering import SEALED
from nomoledger.prose.labels import format_cell
from nomoledger.views.site.names import Ref, Slugs
from nomoledger.views.site.period_differences import Piece, differences


class Link(msgspec.Struct, frozen=True):
    """Words that lead somewhere, where *path* says; to nothing where it is None."""

    text: str
    path: str | None = None


class ParameterOnPage(msgspec.Struct, frozen=True):
    """A value that the code reads, *was* something else before, and who set it."""

    name: str
    value: str
    ref: Ref
    was: str | None = None


class RuleStep(msgspec.Struct, frozen=True):
    """One thing that happened to a rule: *what*, on whose authority; *rule* as it reads then."""

    what: str
    anchor: str
    ref: Ref
    source: Link
    rule: Rule | None = None
    parameters: tuple[ParameterOnPage, ...] = ()
    prose: tuple[Piece, ...] = ()
    code: tuple[Piece, ...] = ()


class RulePage(msgspec.Struct):
    """A rule and all that happened to it. *number* is what it is (or was last) called."""

    slug: str
    number: str
    title: str
    steps: list[RuleStep] = []
    in_force: bool = True

    @property
    def path(self) -> str:
        """Where its page is."""
        return f"rules/{self.slug}.html"

    def last(self) -> RuleStep | None:
        """Where it was last put into words."""
        return next((step for step in reversed(self.steps) if step.rule is not None), None)

    def anchor(self, version: int) -> str:
        """Where on its page a version stands."""
        found = [s.anchor for s in self.steps if s.rule is not None and s.rule.version == version]
        return f"#{found[-1]}" if found else ""


class RulePages:
    """The pages of all rules. A rule stays on its page when it is renumbered or comes back."""

    def __init__(self) -> None:
        self.pages: list[RulePage] = []
        self._by_number: dict[str, RulePage] = {}
        self._slugs = Slugs()

    def take(self, ref: Ref, body: e.Event) -> None:
        """Take in what an event does to the rules."""
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            page = self._by_number.get(body.rule.number) or self._new(body.rule)
            what = "enacted" if isinstance(body, e.RuleEnacted) else "amended"
            page.steps.append(self._worded(page, what, ref, body.rule, body.source))
            page.title, page.in_force = body.rule.title, True
        elif isinstance(body, e.RuleRepealed) and body.number in self._by_number:
            self._tell(self._by_number[body.number], "repealed", ref, body.source)
            self._by_number[body.number].in_force = False
        elif isinstance(body, e.RuleRenumbered) and body.number in self._by_number:
            page = self._by_number[body.to] = self._by_number.pop(body.number)
            page.number = body.to
            what = f"renumbered from {body.number} to {body.to}"
            self._tell(page, what, ref, body.source)

    def _new(self, rule: Rule) -> RulePage:
        slug = self._slugs.of(len(self.pages), rule.number)
        page = RulePage(slug, rule.number, rule.title, [])
        self.pages.append(page)
        self._by_number[rule.number] = page
        return page

    def _tell(self, page: RulePage, what: str, ref: Ref, source: str) -> None:
        page.steps.append(RuleStep(what, f"e{ref.number}", ref, self._authority(source)))

    def _worded(self, page: RulePage, what: str, ref: Ref, rule: Rule, source: str) -> RuleStep:
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

    # --- what leads to rules

    def find(self, citation: str) -> Link | None:
        """What `VIII.5@3` or `VIII.5` leads to; None for a rule that is not known."""
        match = re.fullmatch(r"(.*)@([0-9]{1,9})", citation)
        page = self._by_number.get(match[1] if match else citation)
        if page is None:
            return None
        return Link(citation, page.path + (page.anchor(int(match[2])) if match else ""))

    def cited(self, rules: tuple[str, ...]) -> tuple[Link, ...]:
        """The rules and rulings behind an event, but for those that nobody may know of."""
        found = []
        for each in rules:
            if each.startswith("ruling:"):
                number = each.removeprefix("ruling:")
                if number != str(SEALED):
                    found.append(Link(f"ruling {number}", f"rulings.html#r{number}"))
            elif link := self.find(each):
                found.append(link)
        return tuple(found)

    def _authority(self, source: str) -> Link:
        """The proposal, ruling or rule that *source* speaks of."""
        if match := re.fullmatch(r"(proposal|ruling) (\d+)", source):
            return Link(source, f"{match[1]}s.html#{match[1][0]}{match[2]}")
        link = self.find(source.removeprefix("rule ")) if source.startswith("rule ") else None
        return Link(source, link.path if link else None)


def kind_of(rule: Rule) -> str:
    """Whether something of *rule* is carried out, or why not."""
    if rule.code:
        return "executable"
    return "by ruling" if rule.by_ruling is not None else "text only"


def _parameters(before: RuleStep | None, rule: Rule, ref: Ref) -> tuple[ParameterOnPage, ...]:
    known = {each.name: each for each in before.parameters} if before else {}

    def made(name: str, value: Any) -> ParameterOnPage:
        old, text = known.get(name), format_cell(value)
        if old is None:
            return ParameterOnPage(name, text, ref)
        if old.value == text:
            return ParameterOnPage(name, text, old.ref)
        return ParameterOnPage(name, text, ref, was=old.value)

    return tuple(made(name, value) for name, value in rule.parameters.items())
