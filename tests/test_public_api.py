"""The front door: every public name is there, and nothing else is promised."""

import nomoledger


def test_every_public_name_can_be_had() -> None:
    assert nomoledger.__all__ == sorted(nomoledger.__all__)
    assert set(nomoledger.__all__) == set(nomoledger._HOMES)
    for name in nomoledger.__all__:
        assert callable(getattr(nomoledger, name)), name


def test_an_unknown_name_is_no_surprise() -> None:
    assert not hasattr(nomoledger, "frobnicate")
