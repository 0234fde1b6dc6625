"""The front door: every public name is there, and nothing else is promised."""

import nomoledger


def test_every_public_name_can_be_imported() -> None:
    assert nomoledger.__all__ == sorted(nomoledger.__all__)
    assert set(nomoledger.__all__) == set(nomoledger._HOMES)
    for name in nomoledger.__all__:
        assert callable(getattr(nomoledger, name)), name


def test_an_unknown_name_raises_attribute_error() -> None:
    assert not hasattr(nomoledger, "frobnicate")
