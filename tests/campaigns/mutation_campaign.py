"""Campaign: files of every kind that nomoledger reads, mutated at random, given to their readers.

python tests/campaigns/mutation_campaign.py --each 2000            # 2000 mutated files of each kind
python tests/campaigns/mutation_campaign.py --kind record --seed 7 --each 1   # one of them again

SIGTERM ends a run early, with the counts so far.

A mutated file is refused with one line, or accepted; a ledger that is accepted must verify, and
every command must be able to show it. Anything else is a failure, and is printed with its seed.
"""

import argparse
import io
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1]))

from mutations import Mutator, rewrite
from proof.plots import played

from nomoledger.cli import program
from nomoledger.cli.change_options import read_changes_file
from nomoledger.errors import NomoledgerError
from nomoledger.game.computed_evidence import read_what_if
from nomoledger.game.counterfactual import SavedWhatIf, WhatIfChanges
from nomoledger.game.counterfactual import what_if as play_again
from nomoledger.game.exchange import export_ledger, import_ledger
from nomoledger.game.records import import_record
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.proof.disclosure import disclose_event, find_refutation, read_disclosure
from nomoledger.proof.public_check import check_export
from nomoledger.proof.public_export import export_public
from nomoledger.proof.seal import decode_seal
from nomoledger.proof.signing import read_signer
from nomoledger.rulebook.cases import load_cases
from nomoledger.rulebook.loading import load

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
#: A reader that takes longer has hung.
SECONDS_MAX = 30
#: Every command that shows a ledger; the words after the ledger.
SHOWN = (
    "verify", "status", "standings --all", "standings --json", "board", "balances", "state",
    "history --admin", "history", "log --admin", "log --json", "rulings --admin", "rules log",
    "dispute list", "provisional standings", "export /dev/null --public",
    "export /dev/null --format csv", "replay",
)  # fmt: skip
KEY = b"""-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END PRIVATE KEY-----
"""
#: Reads a file; whether it is accepted. Raises NomoledgerError if not.
Reader = Callable[[Path], bool]


class Unsound(AssertionError):
    """A file was accepted, and something is wrong with it."""


class Slow(AssertionError):
    """A reader took too long."""


class Stopped(BaseException):
    """SIGTERM: commands handle a KeyboardInterrupt themselves, but not this."""


class Originals:
    """Sound files of every kind, by name of the kind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, list[bytes]] = {
            "cases": [path.read_bytes() for path in (REPOSITORY / "tests/cases").rglob("*.yaml")],
            "changes": [_changes()],
            "key": [KEY],
            "record": [_record(name, folder) for name in ("origon-week1", "weekly-vote-season")],
            "rulebook": [(REPOSITORY / "tests/rulebooks/proof.md").read_bytes()],
        }
        plots = folder / "plots.db"
        with Ledger.open(played(plots)) as ledger:
            self._of_ledger(ledger)
            self._proofs(ledger)
        self.files["database"] = [plots.read_bytes()]
        with Ledger(MemoryStore()) as ledger:
            simulate(ledger, "mail-opening", Plan(players=2, periods=2, requests=3))
            self._of_ledger(ledger)

    def _of_ledger(self, ledger: Ledger) -> None:
        (name,), file, public = ledger.games(), io.BytesIO(), io.BytesIO()
        export_ledger(ledger, file)
        export_public(ledger, name, public)
        self.files.setdefault("ledger", []).append(file.getvalue())
        self.files.setdefault("public", []).append(public.getvalue())

    def _proofs(self, ledger: Ledger) -> None:
        (name,) = ledger.games()
        seals = [seal for _, _, seal in ledger.store.seals(name)]
        sealed = next(x for x in ledger.read(name) if x.body.audience and x.body.period == 1)
        opened = disclose_event(ledger, name, sealed.number)
        changed = WhatIfChanges(rules=None, since=1)
        result = play_again(ledger, name, changed)
        fields = {name: getattr(result, name) for name in result.__struct_fields__}
        self.seal = decode_seal(seals[0], "seal")
        self.game = name
        self.files["seal"] = seals
        self.files["disclosure"] = [opened.encoded()]
        self.files["what-if"] = [
            json.dumps(
                json.loads(_encoded(SavedWhatIf(**fields, changes=changed))), indent=2
            ).encode()
        ]


def _encoded(value: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(value, enc_hook=str)


def _record(name: str, folder: Path) -> bytes:
    """Return the record called *name*; the files that it names are put into *folder*."""
    beside = REPOSITORY / "replays" / name
    if beside.is_dir():
        shutil.copytree(beside, folder / name)
    return beside.with_suffix(".jsonl").read_bytes()


def _changes() -> bytes:
    return b"""- amend: VIII.3
  parameters: {days_open: 10}
- enact:
    number: X.1
    title: Prizes
    prose: A prize for each landing.
    code: |
      def after_land(player, square):
          award(player, 5)
- repeal: VII.2
- renumber: IX.4
  to: IX.9
- do: paint
  with: {square: 3, color: red}
"""


# --- readers ------------------------------------------------------------------------------------


def readers(originals: Originals) -> dict[str, Reader]:
    """Return the reader of each kind of file."""
    return {
        "cases": lambda path: bool(load_cases(path)),
        "changes": lambda path: bool(read_changes_file(str(path))),
        "database": _database,
        "disclosure": lambda path: _disclosure(path, originals),
        "key": lambda path: bool(read_signer(path).public),
        "ledger": _ledger,
        "public": lambda path: check_export(path).ok,
        "record": _import_record,
        "rulebook": lambda path: bool(load(str(path)).rules),
        "seal": lambda path: bool(decode_seal(path.read_bytes(), "seal").digest),
        "what-if": lambda path: _what_if(path, originals),
    }


def _ledger(path: Path) -> bool:
    with Ledger(MemoryStore()) as ledger, path.open("rb") as file:
        import_ledger(ledger, file)
    _show(path.with_name("accepted.db"), "import", str(path))
    return True


def _database(path: Path) -> bool:
    return _run("verify", str(path)).exit_code == 0 and not _show(path)


def _import_record(path: Path) -> bool:
    with Ledger(MemoryStore()) as ledger:
        game = import_record(ledger, path)
        if not ledger.verify(game.name).ok:
            raise Unsound("a record was imported and does not verify")
    return True


def _disclosure(path: Path, originals: Originals) -> bool:
    disclosure = read_disclosure(path)
    if find_refutation(disclosure, originals.seal) is not None:
        return False
    if disclosure.body != read_disclosure(originals.folder / "disclosure").body:
        raise Unsound("another event is proved")
    return True


def _what_if(path: Path, originals: Originals) -> bool:
    read_what_if(path.read_bytes(), originals.game)
    return True


def _show(file: Path, *first: str) -> int:
    """Run every command that shows the ledger *file*, after the command *first*."""
    file.unlink(missing_ok=True) if first else None
    if first and _run(first[0], str(file), *first[1:]).exit_code:
        raise Unsound("the command refuses what the library accepts")
    for words in SHOWN:
        name, *rest = words.split()
        more = [rest.pop(0)] if name in ("dispute", "rules") else []
        result = _run(name, *more, str(file), *rest)
        if name == "verify" and result.exit_code:
            raise Unsound(f"accepted, and does not verify: {result.output}")
    return 0


def _run(*words: str) -> Any:
    result = CliRunner().invoke(program, words)
    if not isinstance(result.exception, SystemExit | None):
        raise Unsound(f"{words[0]}: {result.exception!r}")
    if "Traceback" in result.output or "this is a bug" in result.output:
        raise Unsound(f"{' '.join(words)}: {result.output[:300]}")
    if result.exit_code == 2 and result.stderr.count("\n") != 1:
        raise Unsound(f"{' '.join(words)}: not one line: {result.stderr[:300]}")
    return result


# --- the campaign -------------------------------------------------------------------------------


def try_one(originals: Originals, kind: str, seed: int) -> str:
    """Give one mutated file to its reader; return "accepted", "refused" or "unchanged".

    Raises:
        Exception: the reader failed in another way.
    """
    chance = random.Random(f"{kind} {seed}")
    original = chance.choice(originals.files[kind])
    mutator = Mutator(chance, originals.files)
    data = mutator.mutated(kind, original)
    if kind == "ledger" and chance.random() < 0.75:
        data = rewrite(data, chance)
    if data == original:
        return "unchanged"
    path = originals.folder / f"mutated-{kind}"
    path.write_bytes(data)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    try:
        with _limit():
            return "accepted" if readers(originals)[kind](path) else "refused"
    except (NomoledgerError, OSError, click.ClickException) as error:
        if isinstance(error, Slow) or "\n" in str(error).strip():
            raise
        return "refused"


@contextmanager
def _limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Slow(f"not done after {SECONDS_MAX} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS_MAX)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def made(folder: Path) -> Originals:
    """Make the sound files in *folder*."""
    originals = Originals(folder)
    (folder / "disclosure").write_bytes(originals.files["disclosure"][0])
    return originals


def stop(*_: object) -> None:
    """End the run."""
    raise Stopped


def main() -> None:
    """Try the mutations asked for; print the counts of each kind, and failures with their seeds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=200, help="mutated files of each kind")
    parser.add_argument("--kind", action="append", help="only this kind; may be repeated")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    failed = 0
    with suppress(Stopped), tempfile.TemporaryDirectory() as name:
        originals = made(Path(name))
        for kind in options.kind or sorted(originals.files):
            failed += tried(originals, kind, range(options.seed, options.seed + options.each))
    sys.exit(failed > 0)


def tried(originals: Originals, kind: str, seeds: range) -> int:
    """Try the mutation of each seed; print the counts, and return how many failed."""
    counts: Counter[str] = Counter()
    begun = time.monotonic()
    try:
        for seed in seeds:
            try:
                counts[try_one(originals, kind, seed)] += 1
            except Exception as error:
                counts["failed"] += 1
                print(f"  {kind} {seed}: {error!r:.300}", flush=True)
    finally:
        found = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
        files = f"{counts.total()} files from seed {seeds.start}"
        print(f"{kind}, {files}: {found} ({time.monotonic() - begun:.0f} s)", flush=True)
    return counts["failed"]


if __name__ == "__main__":
    main()
