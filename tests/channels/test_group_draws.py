"""The names of the laws of a group's draws."""

from __future__ import annotations

import pytest

from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import ParameterError


@pytest.mark.parametrize("text", ["independent", "capped:1", "all-or-none:10"])
def test_a_law_is_written_as_it_is_read(text: str) -> None:
    assert str(GroupDraws.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "Independent", "independent:3", "capped", "capped:0", "capped:1.5", "all-or-none:", "even:2",
        "capped:07", "capped: 7", "capped:+7", "capped:٧", "capped:7\n", "capped:1000000000000000",
    ],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        GroupDraws.parse(text)
