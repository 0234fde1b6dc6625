"""The plan of the game that grows from `mail-opening` into `mail`: what is proposed in which week.

The rules that a proposal adopts are those of `mail` as they stand when the proposals are written.
"""

from typing import Any

import msgspec

PLAYERS = ("Ann", "Bob", "Cleo", "Dan", "Eve")
#: Who joins in which week, and who leaves.
JOINS, LEAVES = {7: "Finn", 19: "Gwen"}, {20: "Finn"}
WEEKS = 22
#: What the admin asks for at the start of a week.
ADMIN: dict[int, tuple[tuple[str, dict[str, Any]], ...]] = {
    18: (
        ("place_pseudoplayer", {"name": "elephant", "square": 17}),
        ("place_pseudoplayer", {"name": "TISSSG", "square": 30}),
    ),
}
#: In these weeks the admin calls the last idea a complete waste of time.
WASTED = (10, 16, 21)
#: The names that players give to squares. Rules speak of some of them.
NAMES = (
    *("The Old Mill", "Duck's Double Dip", "Harbour", "The Hospital", "Five Elms", "Watertower"),
    *("Foggy Bottom", "Demolitionville", "Nut Street", "The Ropewalk", "Gull Rock", "Quince Yard"),
    *("Long Meadow", "Candle Court", "Two Bridges", "Saltmarsh", "Hollow Way", "Kettle Lane"),
)
_CORPORATE = ["Red", "Orange", "Yellow", "Green", "Blue", "Indigo"]
_GOVERNMENTAL = ["Maroon", "Khaki", "Navy", "Teal", "Lime", "Fuschia"]
#: Arguments that bots try, by action and name: words that the types of arguments do not tell.
EXAMPLES: dict[tuple[str, str], list[Any]] = {
    ("paint", "color"): _CORPORATE,
    ("buy_paint", "color"): _GOVERNMENTAL,
    ("pour", "color"): _GOVERNMENTAL,
    ("hire_gipper", "color"): _GOVERNMENTAL,
    ("give_item", "item"): ["$"],
    ("use_extra_dice", "sign"): ["plus", "minus"],
    ("use_extra_dice", "purpose"): ["turn"],
    ("buy_product", "product"): ["Warp Bubble", "Hot Spring Bath", "V-8", "Blockbuster"],
}


class Planned(msgspec.Struct, frozen=True):
    """One proposal.

    Attributes:
        week: the week in which it is made.
        name: the name of its file.
        text: what its author writes.
        repeal: the rules that it repeals first.
        renumber: old and new numbers of rules, in order.
        adopt: the rules of `mail` that it adopts: those in force are amended, the others enacted.
        anew: those of them that are repealed and enacted again, so that their `on_enact` runs.
        drafts: by number, texts of an adopted rule and what stands in their place for now.
        changes: other changes, at the end.
        is_rejected: whether the admin rejects it.
        is_simpler: whether the admin finds that it makes the rules simpler.
    """

    week: int
    name: str
    text: str
    repeal: tuple[str, ...] = ()
    renumber: tuple[tuple[str, str], ...] = ()
    adopt: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    drafts: dict[str, tuple[tuple[str, str], ...]] = {}
    changes: tuple[dict[str, Any], ...] = ()
    is_rejected: bool = False
    is_simpler: bool = False

    @property
    def file(self) -> str:
        """The name of the file of its changes."""
        return f"{self.week:02}-{self.name}.yaml"


def _numbers(section: str, first: int, last: int, *, but: tuple[int, ...] = ()) -> tuple[str, ...]:
    return tuple(f"{section}.{n}" for n in range(first, last + 1) if n not in but)


PLAN = (
    Planned(
        1,
        "dearer-start",
        "Latecomers start with 1200 dollars",
        changes=(
            {
                "amend": "IV.1",
                "prose": "A player begins with 1200 dollars of Nomopoly money.",
                "parameters": {"starting_money": 1200},
            },
        ),
        is_rejected=True,
    ),
    Planned(
        1,
        "ferry",
        "A ferry leaves from the fifth square",
        changes=(
            {
                "enact": {
                    "number": "XL.1",
                    "title": "The ferry",
                    "prose": "Who lands on the fifth square pays 7 dollars and is ferried on to "
                    "the ninth.",
                    "parameters": {
                        "from_square": 5,
                        "to_square": 9,
                        "fare": {"value": 7, "unit": "dollars"},
                    },
                    "code": (
                        "def after_land(player, square):\n"
                        '    if get(square, "number") == from_square:\n'
                        '        fine(player, fare, "the ferry")\n'
                        '        move(player, find("square", to_square), "drive")\n'
                    ),
                }
            },
        ),
    ),
    Planned(
        2,
        "joining",
        "Who joins begins, and rules say with what",
        adopt=("II.1", "II.2", "III.1", "IV.1", "VI.2"),
    ),
    Planned(
        2,
        "owners",
        "Organizations can own squares, and the first of them is The Government",
        renumber=(
            ("VIII.4", "VIII.20"),
            ("VIII.3", "VIII.4"),
            ("VIII.2", "VIII.3"),
            ("VIII.1", "VIII.2"),
        ),
        adopt=("VIII.2", "X.1", "common-board", "VIII.3"),
    ),
    Planned(
        3,
        "money",
        "Whoever is fined pays The Government, and gifts take the place of deals",
        repeal=("VIII.20", "IV.4"),
        adopt=("IV.2", "IV.3", "IV.4", "VIII.1"),
    ),
    Planned(3, "posts", "What the admin does, in fewer words", adopt=("I.1", "I.2", "I.6")),
    Planned(
        4,
        "board",
        "Forty squares, with corners, directions and distances",
        repeal=("VI.3",),
        renumber=(("VI.4", "VI.3"),),
        adopt=("VI.1", "VI.3", "VI.4", "VI.5", "VI.8", *_numbers("XXIX", 1, 4)),
        anew=("VI.1",),
    ),
    Planned(
        5,
        "teams",
        "Four Teams, and Freemasons",
        adopt=("common-affiliation", "II.3", "II.6", "VI.6"),
        changes=tuple(
            {"set": {"player": player, "team": team}}
            for player, team in zip(
                PLAYERS, ("North", "South", "East", "West", "North"), strict=True
            )
        ),
    ),
    Planned(
        6,
        "colours",
        "Colours, The Corporation that paints, and rent in name",
        adopt=("XXIII.1", "XIII.1", "XIII.2", "XIII.3", "VIII.8", "V.4"),
        drafts={
            "V.4": (
                (
                    "a colour other than White and is neither a utility nor a\nStore.",
                    "a colour other than White.",
                ),
                (
                    'color_of(square) in (None, "White") or is_utility(square) or is_store(square)',
                    'color_of(square) in (None, "White")',
                ),
            )
        },
    ),
    Planned(
        7,
        "turns",
        "Turns as they should be: dice, doubles and the end of the board",
        repeal=("VIII.4", "I.3", "XL.1"),
        renumber=(("I.4", "I.3"), ("I.5", "I.4")),
        adopt=(
            *("common-pieces", "I.3", "I.4", "XXX.1", "XXXIV.1", *_numbers("VII", 1, 6)),
            *("VIII.4", "VIII.5"),
        ),
    ),
    Planned(
        8,
        "schedule",
        "One Update a week, and what proposals earn",
        renumber=(("IX.4", "IX.5"),),
        adopt=(
            *_numbers("XXXV", 1, 3),
            *_numbers("XXII", 1, 7, but=(5,)),
            *_numbers("IX", 1, 9),
            "I.5",
        ),
    ),
    Planned(
        8,
        "tefflon",
        "Tefflon keeps the colour of a square",
        adopt=("common-coatings", "XIII.9"),
    ),
    Planned(
        9,
        "government",
        "What belongs to The Government, and its auctions",
        adopt=(*_numbers("X", 2, 5), "X.7", "V.2"),
    ),
    Planned(
        9,
        "friends",
        "Best Friends",
        adopt=("II.4", "VIII.9", "VI.7"),
    ),
    Planned(
        10,
        "paint",
        "Paint of The Government, coatings, and taxes on colours",
        adopt=(*_numbers("XIII", 4, 13, but=(6, 9)), "VIII.6", "VIII.7", "XVI.1"),
    ),
    Planned(
        11,
        "gates",
        "Jumpgates and utilities",
        adopt=(
            *_numbers("XI", 1, 3),
            *("XII.1", "XII.2"),
        ),
    ),
    Planned(
        11,
        "fun",
        "The Lottery and The Carnival",
        adopt=(*_numbers("XIV", 1, 4), "XV.1", "XV.2", "XVI.2", "XVI.3"),
    ),
    Planned(
        12,
        "ruin",
        "Bankruptcy, and land for the poor",
        adopt=("II.5", "IV.5", "IV.6", "VIII.12", "VIII.13", "XXII.5"),
    ),
    Planned(
        12,
        "illness",
        "More ways to be ill",
        adopt=("common-pollution", *_numbers("XXX", 2, 6), "XVI.5", "V.3"),
    ),
    Planned(
        13,
        "candyland",
        "The Candyland Phase, and Duck's Double Dip",
        adopt=("XVII.1", "XVII.2", "XX.1"),
    ),
    Planned(
        13,
        "chains",
        "Chains, and dues for those who love trees",
        adopt=(
            *("common-burdens", *_numbers("XXXI", 1, 3), "XXXI.6", *_numbers("XXVIII", 1, 3)),
            *("X.6", "VIII.11"),
        ),
    ),
    Planned(
        12,
        "leaving",
        "Land for who comes, and what becomes of it when somebody leaves",
        adopt=("II.7", "II.8", "II.8.1", "II.8.3", "II.8.4", "II.8.5"),
    ),
    Planned(
        14,
        "destruction",
        "Squares can be destroyed, and given other names",
        adopt=(*_numbers("XVIII", 1, 5), "VIII.10"),
    ),
    Planned(
        14,
        "dearer-votes",
        "Voters pay 150 dollars",
        changes=(
            {
                "amend": "X.4",
                "prose": "A player may register to vote at any time by paying The Government 150 "
                "dollars.",
                "parameters": {"price": 150},
            },
        ),
    ),
    Planned(
        14,
        "winning",
        "Whoever meets all five conditions wins",
        adopt=("common-shares", "XXIII.4", "II.9", "III.2"),
        drafts={"III.2": (("at least two of these", "all five of these"),)},
        changes=({"amend": "III.2", "parameters": {"conditions_needed": 5}},),
    ),
    Planned(
        15,
        "products",
        "Stores, products, shares, and what all that is worth",
        adopt=(
            *("common-products", "common-ways", *_numbers("XIX", 1, 4)),
            *("XIX.6", "XIX.9", "XXIII.2", "XXIII.3", *_numbers("XXVI", 1, 5)),
            *("V.4", "V.5", "XXXIV.2"),
        ),
    ),
    Planned(
        16,
        "easy-moves",
        "Easy Moves, also for those who have no Chains",
        adopt=(
            *(*_numbers("XXI", 1, 6), "XXXI.4", "XXXI.5", "XXII.8"),
            *("XXXIV.4", "XXXIV.5", "XXXVII.1"),
        ),
    ),
    Planned(
        16,
        "estate",
        "Who leaves may leave it all to The Corporation",
        adopt=("II.8.2",),
    ),
    Planned(
        17,
        "pieces",
        "An elephant, and others who are no players",
        adopt=("XXXIII.1", "XXXIII.2", "XXXIII.5", "XIII.6", *_numbers("XXIV", 1, 3), "XXXIV.3"),
    ),
    Planned(
        17,
        "speeding",
        "Speeding costs 60 dollars at first",
        changes=(
            {
                "amend": "VII.4",
                "prose": "Whoever is speeding for the second turn in a row is fined 60 dollars, "
                "and 15 dollars more for each turn after that.\n*Reading:* the fine is due for "
                "each such turn, as it begins.",
                "parameters": {"fine_at_first": 60},
            },
        ),
    ),
    Planned(
        18,
        "no-candyland",
        "No Candyland any more, and votes at the old price",
        repeal=("XVII.1", "XVII.2"),
        adopt=("X.4",),
        is_simpler=True,
    ),
)
