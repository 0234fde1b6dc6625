"""How long pages wait for what takes long, and how often that is made anew."""

import msgspec


class Pace(msgspec.Struct, frozen=True):
    """The pace of a server.

    Attributes:
        site_seconds: for how long a page of the published site waits until the site is up to date.
        acts_seconds: for how long the page of a player waits for what the player may do.
        site_rest: for how long a site is not published again, as a multiple of the time that it
            took the last time. What changes often would otherwise keep a processor busy.
    """

    site_seconds: float
    acts_seconds: float
    site_rest: float


#: Every page is up to date.
PATIENT = Pace(site_seconds=60.0, acts_seconds=0.7, site_rest=0.0)
#: No page waits: it shows what there is, and the rest comes later.
QUICK = Pace(site_seconds=0.02, acts_seconds=0.02, site_rest=5.0)
