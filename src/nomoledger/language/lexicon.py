"""Every word of rule code and the function behind it (the names alone are in `link`)."""

from collections.abc import Callable
from typing import Any

from nomoledger.language import amendments, reads, verbs

#: Words that rules may hook as if they were operations: changes to the world.
HOOKABLE: dict[str, Callable[..., Any]] = {
    "act": verbs.act,
    "burn": verbs.burn,
    "create": verbs.create,
    "destroy": verbs.destroy,
    "give": verbs.give,
    "mint": verbs.mint,
    "move": verbs.move,
    "pay": verbs.pay,
    "set": verbs.set_attribute,
    "split": verbs.split,
}

#: All other words.
PLAIN: dict[str, Callable[..., Any]] = {
    "adopt": amendments.adopt,
    "all": reads.all_of,
    "amend": amendments.amend,
    "ask": reads.ask,
    "balance": reads.balance,
    "cancel": verbs.cancel,
    "divide": reads.divide,
    "draw": reads.draw,
    "end_game": verbs.end_game,
    "enact": amendments.enact,
    "find": reads.find,
    "get": reads.get,
    "history": reads.history,
    "holdings": reads.holdings,
    "kind": reads.kind,
    "label": reads.label,
    "mentioned": reads.mentioned,
    "now": reads.now,
    "once": verbs.once,
    "param": reads.param,
    "period": reads.period,
    "proposed": reads.proposed,
    "refuse": verbs.refuse,
    "renumber": amendments.renumber,
    "repeal": amendments.repeal,
    "reveal": verbs.reveal,
    "roll": reads.roll,
    "rounded": verbs.rounded,
    "ruling": reads.ruling,
    "schedule": verbs.schedule,
    "settle": verbs.settle,
    "use": verbs.use,
    "where": reads.where,
    "within": reads.within,
}
