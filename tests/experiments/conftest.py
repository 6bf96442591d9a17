"""What a command of the experiments prints as JSON is held to its schema, as in the tests of ``splu-ref``."""

from tests.cli.conftest import _schemas_hold

__all__ = ["_schemas_hold"]
