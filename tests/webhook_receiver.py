"""A real https server on this machine that receives calls of webhooks."""

import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nomoledger.people.webhook_sender import WebhookSender

#: A call: its path, its headers with names in lower case, and its body.
Call = tuple[str, dict[str, str], bytes]


class Receiver(HTTPServer):
    """A server that answers with *statuses* in turn, and with 204 when they are used up."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.statuses: list[int] = []
        self.calls: list[Call] = []
        self.file = make_certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.address = f"https://localhost:{self.server_port}/hook?a=1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that go away."""

    def taken(self) -> list[Call]:
        """Return the calls since the last time."""
        calls, self.calls = self.calls, []
        return calls


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        names = {name.lower(): value for name, value in self.headers.items()}
        self.server.calls.append((self.path, names, body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("location", self.server.address)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def running_receiver(folder: Path) -> Iterator[Receiver]:
    """Run a server with a certificate in *folder* during the block."""
    server = Receiver(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sender_to(certificate: Path, now: float | None = None) -> WebhookSender:
    """Return a sender that trusts *certificate* and may call this machine, by the time *now*."""
    context = ssl.create_default_context(cafile=str(certificate))
    if now is None:
        return WebhookSender(is_here, context)
    return WebhookSender(is_here, context, lambda: now)


def is_here(address: str) -> bool:
    """Return whether *address* is that of this machine."""
    return address in ("127.0.0.1", "::1")


def make_certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    file = folder / "certificate.pem"
    file.write_bytes(private + made.public_bytes(pem))
    return file
