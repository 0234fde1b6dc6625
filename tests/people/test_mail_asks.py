"""Asking to sign in by mail: what proves that a browser belongs to a reader of the mail."""

import threading
from collections.abc import Iterator

import pytest
from watch import Watch

from nomoledger.errors import UsageError
from nomoledger.people.database import PeopleDatabase, open_people
from nomoledger.people.mail_asks import (
    ASK_SECONDS,
    CODE_LENGTH,
    CODE_SIGNS,
    DAY,
    MAILS_A_DAY,
    MAILS_AT_ONCE,
    TRIES_MAX,
    AskedMail,
    MailAsks,
    Person,
    token_from,
)
from nomoledger.people.sign_in import Session, SignIn
from nomoledger.people.visit import Visit

HERE = Visit("Firefox 140 on Linux", "203.0.113.0/24")
ANN = Person("mail", "Ann")
ADDRESS = "ann@example.org"
#: What is told apart by no database is tried in a file only.
in_a_file = pytest.mark.parametrize("location", ["sqlite"], indirect=True)


@pytest.fixture
def watch() -> Watch:
    return Watch(1_800_000_000.0)


@pytest.fixture
def people(location: str) -> Iterator[PeopleDatabase]:
    database = open_people(location)
    yield database
    database.close()


@pytest.fixture
def sign_in(people: PeopleDatabase, watch: Watch) -> SignIn:
    made = SignIn(people, watch)
    made.note_address("mail", "Ann", "Ann@example.org")
    return made


@pytest.fixture
def asks(people: PeopleDatabase, sign_in: SignIn, watch: Watch) -> MailAsks:
    return MailAsks(people, sign_in, watch)


def asked(asks: MailAsks, token: str = "browser", game: str = "") -> AskedMail:
    mail = asks.ask(token, ADDRESS, game)
    assert mail is not None
    return mail


def enter(asks: MailAsks, token: str, person: Person = ANN) -> str:
    return asks.enter(token, person, HERE, nobody)


def nobody(game: str) -> Session | None:
    return None


def wrong(code: str) -> str:
    return code[:-1] + ("2" if code[-1] != "2" else "3")


def test_code_and_link_sign_in_once_where_the_mail_was_asked_for(
    asks: MailAsks, sign_in: SignIn, people: PeopleDatabase
) -> None:
    first, second = asked(asks, "a"), asked(asks, "b")
    assert first.to == "Ann@example.org"
    assert len(first.code) == CODE_LENGTH
    assert set(first.code) <= set(CODE_SIGNS)
    assert not set("01ILOU") & set(CODE_SIGNS)
    for token in ("b", "", "other"):  # The browser of somebody else.
        with pytest.raises(UsageError, match="another browser"):
            asks.prove_by_link(token, first.link)
    assert asks.prove_by_code("b", first.code) == ()
    with pytest.raises(UsageError):  # Nothing is proved yet.
        enter(asks, "a")
    written = f" {first.code[:4].lower()}-{first.code[4:]} "
    assert asks.prove_by_code("a", written) == (ANN,)
    assert asks.prove_by_link("b", second.link) == (ANN,)
    for token, mail in (("a", first), ("b", second)):
        session = sign_in.session(enter(asks, token))
        assert session is not None
        assert (session.game, session.reader) == ("mail", "Ann")
        assert (asks.ask_of(token), asks.link_of(token, mail.link)) == (None, None)
        with pytest.raises(UsageError, match="was used"):
            asks.prove_by_link(token, mail.link)
        with pytest.raises(UsageError, match="was used"):
            asks.prove_by_code(token, mail.code)
        with pytest.raises(UsageError, match="was used"):
            enter(asks, token)
    assert {entry.way for entry in sign_in.record.of("mail", "Ann")} == {"mail"}
    with people.transaction() as connection:
        kept = str(connection.execute("SELECT * FROM mail_asks").fetchall())
    for secret in (first.code, first.link, second.code, second.link, ADDRESS, "Ann@"):
        assert secret not in kept


@in_a_file
def test_looking_at_a_link_uses_nothing_up_and_tells_another_browser_nothing(
    asks: MailAsks,
) -> None:
    mail = asked(asks)
    for _ in range(3):
        here, elsewhere = asks.link_of("browser", mail.link), asks.link_of("other", mail.link)
        assert here is not None
        assert elsewhere is not None
        assert (here.is_here, here.people) == (True, (ANN,))
        assert (elsewhere.is_here, elsewhere.people) == (False, ())
    assert asks.prove_by_link("browser", mail.link) == (ANN,)


@in_a_file
def test_five_codes_may_be_tried_and_the_link_still_works(asks: MailAsks) -> None:
    mail = asked(asks)
    assert [asks.prove_by_code("browser", wrong(mail.code)) for _ in range(TRIES_MAX)] == [()] * 5
    with pytest.raises(UsageError, match="too many codes"):
        asks.prove_by_code("browser", mail.code)
    assert asks.prove_by_link("browser", mail.link) == (ANN,)


def test_of_many_codes_at_once_five_are_tried(asks: MailAsks) -> None:
    mail, answers = asked(asks), list[object]()

    def guess() -> None:
        try:
            answers.append(asks.prove_by_code("browser", wrong(mail.code)))
        except UsageError as error:
            answers.append(str(error))

    threads = [threading.Thread(target=guess) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count(()) == TRIES_MAX
    assert len(answers) == 12


@in_a_file
def test_a_mail_works_for_a_quarter_of_an_hour(asks: MailAsks, watch: Watch) -> None:
    mail = asked(asks)
    assert mail.until == watch.now + ASK_SECONDS
    watch.now += ASK_SECONDS + 1
    assert asks.ask_of("browser") is None
    for prove in (asks.prove_by_code, asks.prove_by_link):
        with pytest.raises(UsageError, match="took too long"):
            prove("browser", mail.code if prove == asks.prove_by_code else mail.link)


def test_one_address_gets_few_mails_however_many_browsers_ask(asks: MailAsks, watch: Watch) -> None:
    def mails(count: int) -> int:
        tokens = [f"{watch.now} {number}" for number in range(count)]
        return sum(asks.ask(token, ADDRESS.upper(), "") is not None for token in tokens)

    assert mails(10) == MAILS_AT_ONCE
    assert asks.asked_with(f"{watch.now} 0") == (ANN,)
    assert asks.asked_with(f"{watch.now} 9") == (), "a code that is not sent can be guessed"
    sent = MAILS_AT_ONCE
    for _ in range(10):
        watch.now += ASK_SECONDS + 1
        sent += mails(5)
    assert sent == MAILS_A_DAY
    watch.now += DAY
    assert mails(5) == MAILS_AT_ONCE


@in_a_file
def test_who_asks_for_an_unknown_address_is_kept_like_everybody_else(asks: MailAsks) -> None:
    asked(asks, "known")
    assert asks.ask("unknown", "eve@example.org", "") is None
    assert asks.ask("other game", ADDRESS, "weekly") is None
    first, *others = (asks.ask_of(token) for token in ("known", "unknown", "other game"))
    assert first is not None
    assert others == [first, first]
    assert asks.prove_by_code("unknown", "22222222") == ()


@in_a_file
def test_the_same_form_sent_twice_asks_for_one_mail(asks: MailAsks) -> None:
    form = "x" * 43
    token = token_from(form, ADDRESS)
    mail = asked(asks, token)
    assert asks.ask(token_from(form, ADDRESS.upper()), ADDRESS, "") is None
    assert asks.prove_by_code(token, mail.code) == (ANN,)
    assert token_from(form, "bob@example.org") != token
    with pytest.raises(UsageError, match="lacks its id"):
        token_from("short", ADDRESS)


def test_one_of_several_is_chosen_and_nobody_else(asks: MailAsks, sign_in: SignIn) -> None:
    sign_in.note_address("mail", "admin", ADDRESS)
    sign_in.note_address("weekly", "Ann", ADDRESS)
    sign_in.note_address("mail", "Bob", "bob@example.org")
    assert asked(asks, "in one game", "mail").people == (ANN, Person("mail", "admin"))
    mail = asked(asks)
    assert asks.prove_by_code("browser", mail.code) == (*mail.people,)
    assert len(mail.people) == 3
    sign_in.note_address("weekly", "Ann", "elsewhere@example.org")
    for person in (Person("mail", "Bob"), Person("weekly", "Ann"), Person("weekly", "admin")):
        with pytest.raises(UsageError):
            enter(asks, "browser", person)
    assert sign_in.session(enter(asks, "browser", Person("mail", "admin"))) is not None
    with pytest.raises(UsageError):
        enter(asks, "browser")


@in_a_file
def test_an_address_that_changed_meanwhile_proves_nothing(asks: MailAsks, sign_in: SignIn) -> None:
    mail = asked(asks)
    sign_in.note_address("mail", "Ann", "")
    with pytest.raises(UsageError):
        asks.prove_by_code("browser", mail.code)
    with pytest.raises(UsageError):
        asks.prove_by_link("browser", mail.link)
