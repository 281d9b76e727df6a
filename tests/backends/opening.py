"""Opens the stores and buses that the contract is about."""

from contextlib import AsyncExitStack

from goldfish.ports import Backend, TaskStore

from .conftest import Lab
from .support import Receiver, listening

MANY = 1_000_000


async def opened(lab: Lab, stack: AsyncExitStack) -> TaskStore:
    store = lab.open().tasks
    await store.start()
    stack.push_async_callback(store.stop)
    return store


async def listener(lab: Lab, stack: AsyncExitStack) -> tuple[Backend, Receiver]:
    backend = lab.open()
    receiver = await stack.enter_async_context(listening(backend))
    return backend, receiver


# Records
