"""What a restricted rule may know besides attributes: which things there are, names and counts.

These checks hold in games whose level restricts everything (see `nomoledger.events.levels`).
"""

from nomoledger.language.host import Host


def check_listing(host: Host, kind: str) -> None:
    """Check that every restricted rule on the stack may know which things of *kind* there are.

    It may if it may read any of their attributes.
    """
    for rule, allowed in host.restrictions():
        if allowed.reads is None:
            continue
        if not any(host.is_readable(name, allowed) for name in host.world.declared(kind)):
            host.forbidden(rule, f"it may not read which {kind} there is")


def check_key(host: Host, entity: str) -> None:
    """Check that every restricted rule on the stack may read the key of *entity*."""
    kind = host.world.entities.get(entity)
    if kind is not None:
        host.may_read(host.world.key_of(kind))


def check_counts(host: Host) -> None:
    """Check that every restricted rule on the stack may read counts.

    It may if it may read everything, or if `tallied` is among its verbs.
    """
    for rule, allowed in host.restrictions():
        if allowed.reads is not None and "tallied" not in allowed.verbs:
            host.forbidden(rule, "it may not read counts")
