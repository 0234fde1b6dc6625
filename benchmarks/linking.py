"""Linking: the time to link and compile a game of many tiny rules, and to enact them at once.

Run as `python benchmarks/linking.py`. Each line doubles the number of rules. A ratio of 2 means that
the time is linear in the number of rules.
"""

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.events.rules import Enact, Rule
from nomoledger.language.program import Program
from nomoledger.rulebook.ruleset_check import check_ruleset
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World
