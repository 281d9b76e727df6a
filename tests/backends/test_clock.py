"""The clock that never goes back."""

import time

import pytest

from goldfish.backends.clock import SteadyClock, boot_id, boot_time


class Hand:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def clock(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> SteadyClock:
    monkeypatch.setattr(time, "time", lambda: 5000.0)
    return SteadyClock(hand)


def test_it_starts_at_the_wall_time_and_counts_elapsed_time(clock: SteadyClock, hand: Hand) -> None:
    assert 5000.0 == clock()
    hand.now += 7
    assert 5007.0 == clock()


def test_it_does_not_look_at_the_wall_clock_again(clock: SteadyClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1.0)
    assert 5000.0 == clock()


def test_an_anchor_ahead_is_followed_at_once(clock: SteadyClock, hand: Hand) -> None:
    clock()
    clock.anchor(5010.0, 5020.0)
    assert 5015.0 == clock()
    hand.now += 1
    assert 5016.0 == clock()


def test_an_anchor_behind_is_followed_at_half_pace(clock: SteadyClock, hand: Hand) -> None:
    clock()
    clock.anchor(4990.0, 4990.0)
    assert 5000.0 == clock()
    hand.now += 10
    assert 5005.0 == clock()
    hand.now += 10
    assert 5010.0 == clock(), "the debt of 10 s is paid"
    hand.now += 10
    assert 5020.0 == clock()


def test_anchors_while_a_debt_is_paid_never_make_it_go_back(clock: SteadyClock, hand: Hand) -> None:
    right, readings = 4990.0, [clock()]
    for _ in range(40):
        clock.anchor(right, right)
        readings.append(clock())
        hand.now += 1
        right += 1
        readings.append(clock())
    assert sorted(readings) == readings
    assert right == clock()


def test_an_anchor_behind_is_followed_at_once_where_nobody_has_read_the_clock(clock: SteadyClock) -> None:
    clock.anchor(4000.0, 4000.0)
    assert 4000.0 == clock()


def test_an_anchor_that_agrees_changes_nothing(clock: SteadyClock) -> None:
    clock()
    clock.anchor(4999.0, 5002.0)
    assert 5000.0 == clock()


def test_the_time_since_the_start_goes_on() -> None:
    first = boot_time()
    assert first <= boot_time()
    assert boot_id() == boot_id()
