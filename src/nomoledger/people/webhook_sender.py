"""Calls of webhooks: signed, over https only, and never to an address that is not public.

A call is signed as Standard Webhooks 1.0 says (https://www.standardwebhooks.com).
"""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from nomoledger.errors import UsageError
from nomoledger.people.postman import DeliveryError, UndeliverableError

#: What the secrets of webhooks begin with.
SECRET_PREFIX = "whsec_"
#: For how long one step of a call may take, and the whole call once connected, in seconds.
STEP_SECONDS, CALL_SECONDS = 5.0, 15.0
#: How many addresses of a host are tried.
ADDRESSES_MAX = 4
#: How many bytes of an answer are read, and how long an address may be.
ANSWER_BYTES_MAX, ADDRESS_MAX = 1000, 1000
#: All public addresses of IPv6 are here; 6to4 and Teredo hold addresses of IPv4 (RFC 3056, 4380).
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_HIDING_V6 = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/32"))


def is_public(address: str) -> bool:
    """Return whether *address*, an IP address, is one that everybody can reach."""
    ip = ipaddress.ip_address(address)
    if ip.is_multicast or not ip.is_global:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return True
    return ip in _GLOBAL_V6 and not any(ip in network for network in _HIDING_V6)


def signature(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a call: `v1,` and an HMAC-SHA256 in Base64.

    *secret* is `whsec_` with the key in Base64. *timestamp* is in seconds since 1970.
    """
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class WebhookSender:
    """Sends calls of webhooks.

    *may_reach* says of an IP address whether it may be called. *context* says which certificates
    are trusted. Tests give their own; no user can choose them. *clock* gives the time in seconds
    since 1970.
    """

    def __init__(
        self,
        may_reach: Callable[[str], bool] = is_public,
        context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare to send calls."""
        self._may_reach = may_reach
        self._context = context
        self._clock = clock

    def check(self, address: str) -> None:
        """Check that the host of *address* may be called now.

        Raises:
            UsageError: *address* can never be called.
            DeliveryError: its host is not known, or is at an address that may not be called.
        """
        self._resolved(_parts(address))

    def send(self, address: str, secret: str, id: str, body: bytes) -> None:
        """Send *body*, a JSON text, to *address*. A repeated call has the same *id*.

        Raises:
            UsageError: *address* can never be called.
            UndeliverableError: the answer is 410: no more calls are wanted.
            DeliveryError: the call failed, or was answered by something else than 2xx.
        """
        parts = _parts(address)
        ips = self._resolved(parts)
        timestamp = int(self._clock())
        headers = {
            "content-type": "application/json",
            "user-agent": "nomoledger",
            "connection": "close",
            "webhook-id": id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, id, timestamp, body),
        }
        try:
            status = self._post(parts, ips, headers, body)
        except (OSError, http.client.HTTPException) as error:
            raise DeliveryError(f"the call failed: {type(error).__name__}") from None
        if status == 410:
            raise UndeliverableError("the answer was 410: no more calls are wanted")
        if not 200 <= status < 300:
            raise DeliveryError(f"the answer was {status}, not 2xx")

    def _resolved(self, parts: SplitResult) -> list[str]:
        """Return the IP addresses of the host, if all of them may be reached."""
        name = parts.hostname or ""
        try:
            found = socket.getaddrinfo(name, parts.port or 443, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            found = []
        addresses = [str(each[4][0]) for each in found]
        # Which names have private addresses is told to nobody.
        if not addresses or not all("%" not in x and self._may_reach(x) for x in addresses):
            raise DeliveryError(f"the host {name!r:.80} has no address, or one that is not public")
        return addresses

    def _post(
        self, parts: SplitResult, ips: list[str], headers: dict[str, str], body: bytes
    ) -> int:
        """Call one of *ips*, the very addresses that were checked; return the answer's status."""
        name, port = parts.hostname or "", parts.port or 443
        context = self._context = self._context or ssl.create_default_context()
        plain = _connected(ips[:ADDRESSES_MAX], port)
        try:
            secured = context.wrap_socket(plain, server_hostname=name)
        except BaseException:
            plain.close()
            raise
        connection = http.client.HTTPSConnection(name, port, timeout=STEP_SECONDS)
        connection.sock = secured
        # An answer that drips byte by byte meets no time limit of a step.
        end = threading.Timer(CALL_SECONDS, _cut, [secured])
        end.daemon = True
        end.start()
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", target, body, headers)
            answer = connection.getresponse()
            answer.read(ANSWER_BYTES_MAX)
            return answer.status
        finally:
            end.cancel()
            connection.close()
            secured.close()


def _connected(ips: list[str], port: int) -> socket.socket:
    """Return a connection to the first of *ips* that takes one."""
    for ip in ips[:-1]:
        with suppress(OSError):
            return socket.create_connection((ip, port), timeout=STEP_SECONDS)
    return socket.create_connection((ips[-1], port), timeout=STEP_SECONDS)


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # It is closed already.


def _parts(address: str) -> SplitResult:
    """Return the parts of *address*.

    Raises:
        UsageError: it cannot be called.
    """
    is_plain = address.isascii() and address.isprintable() and " " not in address
    try:
        parts = urlsplit(address)
        port = parts.port or 443
    except ValueError:
        raise UsageError("this is no address of a webhook") from None
    if not is_plain or len(address) > ADDRESS_MAX or parts.scheme != "https" or not parts.hostname:
        raise UsageError("the address of a webhook begins with https:// and has no spaces")
    if "@" in parts.netloc:
        raise UsageError("the address of a webhook has no user and no password")
    if port != 443 and port < 1024:
        raise UsageError(f"a webhook uses port 443, or 1024 and above, not {port}")
    return parts
