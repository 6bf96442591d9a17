"""What a command of the experiments prints as JSON follows its schema, as in the tests of ``splu-ref``."""

from tests.cli.conftest import _schemas_hold

__all__ = ["_schemas_hold"]
