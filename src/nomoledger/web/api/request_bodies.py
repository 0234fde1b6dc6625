"""What programs send: the bodies of requests. Fields that are not known are refused."""

from typing import Any

import msgspec

from nomoledger.game.desk.ruling_preview import RulingDraft

#: What the rules read: a text as in a form, a whole number, yes or no, or a list of such values.
Value = Any


class ActionBody(msgspec.Struct, forbid_unknown_fields=True):
    """An action to ask for, or to try.

    Attributes:
        action: the name of the action.
        arguments: the values by parameter. A text is read like the text of a form field: things by
            their names, numbers as numbers.
    """

    action: str
    arguments: dict[str, Value] = {}


class VoteBody(msgspec.Struct, forbid_unknown_fields=True):
    """A vote on a proposal.

    Attributes:
        choice: one of the choices that the rules name.
    """

    choice: str


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True):
    """An answer to the question that play waits for.

    Attributes:
        question: the id of the question, as the program was shown it.
        value: one of the options of the question.
    """

    question: str
    value: str | int


class ProposalBody(msgspec.Struct, forbid_unknown_fields=True):
    """A proposal.

    Attributes:
        text: the proposal in words.
        changes: the changes of rules in YAML; "" for none.
    """

    text: str
    changes: str = ""


class DraftBody(msgspec.Struct, forbid_unknown_fields=True):
    """Changes to check.

    Attributes:
        changes: the changes of rules in YAML.
        plays_again: whether the last closed period is played again with them.
    """

    changes: str
    plays_again: bool = False


class OrderBody(msgspec.Struct, forbid_unknown_fields=True):
    """A standing order: either actions to ask for, or an answer to give.

    Attributes:
        when: the statement that has to become true.
        holds: the statement that has to stay true until then; "" for none.
        acts: the actions, in their order.
        answer: the answer to give when the player is asked.
        replaces: the id of an order with actions that ends when this one begins; "" for none.
    """

    when: str
    holds: str = ""
    acts: tuple[ActionBody, ...] = ()
    answer: str = ""
    replaces: str = ""


class DisputeBody(msgspec.Struct, forbid_unknown_fields=True):
    """A dispute about an event or about all of a period: exactly one of them.

    Attributes:
        text: why.
        event: the number of the event, as the reader knows it.
        period: the period.
    """

    text: str
    event: int | None = None
    period: int | None = None


class WebhookBody(msgspec.Struct, forbid_unknown_fields=True):
    """A webhook to add.

    Attributes:
        address: what is called: an address that begins with https://.
        kinds: which events are sent: "request", "consequence", "bookkeeping".
    """

    address: str
    kinds: tuple[str, ...] = ("request", "consequence")


class WebhookStateBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whether a webhook is called.

    Attributes:
        is_on: true switches it on, false off.
    """

    is_on: bool


class WordsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Words.

    Attributes:
        text: the words.
    """

    text: str


class DrawnBody(msgspec.Struct, forbid_unknown_fields=True):
    """Dice, or another draw made by hand.

    Attributes:
        values: what was drawn, in order.
    """

    values: tuple[str | int, ...]


class AdminAnswerBody(msgspec.Struct, forbid_unknown_fields=True):
    """An answer of the admin to the question that play waits for.

    Attributes:
        value: one of the options; null lets the default of the rules stand.
    """

    value: str | int | None = None


class VerdictBody(msgspec.Struct, forbid_unknown_fields=True):
    """A verdict on a proposal.

    Attributes:
        verdict: "accepted" or "rejected".
    """

    verdict: str


class TimeBody(msgspec.Struct, forbid_unknown_fields=True):
    """A time until which to let time pass.

    Attributes:
        to: the time, in seconds since 1970.
    """

    to: int


class NewPlayerBody(msgspec.Struct, forbid_unknown_fields=True):
    """Somebody who joins.

    Attributes:
        name: the name of the player.
        details: what the rules want to know besides, such as the e-mail address.
    """

    name: str
    details: dict[str, Value] = {}


class RulingBody(RulingDraft, frozen=True, forbid_unknown_fields=True):
    """A ruling. What is empty is left out."""

    def draft(self) -> RulingDraft:
        """Return the ruling as it is made."""
        return RulingDraft(**msgspec.structs.asdict(self))
