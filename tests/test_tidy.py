"""The shape of the tree: sizes, forbidden imports, and an engine that knows no single game."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PROJECTIONS = sorted((ROOT / "projections").rglob("*.py"))

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70

#: What the five games call their own things. Left out are words that are also plain words of our
#: trade (store, head, public, picture, names, limits, refused, default, option, issue).
TERMS = """
Abstain; Accuser; Air Freshener; Akuma; All-Nighter; Ankh; Anti-Missile Gun; Bad Credit Rating;
Bail; Banana; Bank Account; Bank of Nomopoly; Best Friend; Better Disguise Kit; Big Fart; Big Mac;
Big Wheel; Blob; Blockbuster; Body Suit; Bomb; Bork; Brick; Bubble; Carnival; Chains; Charity;
Chili Mart; Clogs; Co-owner; Corporate Player; Corporation; Dark Cookie; Dark Cookie Monster;
De-Greaser; Demolitionville; Dirty Bubble; Disguise; Disguise Kit; Disruptor; Donut; Double Dip;
Drain; Dues; Easy Move; Elephant; Explosive Insurance; Extra Die; Extra Dice; Eye Opener; Faith;
Fake Vomit; Fancy Ketchup; Fireball; First Aid Kit; Flame Thrower; Fountain; Freemason; Freshener;
Geppetto; GIPPer; Giveaway Queue; Glue; Government; Grab Bag; Grease; Gremlins; Hat; Healer;
Heaven; Homestead; Hospital; Hot Potato; Hurt; Ignite; Impersonator; Inferno; Jetpack; Jumpgate;
Kazoo; Large Factory; Latex; Light Cookie; Lodge; Lottery; Lucky Donut; Magic Kazoo; Missile;
Mitt; Narf; National Park; Net Value; Net Worth; Nuclear; Origon; Orange Blob; Oven; Oven Mitt;
Paint Gun; Paint Thinner; Parallel Universe; Patent; Phantom Piece; Poison Donut; Politician;
Pollutant; Poorbox; Property Tax; Public Property; Quijibo; Radar Detector; Real Estate Guide;
REG; Registered Voter; Resort; Robotic Jetpack; Rocket Sled; Roller Skates; Rusty; Salve; Savings
and Loan; SBA; Scammer; Sick; Skates; Sled; Sneeze; Souvenir; Spacetime; Spell Book; Sprinkles;
Surgeon Suit; Swiss; Taxi Driver; Tefflon; Teleport; Tenshi; Thief; Time Bomb; TISSSG; Tornado;
Tractor Beam; TSMSG; Universe; Utility; Vault; Victim; Warp Bubble; Warp Gate; Watertower; WETHA;
WMD Shop; Wormhole; Worrier; Wretch; YBC; Yellow Bus; Zoo
"""


def engine_files() -> list[Path]:
    return [path for path in SOURCES if "shipped" not in path.parts]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_the_engine_knows_no_single_game() -> None:
    terms = [term.strip() for term in TERMS.replace("\n", " ").split(";")]
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, terms)) + r")s?\b")
    found = [
        f"{path.name}: {match[0]}"
        for path in engine_files()
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("path", [*SOURCES, *PROJECTIONS], ids=lambda path: path.name)
def test_files_and_functions_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LINES_MAX
    assert [each for each in functions(path) if each[1] > FUNCTION_LINES_MAX] == []


def test_names_of_classes_and_modules_are_used_once() -> None:
    """A name leads to one place. Packages may share the name of a module, as `game/game.py`."""
    modules = [path.stem for path in (*SOURCES, *PROJECTIONS) if path.stem != "__init__"]
    assert twice(modules) == []
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (*SOURCES, *PROJECTIONS)]
    classes = [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    assert twice(classes) == []


def twice(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def test_the_package_has_few_entries_at_the_top() -> None:
    entries = [path for path in (ROOT / "src" / "nomoledger").iterdir() if path.name[:2] != "__"]
    assert len(entries) <= 19, "the layers of ARCHITECTURE.md, and errors.py"


def test_projections_are_imported_by_their_package_name() -> None:
    pattern = re.compile(r"^\s*(from|import) projections\b", re.MULTILINE)
    files = [*SOURCES, *PROJECTIONS, *(ROOT / "tests").rglob("*.py")]
    assert [p for p in files if pattern.search(p.read_text(encoding="utf-8"))] == []


PURE = ("events", "state", "language", "engine", "prose")


def test_pure_packages_touch_neither_clock_nor_disk() -> None:
    package = ROOT / "src" / "nomoledger"
    for path in (path for name in PURE for path in (package / name).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {
            alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert not modules & {"os", "time", "random", "secrets", "pathlib", "sqlite3"}, path
