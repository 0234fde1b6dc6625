"""Calls of webhooks arrive signed at https servers, and reach no private address."""

import base64
import hashlib
import hmac
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from webhook_receiver import Receiver, running_receiver, sender_to

from nomoledger.errors import NomoledgerError
from nomoledger.people.postman import DeliveryError, UndeliverableError
from nomoledger.people.webhook_sender import WebhookSender, is_public

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    with running_receiver(tmp_path) as server:
        yield server


def test_a_call_is_signed_and_a_retry_has_the_same_id(receiver: Receiver) -> None:
    sender = sender_to(receiver.file, 1000.9)
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
        sender_to(receiver.file, 1000.9).send(receiver.address, SECRET, "x", b"{}")
    assert len(receiver.calls) == 1
    with pytest.raises(UndeliverableError):
        sender_to(receiver.file, 1000.9).send(receiver.address, SECRET, "x", b"{}")


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
