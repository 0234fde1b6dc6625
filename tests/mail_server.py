"""A real mail server in a thread: it keeps the mails that it takes, and refuses what it should."""

import socket
import ssl
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

USER, PASSWORD = "games", "correct horse"


class MailServer:
    """A mail server on this computer.

    Attributes:
        mails: the mails that it took, in their order.
        answers: by address, what it answers to a mail for that address, once each.
        logins: the users who signed in.
        port: the port at which it listens.
        was_encrypted: whether the last mail came through an encrypted connection.
    """

    def __init__(self, context: ssl.SSLContext | None = None, is_smtps: bool = False) -> None:
        self.mails: list[EmailMessage] = []
        self.answers: dict[str, list[str]] = {}
        self.logins: list[str] = []
        self.was_encrypted = False
        needs_login: dict[str, Any] = {}
        if context is not None:
            needs_login = {"authenticator": self._check, "auth_required": True}
            if is_smtps:
                needs_login |= {"ssl_context": context, "auth_require_tls": False}
            else:
                needs_login |= {"tls_context": context, "require_starttls": True}
        with socket.create_server(("localhost", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._controller = Controller(self, hostname="localhost", port=self.port, **needs_login)

    def start(self) -> None:
        """Take mails."""
        self._controller.start()

    def stop(self) -> None:
        """Take no more mails."""
        self._controller.stop(no_assert=True)

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        """Take a mail for *address*, or answer what is prepared."""
        if self.answers.get(address):
            return self.answers[address].pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Keep the mail."""
        mail = message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.was_encrypted = server.transport.get_extra_info("ssl_object") is not None
        return "250 OK"

    def _check(
        self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        is_right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        if is_right:
            self.logins.append(data.login.decode())
        return AuthResult(success=is_right, handled=False)


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Return a file with a certificate of localhost, and a context of a server that has it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path, secret = folder / "certificate.pem", folder / "key.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path, secret)
    return path, context
