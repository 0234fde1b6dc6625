"""A forecast as a file: JSON that people can read and `publish` can show."""

import msgspec

from nomoledger.errors import UsageError
from nomoledger.game.forecast.forecasting import Forecast

#: What the file says that it is; a file of another form has another number.
FORM = "nomoledger-forecast/1"


class _File(msgspec.Struct, frozen=True):
    """The content of the file."""

    form: str
    forecast: Forecast


def encode_forecast(forecast: Forecast) -> bytes:
    """Return *forecast* as the content of a file."""
    return msgspec.json.format(msgspec.json.encode(_File(FORM, forecast), enc_hook=str)) + b"\n"


def decode_forecast(content: bytes, name: str) -> Forecast:
    """Return the forecast in the *content* of the file *name*.

    Raises:
        UsageError: it is no forecast, or one of another version.
    """
    again = "make it with `nomoledger forecast LEDGER --save FILE`"
    try:
        file = msgspec.json.decode(content, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise UsageError(f"{name} is no saved forecast: {again}") from None
    if file.form != FORM:
        raise UsageError(f"{name} is a forecast of the form {file.form!r:.40}: {again}")
    return file.forecast
