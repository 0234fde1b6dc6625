"""Calls of webhooks arrive signed at https servers, and reach no private address."""

import base64
import datetime
import hashlib
import hmac
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nomoledger.errors import NomoledgerError
from nomoledger.people.postman import DeliveryError, UndeliverableError
from nomoledger.people.webhook_sender import WebhookSender, is_public

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()


class Receiver(HTTPServer):
    """An https server on this machine that answers with *statuses* in turn."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses = [204]
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        self.file = make_certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.address = f"https://localhost:{self.server_port}/hook?a=1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that go away."""


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        names = {name.lower(): value for name, value in self.headers.items()}
        self.server.calls.append((self.path, names, body))
        self.send_response(self.server.statuses.pop(0))
        self.send_header("location", self.server.address)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


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


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    server = Receiver(tmp_path)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def sender_to(receiver: Receiver) -> WebhookSender:
    context = ssl.create_default_context(cafile=str(receiver.file))
    return WebhookSender(lambda ip: ip in ("127.0.0.1", "::1"), context, lambda: 1000.9)


def test_a_call_is_signed_and_a_retry_has_the_same_id(receiver: Receiver) -> None:
    sender = sender_to(receiver)
    receiver.statuses = [500, 204]
    with pytest.raises(DeliveryError, match="500"):
        sender.send(receiver.address, SECRET, "letter-1", b'{"a": 1}')
    sender.send(receiver.address, SECRET, "letter-1", b'{"a": 1}')
    assert [call[1]["webhook-id"] for call in receiver.calls] == ["letter-1"] * 2
    path, headers, body = receiver.calls[1]
    assert (path, body, headers["webhook-timestamp"]) == ("/hook?a=1", b'{"a": 1}', "1000")
    digest = hmac.new(KEY, b"letter-1.1000." + body, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()


def test_a_redirect_is_not_followed_and_410_is_final(receiver: Receiver) -> None:
    receiver.statuses = [307, 410, 204]
    with pytest.raises(DeliveryError, match="307"):
        sender_to(receiver).send(receiver.address, SECRET, "x", b"{}")
    assert len(receiver.calls) == 1
    with pytest.raises(UndeliverableError):
        sender_to(receiver).send(receiver.address, SECRET, "x", b"{}")


def test_a_certificate_that_nobody_trusts_is_refused(receiver: Receiver) -> None:
    with pytest.raises(DeliveryError, match="SSLCertVerificationError"):
        WebhookSender(lambda ip: True).send(receiver.address, SECRET, "x", b"{}")
    assert receiver.calls == []


def test_a_name_with_a_private_address_is_not_called(receiver: Receiver) -> None:
    context = ssl.create_default_context(cafile=str(receiver.file))
    with pytest.raises(DeliveryError, match="not public"):
        WebhookSender(context=context).send(receiver.address, SECRET, "x", b"{}")
    assert receiver.calls == []


@pytest.mark.parametrize(
    "address",
    ["http://example.org/", "https://localhost/", "https://127.0.0.1/", "https://10.1.2.3/",
     "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/",
     "https://2130706433/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
     "https://a:b@1.1.1.1/", "https://1.1.1.1:22/", "https://1.1.1.1:x/", "https:///x", "",
     "https://1.1.1.1/a b"],
)  # fmt: skip
def test_such_addresses_are_refused(address: str) -> None:
    with pytest.raises(NomoledgerError):
        WebhookSender().check(address)


def test_public_addresses_may_be_called() -> None:
    WebhookSender().check("https://1.1.1.1:8443/x")
    assert is_public("2606:4700:4700::1111")
    assert not any(map(is_public, ("224.0.0.1", "100.64.0.1", "ff0e::1", "::ffff:1.1.1.1")))
