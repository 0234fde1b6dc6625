"""The operations of a ruleset: what the hooks of the rules in force say about each."""

import re
from functools import cached_property, lru_cache

import msgspec

from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, Hook, Parameter
from nomoledger.language.host_verbs import HOST_VERBS, is_hookable
from nomoledger.state.declared_rules import Ruleset


class Remembered(msgspec.Struct, frozen=True):
    """What is known of an operation that no hook in force defines: a moment, or a former one.

    Attributes:
        kind: "moment" if rules only react to the operation, or the kind of its former definition.
        parameters: its parameters.
        returns: the type of its result; "" if unknown.
    """

    kind: str
    parameters: tuple[Parameter, ...]
    returns: str = ""


class Operation(msgspec.Struct, frozen=True, dict=True):
    """One operation and its hooks, as pairs of rule number and hook in the order of the rules.

    Attributes:
        name: its name.
        hooks: its hooks.
        remembered: what is known of it if no hook defines it; None if nothing is.
        common: the rules among those with hooks that are common definitions.
    """

    name: str
    hooks: tuple[tuple[str, Hook], ...]
    remembered: Remembered | None = None
    common: frozenset[str] = frozenset()

    def of(self, *kinds: str) -> list[tuple[str, Hook]]:
        """Return the hooks of these *kinds*."""
        known = self._of_kinds.get(kinds)
        if known is None:
            known = [(number, hook) for number, hook in self.hooks if hook.kind in kinds]
            self._of_kinds[kinds] = known
        return list(known)

    @cached_property
    def _of_kinds(self) -> dict[tuple[str, ...], list[tuple[str, Hook]]]:
        return {}

    @cached_property
    def definitions(self) -> list[tuple[str, Hook]]:
        """The hooks that define the operation."""
        return self.of("define", "value", "action")

    @property
    def definer(self) -> str:
        """The number of the first rule that defines the operation; "" if none does."""
        return self.definitions[0][0] if self.definitions else ""

    @property
    def acts_for_caller(self) -> bool:
        """Whether the definition acts in the name of the rule that calls the operation.

        Common definitions and mechanics do.
        """
        if not self.definitions:
            return False
        number, hook = self.definitions[0]
        return number in self.common or hook.mechanic != ""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters; empty for a host verb."""
        if self.definitions:
            return self.definitions[0][1].parameters
        if is_hookable(self.name):
            return ()
        if self.remembered is not None:
            return self.remembered.parameters
        _, hook = max(self.hooks, key=lambda pair: len(pair[1].parameters))
        plain = (Parameter(p.name) for p in hook.parameters[hook.kind == "instead" :])
        return tuple(plain)

    @cached_property
    def signature(self) -> str:
        """The parameters as rule code writes them, with their defaults."""
        if not self.definitions and is_hookable(self.name):
            return HOST_VERBS[self.name].signature
        return ", ".join(
            p.name if p.default is None else f"{p.name} = {p.default}" for p in self.parameters
        )

    @cached_property
    def names(self) -> list[str]:
        """The names of the parameters."""
        parts = self.signature.split(",")
        return [part.split("=")[0].strip() for part in parts if part.strip()]

    @property
    def returns(self) -> str:
        """The type of the result, as the definition is annotated; "" if unknown."""
        if self.definitions:
            return self.definitions[0][1].returns
        return "" if self.remembered is None else self.remembered.returns

    @cached_property
    def result_names(self) -> tuple[str, ...]:
        """The names under which an `after_` hook can receive the result."""
        kind = re.sub(r"(?<!^)(?=[A-Z])", "_", self.returns).lower()
        return tuple(name for name in ("result", kind) if name and name not in self.names)

    @cached_property
    def is_value(self) -> bool:
        """Whether the operation computes a value instead of changing the game."""
        if self.remembered is not None and not self.definitions:
            return self.remembered.kind == "value"
        return any(hook.kind in ("value", "adjust") for _, hook in self.hooks)

    @property
    def happens(self) -> bool:
        """Whether the operation happens at all: it is defined, or rules react to it."""
        return bool(self.definitions) or self.remembered is None or self.is_moment

    @property
    def can_be_done(self) -> bool:
        """Whether an attempt can carry out the operation: it is defined, or a moment."""
        return bool(self.definitions) or self.is_moment

    @property
    def is_moment(self) -> bool:
        """Whether rules only react to the operation."""
        return self.remembered is not None and self.remembered.kind == "moment"

    @cached_property
    def is_action(self) -> bool:
        """Whether a player may submit the operation."""
        return any(hook.kind == "action" for _, hook in self.hooks)


class Links(msgspec.Struct, frozen=True):
    """A ruleset as the linker reads it, before anything is compiled.

    Attributes:
        ruleset: the ruleset.
        codes: the parsed code of each rule, by rule number.
        operations: every operation with its hooks, by name.
        plain: operations that only look and compute, in one definition without a loop. They take a
            bounded time, so no limit counts them. They need not report to the host.
        undefined: names that no rule defines, each with the rules that use it.
    """

    ruleset: Ruleset
    codes: dict[str, Code]
    operations: dict[str, Operation]
    plain: frozenset[str]
    undefined: dict[str, tuple[str, ...]]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, in their order."""
        return self.ruleset.rules

    @property
    def binds_by_position(self) -> bool:
        """Whether a hook receives the arguments of its operation by position."""
        return LEVELS[self.ruleset.level].binds_by_position

    def rules_with(self, hook: str) -> list[str]:
        """Return the numbers of the rules that have a hook of this name (`on_enact`)."""
        return [n for n, code in self.codes.items() if any(h.name == hook for h in code.hooks)]


@lru_cache(maxsize=1024)
def kind_type(kind: str) -> str:
    """Return the name of *kind* as a type in annotations: `Square` for square."""
    return "".join(part.capitalize() for part in kind.split("_"))
