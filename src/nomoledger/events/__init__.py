"""Events: everything that a ledger can record.

Inputs come from outside, and nobody can compute them. Consequences are what the rules make of the
inputs. Every event is a frozen, tagged `msgspec.Struct`. Its name is a fact in the past tense, or a
request where the rules still decide. The tag ends in the schema version (`posted/1`). A breaking
change gets a new tag and an upcast in `nomoledger.events.codec`.
"""

from nomoledger.events.consequences import (
    AttemptDone,
    AttemptRefused,
    AttributeSet,
    CasesCopied,
    Counted,
    DrawRecorded,
    EntityCreated,
    EntityDestroyed,
    FactConfirmed,
    FactUnexplained,
    GameEnded,
    Moved,
    OrderFired,
    OrderLapsed,
    PeriodClosed,
    Posted,
    Posting,
    QuestionRaised,
    QuestionWithdrawn,
    Reason,
    RecordPrevailed,
    Rescheduled,
    RuleAmended,
    RuleEnacted,
    RuleRenumbered,
    RuleRepealed,
    Scheduled,
    Settled,
    TimerFired,
    Unscheduled,
    Waiting,
)
from nomoledger.events.edits import Answered, Edit, LeftOut, Replaced, TakenIn
from nomoledger.events.event import Entry, Event
from nomoledger.events.inputs import (
    Act,
    ChoiceAnswered,
    ClockAdvanced,
    CloseAsked,
    DisputeArgued,
    DisputeOpened,
    DrawEntered,
    FactRecorded,
    FinalitySet,
    GameOpened,
    Input,
    InputWithdrawn,
    JoinRequested,
    LeaveRequested,
    OrderGiven,
    ProposalJudged,
    ProposalMade,
    RulingMade,
    StateGiven,
    SubmissionReceived,
    VoteCast,
)

__all__ = [
    "Act",
    "Answered",
    "AttemptDone",
    "AttemptRefused",
    "AttributeSet",
    "CasesCopied",
    "ChoiceAnswered",
    "ClockAdvanced",
    "CloseAsked",
    "Counted",
    "DisputeArgued",
    "DisputeOpened",
    "DrawEntered",
    "DrawRecorded",
    "Edit",
    "EntityCreated",
    "EntityDestroyed",
    "Entry",
    "Event",
    "FactConfirmed",
    "FactRecorded",
    "FactUnexplained",
    "FinalitySet",
    "GameEnded",
    "GameOpened",
    "Input",
    "InputWithdrawn",
    "JoinRequested",
    "LeaveRequested",
    "LeftOut",
    "Moved",
    "OrderFired",
    "OrderGiven",
    "OrderLapsed",
    "PeriodClosed",
    "Posted",
    "Posting",
    "ProposalJudged",
    "ProposalMade",
    "QuestionRaised",
    "QuestionWithdrawn",
    "Reason",
    "RecordPrevailed",
    "Replaced",
    "Rescheduled",
    "RuleAmended",
    "RuleEnacted",
    "RuleRenumbered",
    "RuleRepealed",
    "RulingMade",
    "Scheduled",
    "Settled",
    "StateGiven",
    "SubmissionReceived",
    "TakenIn",
    "TimerFired",
    "Unscheduled",
    "VoteCast",
    "Waiting",
    "events",
]


def events() -> dict[str, type[Event]]:
    """Return all event classes by tag."""

    def leaves(cls: type[Event]) -> list[type[Event]]:
        subclasses = cls.__subclasses__()
        return [cls] if not subclasses else [leaf for sub in subclasses for leaf in leaves(sub)]

    return {str(cls.__struct_config__.tag): cls for cls in leaves(Event)}
