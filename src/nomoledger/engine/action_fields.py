"""The fields of the actions that the rules define: what a form has to ask for."""

import ast
from typing import Any

import msgspec

from nomoledger.engine.form_arguments import takes_several
from nomoledger.engine.possible_acts import actions_for, things_for
from nomoledger.engine.row_columns import RowColumn, columns_of
from nomoledger.language.code import Parameter
from nomoledger.language.program import link
from nomoledger.state.world import World

#: How many things a field lists; more are named in a text.
CHOICES_MAX = 400


class ActionField(msgspec.Struct, frozen=True):
    """A parameter of an action.

    Attributes:
        name: its name.
        type: its type, as the rules write it: "Number", "Player", "Square | Share"; "" for any.
        things: the ids of the things that it takes, if it takes things.
        takes_things: whether it takes things at all.
        takes_several: whether it takes a list of values.
        default: its default; None if it has none, or if that is the default.
        is_needed: whether it has no default.
        columns: what each row holds, if it is a list of rows.
    """

    name: str
    type: str
    things: tuple[str, ...] = ()
    takes_things: bool = False
    takes_several: bool = False
    default: Any = None
    is_needed: bool = True
    columns: tuple["ActionField", ...] = ()


class ActionForm(msgspec.Struct, frozen=True):
    """An action that the rules define: its *name*, *rule*, the words of the *doc*, its *fields*."""

    name: str
    rule: str
    doc: str
    fields: tuple[ActionField, ...]


def action_forms(world: World, by: str) -> list[ActionForm]:
    """Return the actions that *by*, a player or "admin", may ask for, sorted by name."""
    operations = link(world.ruleset).links.operations
    forms = []
    for operation in actions_for(world, by):
        number, hook = operations[operation.name].definitions[0]
        parameters = operation.parameters[1:]
        lists = [parameter for parameter in parameters if takes_several(parameter)]
        rows = columns_of(world, hook.doc, lists)
        fields = tuple(_with_columns(world, x, rows.get(x.name, ())) for x in parameters)
        forms.append(ActionForm(operation.name, number, hook.doc, fields))
    return forms


def _with_columns(
    world: World, parameter: Parameter, columns: tuple[RowColumn, ...]
) -> ActionField:
    fields = tuple(_field(world, Parameter(column.name, column.type)) for column in columns)
    return msgspec.structs.replace(_field(world, parameter), columns=fields)


def _field(world: World, parameter: Parameter) -> ActionField:
    things = things_for(world, parameter)
    default = None if parameter.default is None else ast.literal_eval(parameter.default)
    return ActionField(
        name=parameter.name,
        type=parameter.type,
        things=(things or ())[:CHOICES_MAX],
        takes_things=things is not None,
        takes_several=takes_several(parameter),
        default=default,
        is_needed=parameter.default is None,
    )
