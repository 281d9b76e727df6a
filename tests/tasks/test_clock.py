"""The wall clock set back: no task goes back with it, and nothing expires early."""

import time

import pytest

from tests.support.inprocess import accept, in_loop
from tests.tasks.support import begun, built, client, state, update


@pytest.mark.parametrize("store", ["memory:", "sqlite"])
def test_a_clock_set_back_an_hour_takes_no_task_along(
    store: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    url = f"sqlite:{tmp_path_factory.mktemp('store')}/store.db" if store == "sqlite" else store

    @in_loop
    async def run() -> None:
        server = built(store=url)
        user = client(server)
        ended, waiting = await begun(user, "derived"), await begun(user, "derived")
        await update(user, ended, go=accept(name="Ada"))
        assert "completed" == (await state(user, ended))["status"]
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() - 3600)
        assert ["completed", "input_required"] == [(await state(user, each))["status"] for each in (ended, waiting)]
        late = await begun(user, "derived")
        await update(user, late, go=accept(name="Eve"))
        assert "completed" == (await state(user, late))["status"]
        await server.close(0.1)

    run()
