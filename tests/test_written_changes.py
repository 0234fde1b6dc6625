"""Changes are written so that they read the same."""

from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.written_changes import write_changes

CHANGES = """
- {amend: "12.1", parameters: {rent: 20}, prose: "Rent: twenty, and \\"more\\""}
- {amend: V.1, functions: {value_rent: null}}
- {repeal: IV.2, state: drop}
- {renumber: V.1, to: V.2}
- {set: {square: 1, color: red}}
- {do: paint, with: {square: 1, color: red}}
- enact:
    number: X.1
    title: Tax
    prose: Everybody pays.
    parameters: {tax: {value: 5, unit: dollars}, names: ["yes", "no", "1"]}
    secret: [bid]
    when_gone: [{kind: lot, where: {auction: tax}}]
    code: |
      def action_pay(player: Player):
          pay(player, "admin", tax)
"""


def test_changes_that_are_written_read_the_same() -> None:
    changes = parse_changes(CHANGES, "changes", with_code=False)
    text = write_changes(changes)
    assert "\n      def action_pay(player: Player):\n" in text
    assert parse_changes(text, "changes", with_code=False) == changes


def test_changes_that_cannot_be_written_are_left_out() -> None:
    assert write_changes(()) == ""
    assert write_changes(parse_changes("{post: {Ann: 5, Bob: -5}}", "changes")) == ""
