"""Why a file cannot be read, in plain words."""


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return why a file of text cannot be read, as *error* says.

    >>> why_unreadable(IsADirectoryError(21, "Is a directory"))
    'it is a folder, not a file'
    """
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    if isinstance(error, IsADirectoryError):
        return "it is a folder, not a file"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "its permissions do not allow it"
    return (error.strerror or str(error)).lower()
