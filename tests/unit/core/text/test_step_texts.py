from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.text.step_texts import check_steps, read_step, read_steps, step_text
from driftline.errors import BadRule
from driftline.model.browser.steps import Click, Evaluate, Fill, Goto, Press, Scroll, Select, Step, StopIf, WaitFor

WORDS = st.text(min_size=1, max_size=20)
STEPS = st.one_of(
    st.builds(Click, on=WORDS, optional=st.booleans(), timeout_for=st.floats(0.5, 60)),
    st.builds(Fill, on=WORDS, value=st.text(max_size=20)),
    st.builds(Select, on=WORDS, value=WORDS),
    st.builds(Press, key=WORDS, on=st.none() | WORDS),
    st.builds(Goto, url=WORDS),
    st.builds(Evaluate, script=WORDS),
    st.builds(Scroll, on=st.none() | WORDS, times=st.integers(1, 20)),
    st.builds(WaitFor, ms=st.integers(0, 9999)),
    st.builds(StopIf, text=WORDS),
)


@given(STEPS)
def test_a_step_reads_as_it_was_written(step: Step) -> None:
    assert read_step(step_text(step)) == step


def test_steps_are_lines_or_objects() -> None:
    lines = ["goto https://example.com", "try click text=Accept within 2.5s", "select Red in #color", "wait_for 500 ms"]
    steps = read_steps(lines)
    assert [step_text(step) for step in steps] == lines
    assert read_steps(msgspec.to_builtins(steps)) == steps


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("clik #more", 'Did you mean "click"?'),
        ("fill #name", "Write it as: fill SELECTOR with TEXT"),
        ('{"do": "click", "onn": "a"}', 'Did you mean "on"?'),
    ],
)
def test_what_is_wrong_is_said_with_what_was_meant(line: str, said: str) -> None:
    with pytest.raises(BadRule) as caught:
        read_step(line)
    assert said in str(caught.value)


def test_a_step_needs_one_target_and_a_bounded_deadline() -> None:
    for wrong in (WaitFor(on="a", ms=1), StopIf(), Click(on=" "), Click(on="a", timeout_for=9999)):
        with pytest.raises(BadRule):
            check_steps((wrong,))
