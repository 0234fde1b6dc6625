"""ReaderNews in the words of a mail."""

from nomoledger.game.desk.happenings import Happening
from nomoledger.game.desk.reader_news import OpenForReader, ReaderNews
from nomoledger.mail.mail import Mail, PlannedMail
from nomoledger.mail.message import MailLook, one_line
from nomoledger.people.outbox import Letter
from nomoledger.prose.time_format import format_minute


def news_mail(
    mail: Mail, letter: Letter, planned: PlannedMail, news: ReaderNews, happened: list[Happening],
    stop: str,
) -> MailLook | None:  # fmt: skip
    """Return the mail that was *planned*; None if there is nothing to tell any more.

    *news* are those of now, *happened* is what others did to the reader, and *stop* is the token
    that stops such mails.
    """
    game, place = letter.game, ("games", letter.game)
    still_open = [each for each in news.open if each.key in planned.open]
    told = [each for each in happened if planned.since < each.event <= planned.upto]
    decided = [each for each in news.decided if planned.upto > planned.since]
    closed = [each for each in news.closed if planned.upto > planned.since]
    paragraphs, subjects = [], []
    for thing in still_open:
        link = mail.link(*place, *thing.page.split("/"))
        opening = "Remember, this waits for you" if planned.reminds else "This waits for you"
        paragraphs.append(f"{opening}: {_words(thing)}\n\n{link}")
        subjects.append(f"{'Soon over' if planned.reminds else 'Waits for you'}: {thing.what}")
    for each in decided:
        link = mail.link(*place, *each.page.split("/"))
        paragraphs.append(f"Your {each.what} is decided: {one_line(each.outcome)}\n\n{link}")
        subjects.append(f"Your {each.what} is decided")
    if told:
        lines = "\n".join(f"- {_happening(each)}" for each in told)
        more = news.happened_count - len(news.happened)
        rest = f"\n- and {more} more" if more > 0 else ""
        link = mail.link(*place, "play")
        paragraphs.append(f"What happened to you:\n\n{lines}{rest}\n\n{link}")
        subjects.append("something happened to you")
    for period in closed:
        link = mail.link(*place, "site", "index.html")
        paragraphs.append(f"Period {period} is closed.\n\n{link}")
        subjects.append(f"Period {period} is closed")
    if not paragraphs:
        return None
    stop_link = mail.link("mail", "stop", stop)
    paragraphs.append(
        f"Choose what you are told by mail:\n\n{mail.link(*place, 'mail')}\n\n"
        f"Stop these mails:\n\n{stop_link}"
    )
    return MailLook(
        letter.id, game, planned.reader, letter.to, f"[{game}] {subjects[0]}",
        "\n\n".join(paragraphs), f"{game}/{planned.reader}/{news.period}", stop_link,
    )  # fmt: skip


def _words(thing: OpenForReader) -> str:
    end = "" if thing.until is None else f" Until {format_minute(thing.until - 1)}."
    return f"{one_line(thing.what)}.{end}"


def _happening(each: Happening) -> str:
    reasons = [f"by {each.rule}"] if each.rule else []
    reasons += [f"because {one_line(each.because, 150)}"] if each.because else []
    why = f" ({', '.join(reasons)})" if reasons else ""
    return f"{format_minute(each.at)} {one_line(each.told)}{why}"
