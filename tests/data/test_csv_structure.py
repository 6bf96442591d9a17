from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import DataError
from splu_ref.data.csv_structure import check_structure
from splu_ref.data.reading import parse_csv


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "x.csv is empty"),
        (b"\n", "line 1 is blank"),
        (b"\r\na\n", "line 1 is blank"),
        (b"a,b\n", "holds a header and no rows"),
        (b"a,b", "holds a header and no rows"),
        (b"a,,b\n1,2,3\n", r"column 2 has no name in the header: name it$"),
        (b",a\n0,1\n", r"column 1 has no name in the header: name it, or leave it out if .* \(index=False\)"),
        (b'a,""\n1,2\n', "column 2 has no name"),
        (b"a,b,a\n1,2,3\n", "column 'a' 2 times"),
        (b'a,"a"\n1,2\n', "column 'a' 2 times"),
        (b"a,b\n1,2\n1\n", r"row 2 \(line 3\) has 1 field, the header has 2"),
        (b"a,b\n1,2,3\n", r"row 1 \(line 2\) has 3 fields, the header has 2"),
        (b'a,b\n"1\n1",2\n1,2,3\n', r"row 2 \(line 4\) has 3 fields"),
        (b"a,b\n1,2\n\n", r"row 2 \(line 3\) is blank: remove it"),
        (b"a\n1\n\n2\n", r'row 2 \(line 3\) is blank: remove it, or write ""'),
        (b"a\r\n1\r\n\r\n", r"row 2 \(line 3\) is blank"),
        (b"a,b\n1,caf\xe9\n", "line 2, byte 6 is 0xE9, which is not UTF-8"),
        (b"a\n1\n\xc3", "line 3, byte 1 is 0xC3"),
        (b"a\n\xed\xa0\x80\n", "line 2, byte 1 is 0xED"),
        (b"a,b\n1,\0\n", "line 2, byte 3 is NUL"),
        (b'a,b\n1,x"y\n', "line 2, byte 4 is a quote inside a cell"),
        (b'a,b\n1, "y"\n', "line 2, byte 4 is a quote inside a cell"),
        (b'a,b\n1,"y" \n', "line 2, byte 5 is a quote that ends the cell begun in line 2, and text"),
        (b'a,b\n1,"y\n2,"z"\n', "line 3, byte 3 is a quote that ends the cell begun in line 2"),
        (b'a,b\n1,"y\n2,z\n', "line 2, byte 3 is a quote that is never closed"),
        (b'a\n"', "line 2, byte 1 is a quote that is never closed"),
        (b'a\n"""', "never closed"),
        (b"a,b\r1,2\r", "line 1, byte 4 is a carriage return alone"),
        (b"a,b\n1,x\ry\n", "line 2, byte 4 is a carriage return alone"),
        (b"a,b\n1,2\r", "line 2, byte 4 is a carriage return alone"),
        (b'a,b\n1,"2"\r', "carriage return alone"),
        (b'a,b\n1,x\ry"\n', "byte 4 is a carriage return alone"),
    ],
)
def test_faults_are_refused_with_their_place(data: bytes, fault: str) -> None:
    with pytest.raises(DataError, match=fault) as raised:
        check_structure(data, "x.csv")
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("x.csv")


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a,b\n1,2", [("1", "2")]),
        (b"a,b\r\n1,2\r\n3,\r\n", [("1", "2"), ("3", "")]),
        (b"\xef\xbb\xbfa,b\n,\n", [("", "")]),
        (b'a\n""\n""\n', [("",), ("",)]),
        (b'a\n""', [("",)]),
        (b'a,b\n"x""y","\r\n"\r\n" , ",""""\r\n', [('x"y', "\r\n"), (" , ", '"')]),
        (b"a,b\n#x, y \n0012,1e5\nNaN,null\n", [("#x", " y "), ("0012", "1e5"), ("NaN", "null")]),
        ("a,b\n\ufeffx,é\n𝄞,\u2028\n".encode(), [("\ufeffx", "é"), ("𝄞", "\u2028")]),
    ],
)
def test_cells_are_read_as_they_stand(data: bytes, rows: list[tuple[str, ...]]) -> None:
    assert parse_csv(data, "x.csv").rows() == rows


def strict_rows(text: str) -> list[list[str]] | None:
    """Return the records of the dialect read character by character, None if it is not well formed.

    An independent second derivation of the check: a state machine over characters.
    """
    rows: list[list[str]] = []
    row: list[str] = []
    cell, state, index = "", "start", 0
    while index < len(text):
        character = text[index]
        pair = text[index : index + 2]
        if state == "quoted":
            if pair == '""':
                cell, index = cell + '"', index + 1
            elif character == '"':
                state = "closed"
            else:
                cell += character
        elif character == '"':
            if state != "start":
                return None
            state = "quoted"
        elif character == ",":
            row, cell, state = [*row, cell], "", "start"
        elif character == "\n" or pair == "\r\n":
            index += pair == "\r\n"
            if state == "start" and not row:
                return None
            rows, row, cell, state = [*rows, [*row, cell]], [], "", "start"
        elif character == "\r" or state == "closed":
            return None
        else:
            cell, state = cell + character, "open"
        index += 1
    if state == "quoted":
        return None
    if row or state != "start":
        rows.append([*row, cell])
    header = rows[0] if rows else []
    sound = len(rows) > 1 and all(header) and len(set(header)) == len(header)
    return rows if sound and all(len(record) == len(header) for record in rows) else None


def agrees(body: str) -> bool:
    """Hold the check and the reader against the state machine; return whether the text is well formed."""
    expected = strict_rows(body)
    try:
        frame = parse_csv(body.encode(), "x.csv")
    except DataError:
        assert expected is None
        return False
    assert expected is not None
    assert [frame.columns, *map(list, frame.rows())] == expected
    return True


@pytest.mark.slow
@settings(max_examples=1500)
@given(st.text(alphabet='ab,"\r\n', min_size=1, max_size=14))
def test_any_punctuation_is_judged_as_by_a_state_machine(body: str) -> None:
    agrees(body)


CELLS = st.one_of(
    st.sampled_from(
        ["", '""', "x", " ", '"x"', '","', '"\n"', '"\r\n"', '""""', '"a""b"', "é", 'x"', '"x"y']
    ),
    st.text(alphabet='ab,"\r\n', max_size=3),
)


@pytest.mark.slow
@settings(max_examples=600)
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans()
)
def test_rows_of_mostly_sound_cells_are_judged_as_by_a_state_machine(
    rows: list[tuple[str, str]], end: str, last: bool
) -> None:
    agrees(end.join(["a,b", *map(",".join, rows)]) + (end if last else ""))


def test_the_state_machine_accepts_and_refuses() -> None:
    assert agrees('a,b\n"x\n",y\n')
    assert not agrees('a,b\n"x\n"z,y\n')


def test_a_large_quoted_file_is_read_like_its_cells() -> None:
    rows = [[f'{index}, "q"', "line\nend" * (index % 3), "plain"] for index in range(40_000)]
    lines = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [["a", "b", "c"], *rows]
    ]
    assert parse_csv("\r\n".join(lines).encode(), "x.csv").rows() == [tuple(row) for row in rows]


def test_no_rows_are_read_only_where_they_are_requested() -> None:
    with pytest.raises(DataError):
        parse_csv(b"a,b\n", "t.csv")
    assert parse_csv(b"a,b\n", "t.csv", empty=True).shape == (0, 2)
