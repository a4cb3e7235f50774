"""What can go wrong, and whose turn it is to act."""


class UserError(ValueError):
    """Wrong input: the message says what is wrong, where, and what to do."""


class Unsatisfiable(UserError):
    """No text within the limits can meet these constraints; the message says which, and why."""


class UserNotice(UserWarning):
    """Input that was understood, though not as it stands: the message says where and how."""


class ModelError(ValueError):
    """A model broke its contract (`gridbeam.models.Model`): the message says which clause."""
