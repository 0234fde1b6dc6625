"""The sandbox: what it may not do, how it dies, and what stays of an attempt: nothing."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sandboxed

from nomoledger.errors import RuleFault, SandboxError, UsageError
from nomoledger.events import FactRecorded
from nomoledger.events.codec import encode
from nomoledger.sandbox import fork_server
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.protocol import decode_error, dump_call, encode_error, load_call
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.sandbox.sandbox import Sandbox, call_in_sandbox, stream_from_sandbox

ONLY_ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do this")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SHORT = Limits(memory_bytes=256 << 20, cpu_seconds=0.5, wall_seconds=3.0)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(SHORT)
    yield sandbox
    sandbox.close()


def has_ended(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(500):
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


# --- calls ----------------------------------------------------------------------------------------


def test_calls_come_to_the_same_warm_process(sandbox: Sandbox) -> None:
    assert not sandbox.is_warm
    first = sandbox.call(sandboxed.pid, kind=int)
    assert sandbox.is_warm
    assert first == sandbox.call(sandboxed.pid, kind=int) != os.getpid()


def test_pieces_come_one_by_one(sandbox: Sandbox) -> None:
    assert list(sandbox.stream(sandboxed.pieces, 3)) == [b"0", b"1", b"2"]
    assert sandbox.is_warm


def test_a_result_is_checked_against_its_kind(sandbox: Sandbox) -> None:
    with pytest.raises(RuleFault, match="unreadable"):
        sandbox.call(sandboxed.echo, "text", kind=int)


def test_a_large_result_comes_whole(sandbox: Sandbox) -> None:
    text = "x" * (1 << 22)
    assert sandbox.call(sandboxed.echo, text, kind=str) == text


def test_a_sandbox_asks_its_parent_in_the_middle_of_a_call(sandbox: Sandbox) -> None:
    answer: Callable[[bytes], bytes] = bytes.upper
    assert list(sandbox.stream(sandboxed.ask_twice, b"why", answer=answer)) == [b"WHYAND WHY"]


def test_large_answers_come_whole(sandbox: Sandbox) -> None:
    (piece,) = sandbox.stream(sandboxed.ask_twice, b"one", answer=lambda question: b"x" * 3_000_000)
    assert len(piece) == 6_000_000


def test_an_error_of_the_one_who_answers_is_raised_as_it_is(sandbox: Sandbox) -> None:
    def answer(question: bytes) -> bytes:
        raise KeyError(question)

    with pytest.raises(KeyError):
        list(sandbox.stream(sandboxed.ask_twice, b"one", answer=answer))
    assert not sandbox.is_warm


@pytest.mark.slow
def test_a_sandbox_that_dies_after_an_answer_is_a_fault(sandbox: Sandbox) -> None:
    with pytest.raises(RuleFault, match="processor time"):
        list(sandbox.stream(sandboxed.ask_and_spin, answer=lambda question: b""))


def test_events_that_were_sent_are_encoded_as_before() -> None:
    event = FactRecorded(
        id="f", kind="land", period=1, received_at=NOON,
        recorded_at=NOON, fields={"square": 3},
    )  # fmt: skip
    function, (sent,) = load_call(dump_call(sandboxed.echo, (event,))[0])
    assert function is sandboxed.echo
    assert (sent, encode(sent)) == (event, encode(event))


def test_a_request_that_makes_no_sense_does_not_cost_the_sandbox(sandbox: Sandbox) -> None:
    before = sandbox.call(sandboxed.pid, kind=int)
    with pytest.raises(UsageError, match="no such action"):
        sandbox.call(sandboxed.refuse, "no such action", kind=None)
    assert sandbox.call(sandboxed.pid, kind=int) == before


# --- thrown away ----------------------------------------------------------------------------------


def test_after_a_fault_there_is_another_sandbox(sandbox: Sandbox) -> None:
    before = sandbox.call(sandboxed.pid, kind=int)
    with pytest.raises(RuleFault, match="rule V: no") as fault:
        sandbox.call(sandboxed.fault, "V", kind=None)
    assert fault.value.rule == "V"
    assert not sandbox.is_warm
    assert has_ended(before)
    assert sandbox.call(sandboxed.pid, kind=int) != before


def test_a_bug_in_a_sandbox_shows_where_it_is(sandbox: Sandbox) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)sandboxed\.py.*KeyError: 'what'"):
        sandbox.call(sandboxed.bug, kind=None)


def test_endless_recursion_is_a_fault(sandbox: Sandbox) -> None:
    with pytest.raises(RuleFault, match="nest too deeply"):
        sandbox.call(sandboxed.recurse, kind=None)


def test_who_does_not_take_all_pieces_gets_another_sandbox(sandbox: Sandbox) -> None:
    before = sandbox.call(sandboxed.pid, kind=int)
    stream = sandbox.stream(sandboxed.pieces, 3)
    assert next(stream) == b"0"
    stream.close()
    assert sandbox.call(sandboxed.pid, kind=int) != before
    assert list(sandbox.stream(sandboxed.pieces, 2)) == [b"0", b"1"]


def test_nothing_that_a_sandbox_leaves_behind_reaches_the_next_one() -> None:
    assert call_in_sandbox(sandboxed.leave, "a", kind=list[str]) == ["a"]
    assert call_in_sandbox(sandboxed.leave, "b", kind=list[str]) == ["b"]


@pytest.mark.slow
def test_a_sandbox_that_has_grown_is_replaced(sandbox: Sandbox) -> None:
    sandbox.call(sandboxed.use_memory, 10 << 20, kind=int)
    assert sandbox.is_warm
    sandbox.call(sandboxed.use_memory, 200 << 20, kind=int)
    assert not sandbox.is_warm


def test_a_sandbox_ends_with_its_object() -> None:
    sandbox = Sandbox()
    pid = sandbox.call(sandboxed.pid, kind=int)
    del sandbox
    gc.collect()
    assert has_ended(pid)


# --- deaths ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "why"),
    [
        (sandboxed.abort_in_rule, "it used up its memory"),
        (sandboxed.crash_in_rule, "it nested too deeply, or ran out of memory"),
        (sandboxed.spin_in_rule, "it used up its processor time"),
    ],
)
def test_a_death_names_the_last_rule(
    sandbox: Sandbox, work: Callable[[], Iterator[bytes]], why: str
) -> None:
    stream = sandbox.stream(work)
    assert next(stream) == b"piece"
    with pytest.raises(RuleFault, match=rf"^rule IV\.2: {why}") as fault:
        next(stream)
    assert fault.value.rule == "IV.2"
    assert sandbox.call(sandboxed.echo, 1, kind=int) == 1


def test_a_question_is_put_to_a_fresh_sandbox_if_a_warm_one_fails() -> None:
    sandbox = QuestionSandbox(SHORT)
    os.kill(sandbox.call(sandboxed.pid, kind=int), signal.SIGKILL)
    assert sandbox.call(sandboxed.echo, 1, kind=int) == 1
    sandbox.close()
    with pytest.raises(RuleFault):
        sandbox.call(sandboxed.recurse, kind=int)


def test_a_sandbox_for_questions_that_lacks_a_module_is_replaced_once() -> None:
    sandbox = QuestionSandbox(SHORT)
    first = sandbox.call(os.getpid, kind=int)
    second = sandbox.call(sandboxed.pid, kind=int)
    assert first != second
    assert sandbox.call(os.getpid, kind=int) == second
    sandbox.close()


@ONLY_ON_LINUX
def test_memory_is_limited() -> None:
    sandbox = Sandbox(Limits(memory_bytes=128 << 20))  # with time enough to use it up
    stream = sandbox.stream(sandboxed.grow_in_rule)
    assert next(stream) == b"piece"
    with pytest.raises(RuleFault, match="memory"):
        next(stream)


def test_time_by_the_clock_is_limited() -> None:
    sandbox = Sandbox(Limits(wall_seconds=0.2))
    with pytest.raises(RuleFault, match="took too long"):
        list(sandbox.stream(sandboxed.spin_in_rule))
    sandbox.close()


def test_a_sandbox_that_is_killed_between_calls_is_a_fault_and_then_replaced(
    sandbox: Sandbox,
) -> None:
    os.kill(sandbox.call(sandboxed.pid, kind=int), signal.SIGKILL)
    with pytest.raises(RuleFault, match="it was killed"):
        sandbox.call(sandboxed.pid, kind=int)
    assert sandbox.call(sandboxed.echo, 1, kind=int) == 1


def test_an_error_of_a_private_kind_comes_back_as_the_public_one() -> None:
    found = decode_error(encode_error(fork_server.DeadForkServerError("it died")))
    assert (type(found), str(found)) == (SandboxError, "it died")


def test_a_fork_server_that_is_killed_is_replaced() -> None:
    process = fork_server.current()._process
    assert process is not None
    assert call_in_sandbox(sandboxed.echo, 1, kind=int) == 1
    process.kill()
    process.wait()
    assert call_in_sandbox(sandboxed.echo, 2, kind=int) == 2


@pytest.mark.parametrize("last_words", ["os.abort()", "os.write(2, b'last words')"])
def test_a_sandbox_prints_nothing(tmp_path: Path, last_words: str) -> None:
    (tmp_path / "words.py").write_text(
        f"import os\ndef last():\n    {last_words}\n    yield b''\n", encoding="utf-8"
    )
    code = (
        "import contextlib, faulthandler, words\n"
        "from nomoledger.errors import RuleFault\n"
        "from nomoledger.sandbox.sandbox import stream_from_sandbox\n"
        "faulthandler.enable()\n"
        "with contextlib.suppress(RuleFault):\n"
        "    list(stream_from_sandbox(words.last))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == (b"", b"")


@ONLY_ON_LINUX
def test_a_sandbox_does_not_outlive_its_parent(tmp_path: Path) -> None:
    (tmp_path / "spinning.py").write_text(
        "import os\ndef spin():\n    yield str(os.getpid()).encode()\n    while True: pass\n"
    )
    code = (
        "import spinning\n"
        "from nomoledger.sandbox.sandbox import stream_from_sandbox\n"
        "for piece in stream_from_sandbox(spinning.spin): print(piece.decode(), flush=True)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert has_ended(pid)


def test_a_module_that_is_not_there_is_an_error_of_that_call_alone(sandbox: Sandbox) -> None:
    pid = sandbox.call(sandboxed.pid, kind=int)
    with pytest.raises(SandboxError, match="no sandbox can be started: ModuleNotFoundError"):
        Sandbox(modules=["nomoledger.nowhere"]).call(sandboxed.pid, kind=int)
    assert sandbox.call(sandboxed.pid, kind=int) == pid


def test_a_sandbox_does_not_know_the_secrets_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGPASSWORD", "hush")
    server = fork_server.ForkServer.start()
    monkeypatch.setattr(fork_server, "current", lambda: server)
    variables = call_in_sandbox(sandboxed.environment, kind=dict[str, str])
    assert "PATH" in variables
    assert "PGPASSWORD" not in variables
    server.close()


# --- rights ---------------------------------------------------------------------------------------


@ONLY_ON_LINUX
def test_a_sandbox_may_only_compute(sandbox: Sandbox) -> None:
    tried = sandbox.call(sandboxed.attempts, kind=dict[str, str])
    assert set(tried.values()) == {"PermissionError"}, tried


def test_a_sandbox_has_one_socket_and_what_leads_nowhere(sandbox: Sandbox, tmp_path: Path) -> None:
    with open(tmp_path / "secret", "w") as secret:
        os.set_inheritable(secret.fileno(), True)
        assert len(sandbox.call(sandboxed.open_descriptors, kind=list[int])) == 4


@ONLY_ON_LINUX
def test_a_sandbox_gains_no_privileges(sandbox: Sandbox) -> None:
    pid = sandbox.call(sandboxed.pid, kind=int)
    status = Path(f"/proc/{pid}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    assert "Seccomp:\t2" in status


# --- threads --------------------------------------------------------------------------------------


def test_threads_share_a_fork_server_and_never_fork() -> None:
    def work(number: int) -> int:
        sandbox = Sandbox()
        total = 0
        for _ in range(20):
            total += sandbox.call(sandboxed.echo, number, kind=int)
        sandbox.close()
        return total

    forked: list[int] = []
    os.register_at_fork(before=lambda: forked.append(threading.get_ident()))
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(work, range(40))) == [20 * number for number in range(40)]
    assert forked == []


def test_a_stream_of_its_own_ends_with_its_sandbox() -> None:
    assert list(stream_from_sandbox(sandboxed.pieces, 2)) == [b"0", b"1"]
