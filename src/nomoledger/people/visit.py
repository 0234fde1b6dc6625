"""What is kept of a browser and its address: as much as its owner needs to know it again."""

import ipaddress
import re

import msgspec

#: How a browser calls itself, and what it is called here. The first that fits is taken: browsers
#: name their ancestors, too.
_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Opera", r"OPR/(\d+)"),
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]* (?:Mobile/\S+ )?Safari/"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("ChromeOS", "CrOS"),
    ("macOS", "Mac OS X"),
    ("Linux", "Linux"),
)
#: How long the name of another program may be.
NAME_MAX = 40


class Visit(msgspec.Struct, frozen=True):
    """From where somebody comes.

    Attributes:
        browser: the browser, such as "Firefox 140 on Linux".
        network: the network of the address, such as "203.0.113.0/24"; "" if it is not known.
    """

    browser: str = ""
    network: str = ""


def visit_from(user_agent: str, address: str) -> Visit:
    """Return the visit of a browser that calls itself *user_agent*, from *address*."""
    return Visit(shortened(user_agent), network_of(address))


def shortened(user_agent: str) -> str:
    """Return the browser and system that *user_agent* names (RFC 9110, section 10.1.5)."""
    system = next((name for name, sign in _SYSTEMS if sign in user_agent), "")
    for name, sign in _BROWSERS:
        if found := re.search(sign, user_agent):
            return f"{name} {found[1]}" + (f" on {system}" if system else "")
    first = re.match(r"[!-~]+", user_agent)
    return first[0][:NAME_MAX] if first else "an unnamed program"


def network_of(address: str) -> str:
    """Return the network of *address*: /24 of IPv4, /48 of IPv6; "" if it is no address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(known, ipaddress.IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    return str(ipaddress.ip_network((known, 24 if known.version == 4 else 48), strict=False))
