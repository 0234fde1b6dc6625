"""Takes the letters of an outbox as one server of several: `letter_process.py LEDGER`.

It says that it is ready, begins when it is told to on standard input, and prints the ids of the
letters that it took.
"""

import sys

from nomoledger.people.database import open_people
from nomoledger.people.outbox import Outbox

if __name__ == "__main__":
    database = open_people(sys.argv[1])
    outbox = Outbox(database)
    print("ready", flush=True)
    sys.stdin.readline()
    while letters := outbox.take("mail", 2):
        for letter in letters:
            print(letter.id, flush=True)
            outbox.sent(letter)
    database.close()
