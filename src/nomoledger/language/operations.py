"""The operations of a ruleset: what the hooks of the rules in force say about each."""

from functools import cached_property, lru_cache

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, Hook
from nomoledger.language.host_verbs import HOST_VERBS, is_hookable


class Operation(msgspec.Struct, frozen=True, dict=True):
    """One operation and its hooks, as pairs of rule number and hook in the order of the rules."""

    name: str
    hooks: tuple[tuple[str, Hook], ...]

    def of(self, *kinds: str) -> list[tuple[str, Hook]]:
        """Return the hooks of these *kinds*."""
        return [(number, hook) for number, hook in self.hooks if hook.kind in kinds]

    @cached_property
    def definitions(self) -> list[tuple[str, Hook]]:
        """The hooks that define the operation."""
        return self.of("define", "value", "action")

    @property
    def definer(self) -> str:
        """The number of the first rule that defines the operation; "" if none does."""
        return self.definitions[0][0] if self.definitions else ""

    @property
    def signature(self) -> str:
        """The parameters as rule code writes them, with their defaults."""
        if self.definitions:
            _, hook = self.definitions[0]
            return ", ".join(
                p.name if p.default is None else f"{p.name} = {p.default}" for p in hook.parameters
            )
        if is_hookable(self.name):
            return HOST_VERBS[self.name].signature
        _, hook = max(self.hooks, key=lambda pair: len(pair[1].parameters))
        return ", ".join(p.name for p in hook.parameters[hook.kind == "instead" :])

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        parts = self.signature.split(",")
        return [part.split("=")[0].strip() for part in parts if part.strip()]

    @property
    def is_value(self) -> bool:
        """Whether the operation computes a value instead of changing the game."""
        return any(hook.kind in ("value", "adjust") for _, hook in self.hooks)

    @cached_property
    def is_action(self) -> bool:
        """Whether a player may submit the operation."""
        return any(hook.kind == "action" for _, hook in self.hooks)


class Links(msgspec.Struct, frozen=True):
    """A ruleset as the linker reads it, before anything is compiled.

    Attributes:
        rules: the rules, in their order.
        codes: the parsed code of each rule, by rule number.
        operations: every operation with its hooks, by name.
        plain: operations that only look and compute, in one definition without a loop. They take a
            bounded time, so no limit counts them. They need not report to the host.
        undefined: names that no rule defines, each with the rules that use it.
    """

    rules: tuple[Rule, ...]
    codes: dict[str, Code]
    operations: dict[str, Operation]
    plain: frozenset[str]
    undefined: dict[str, tuple[str, ...]]

    def rules_with(self, hook: str) -> list[str]:
        """Return the numbers of the rules that have a hook of this name (`on_enact`)."""
        return [n for n, code in self.codes.items() if any(h.name == hook for h in code.hooks)]


@lru_cache(maxsize=1024)
def kind_type(kind: str) -> str:
    """Return the name of *kind* as a type in annotations: `Square` for square."""
    return "".join(part.capitalize() for part in kind.split("_"))
