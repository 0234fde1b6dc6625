"""The hash chain: its documented formula, its rows, and the text form of heads."""

import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nomoledger.errors import UsageError
from nomoledger.ledger.chain import (
    SHARED,
    Head,
    commit,
    first_number,
    hash_records,
    hash_within,
    link,
    make_chain_rows,
    origin,
    row_commitments,
    salt,
)


def eight(number: int) -> bytes:
    return number.to_bytes(8, "big")


def test_the_formula_of_the_documentation() -> None:
    salt_3 = hmac.new(b"secret", b"salt" + eight(3), "sha256").digest()
    commitment = sha256(salt_3 + eight(8) + b"posted/1" + eight(5) + b"state").digest()
    first = sha256(b"nomoledger/1" + "Fußball".encode()).digest()

    assert salt(b"secret", 3) == salt_3
    assert commit(b"secret", 3, b"posted/1", b"state") == commitment
    assert origin("Fußball") == first
    assert (
        link(first, 3, commitment)
        == sha256(b"nomoledger/1" + first + eight(3) + commitment).digest()
    )


def test_a_commitment_distinguishes_topic_and_state() -> None:
    assert commit(b"s", 0, b"ab", b"c") != commit(b"s", 0, b"a", b"bc")


@given(
    st.binary(min_size=1, max_size=80),
    st.integers(min_value=0, max_value=2**60),
    st.lists(st.tuples(st.sampled_from(["posted/1", "ärger/9", ""]), st.binary(max_size=99))),
)
def test_chaining_many_records_equals_chaining_them_one_by_one(
    secret: bytes, first: int, records: list[tuple[str, bytes]]
) -> None:
    rows = [(number, *record) for number, record in enumerate(records, first)]
    last, expected = origin("chess"), []
    for number, topic, state in rows:
        commitment = commit(secret, number, topic.encode(), state)
        last = link(last, number, commitment)
        expected.append((commitment, last))
    commitments, hashes = hash_records(secret, origin("chess"), rows)
    assert list(zip(commitments, hashes, strict=True)) == expected


@given(st.integers(0, 99), st.integers(1, 3 * SHARED))
def test_a_row_gives_the_hash_of_each_record_it_covers(first: int, count: int) -> None:
    before = origin("chess")
    commitments = [sha256(eight(each)).digest() for each in range(count)]
    hashes, last = [], before
    for number, commitment in enumerate(commitments, first):
        last = link(last, number, commitment)
        hashes.append(last)
    rows = make_chain_rows(first, commitments, hashes)
    assert [each for row in rows for each in row_commitments(row)] == commitments
    for row in rows:
        upto = row[0] - first + 1
        assert first_number(row) == row[0] - (len(row[1]) // 32) + 1
        for number in range(first_number(row), row[0] + 1):
            assert hash_within(row, before, number) == hashes[number - first]
        assert row[2] == hashes[upto - 1]
        before = row[2]
    assert [len(row[1]) // 32 for row in rows[:-1]] == [SHARED] * (len(rows) - 1)


@given(st.integers(min_value=-1, max_value=2**40), st.binary(min_size=32, max_size=32))
def test_a_head_survives_formatting_and_parsing(number: int, digest: bytes) -> None:
    head = Head(number, digest.hex())
    assert Head.parse(str(head)) == head
    assert Head.parse(f" {head}\n") == head


@pytest.mark.parametrize(
    "text",
    [
        "",
        "41",
        "41:",
        "41:ab",
        ":" + 64 * "a",
        "x:" + 64 * "a",
        "1:" + 64 * "g",
        "-2:" + 64 * "a",
        "1:" + 66 * "a",
        "1:" + 64 * "a" + ":",
        "1_0:" + 64 * "a",
        "1:" + 32 * "a ",
        "1" * 5000 + ":" + 64 * "a",
    ],
)
def test_a_malformed_head_is_refused_with_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"^not a head: .*expected") as refusal:
        Head.parse(text)
    assert "\n" not in str(refusal.value)
