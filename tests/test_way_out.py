"""The way out: whatever is in a ledger, commands that messages name make it a game again."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from poisons import (
    POISONS,
    UNLINKED,
    enact_unchecked,
    poison,
    random_rules,
    ruled,
)
from sound_commands import ok, run
from tiers import sample

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.events.rules import Enact
from nomoledger.game import sandboxed_engine
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox import fork_server, sandbox
from nomoledger.sandbox.fork_server import ForkServer
from nomoledger.sandbox.limits import Limits

LIMITS = Limits(memory_bytes=256 << 20, cpu_seconds=0.4, wall_seconds=8.0)
#: How many times messages are followed before a game must be played again.
ROUNDS_MAX = 8
NAMED = re.compile(r"(?:to mend it|to repeal rule \S+): (nomoledger .*)")
RANDOM = 24


@pytest.fixture(scope="module")
def clean_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game with Ann and Bob."""
    file = tmp_path_factory.mktemp("clean") / "g.db"
    for words in (
        ("init", str(file), "--rulebook", "mail-opening", "--set", "squares=9"),
        ("join", str(file), "Ann", "email=ann@example.org"),
        ("join", str(file), "Bob", "email=bob@example.org"),
    ):
        assert CliRunner().invoke(program, words).exit_code == 0
    return file


@pytest.fixture
def file(
    clean_file: Path, tmp_path: Path, strict_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The game in the current folder, with sandboxes of little time."""
    monkeypatch.setattr(fork_server, "current", lambda: strict_server)
    monkeypatch.setattr(sandbox, "Limits", lambda: LIMITS)
    monkeypatch.setattr(sandboxed_engine, "RERUN_LIMITS", LIMITS)
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(clean_file, "g.db"))


def find_the_way_out(file: str) -> list[str]:
    """Run the commands that messages name until everything works; return these commands."""
    done: list[str] = []
    for number in range(ROUNDS_MAX):
        results = [
            run("status", file),
            run("verify", file),
            run("join", file, f"Cid{number}", f"email=cid{number}@example.org"),
            run("close", file),
        ]
        printed = "".join(result.output for result in results)
        commands = [x for x in dict.fromkeys(NAMED.findall(printed)) if x not in done]
        if not commands and all(result.exit_code == 0 for result in results):
            return done
        assert commands, printed
        for command in commands:
            run(*shlex.split(command)[1:])
            done.append(command)
    raise AssertionError(f"no way out: {done}; {printed}")


def check_everything_works(file: str) -> None:
    ok("join", file, "Dora", "email=dora@example.org")
    ok("status", file)
    ok("log", file)
    ok("log", file, "--json")
    ok("close", file)
    ok("verify", file)
    with Ledger.open(file) as ledger:
        periods = [x.body.period for x in ledger.read("mail-opening") if _closes(x.body)]
    for period in periods:
        ok("replay", file, "--period", str(period))
    ok("export", file, "all.jsonl")
    ok("import", "copy.db", "all.jsonl")
    ok("verify", "copy.db")
    ok("publish", file, "site")


def _closes(body: e.Event) -> bool:
    return isinstance(body, e.PeriodClosed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(POISONS, 3))
def test_each_known_poison_has_a_way_out_that_messages_name(name: str, file: Path) -> None:
    poison(file, *POISONS[name])
    find_the_way_out(str(file))
    check_everything_works(str(file))


@pytest.mark.parametrize("name", sample(UNLINKED, 2))
def test_rules_that_cannot_be_linked_can_be_repealed(name: str, file: Path) -> None:
    enact_unchecked(file, *UNLINKED[name])
    refused = run("join", str(file), "Cid", "email=cid@example.org")
    assert refused.exit_code == 2
    assert NAMED.search(refused.output)
    commands = find_the_way_out(str(file))
    assert len(commands) == len(UNLINKED[name])
    ok("join", str(file), "Dora", "email=dora@example.org")
    ok("verify", str(file))
    ok("export", str(file), "all.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(RANDOM), 2))
def test_random_rules_have_a_way_out_that_messages_name(seed: int, file: Path) -> None:
    poison(file, *(ruled(Enact(rule)) for rule in random_rules(seed)))
    run("propose", str(file), "Ann", "Something.")
    run("judge", str(file), "1", "accepted")
    find_the_way_out(str(file))
    check_everything_works(str(file))
