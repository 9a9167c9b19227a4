"""A profile's program on another machine, over the system's ssh. It outlives the connection, and the studio."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Mapping
from functools import partial
from typing import Final

from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.program import own_argv
from studio.core.words import say
from studio.server import ports, records
from studio.server.ending import Ending, end_all
from studio.server.launch import REMOVED, Launch
from studio.server.launchers.outliving import Outliving
from studio.server.records import ServerRecord, StartedBy
from studio.server.ssh import SshHost
from studio.settings import secrets

log = logging.getLogger(__name__)
_KEY: Final = "VLLM_API_KEY"
_STORAGE: Final = "VLLM_OMNI_SERVER_STORAGE__PATH"
_GONE_WITHIN: Final = 15.0
_PORTS_APART: Final = 10000

# $1: id of this start, $2: the server's name, then its argv. The variables are set before.
_START: Final = """
umask 077
base="${XDG_DATA_HOME:-$HOME/.local/share}/h3-studio-server"
dir="$base/$1"
mkdir -p "$dir" "$base/results/$2" || exit 1
export VLLM_OMNI_SERVER_STORAGE__PATH="$base/results/$2"
shift 2
command -v "$1" >/dev/null || { echo "$1" >&2; exit 127; }
cd "$dir" || exit 1
cat /proc/sys/kernel/random/boot_id >boot
: >log
setsid sh -c 'echo $$ >group; "$@" >log 2>&1 </dev/null & echo $! >pid; wait $!; echo $? >exit' sh "$@" \
    >/dev/null 2>&1 </dev/null &
n=0
until [ -s pid ]; do n=$((n + 1)); [ "$n" -lt 100 ] || exit 1; sleep 0.1; done
echo "$dir"
"""
# $1: folder, $2: signal, $3: pid or group. A pid of another boot is somebody else's.
_SIGNAL: Final = """
cd "$1" || exit 0
[ "$(cat boot)" = "$(cat /proc/sys/kernel/random/boot_id)" ] || exit 0
case $3 in
    pid) [ -s exit ] || kill -s "$2" "$(cat pid)" 2>/dev/null ;;
    group) kill -s "$2" -- "-$(cat group)" 2>/dev/null ;;
esac
exit 0
"""


class SshLauncher:
    """Starts one launch on a host; without one it can still stop and follow what an earlier studio started there."""

    name_code = "server.name.ssh"

    def __init__(self, started_by: StartedBy, host: str, launch: Launch | None = None) -> None:
        self.started_by, self.host, self.launch = started_by, host, launch
        self._children = Outliving()

    async def start(self) -> ServerRecord:
        """Start it there and hold it from here. Raises StudioError (`ssh.*`)."""
        launch = self.launch
        if launch is None:
            raise StudioError("server.no_launch")
        here = await asyncio.to_thread(_free_port, launch.port)
        host = SshHost(self.host, str(here))
        if await host.listens(launch.port):
            raise StudioError("ssh.port_taken", mend="ssh.port_taken.mend", host=self.host, port=launch.port)
        url = f"http://127.0.0.1:{here}"
        key = await asyncio.to_thread(secrets.api_key, launch.url)
        if key and url != launch.url:
            await asyncio.to_thread(secrets.remember, url, key)
        env = {**launch.env, **({_KEY: key} if key else {})}
        script = exports(env) + _START
        server_id = records.new_id()
        try:
            folder = (await host.run(script, server_id, launch.place.name, *launch.argv)).strip().splitlines()[-1]
        except StudioError as error:
            if error.params.get("status") == 127:
                raise StudioError("ssh.no_program", host=self.host, program=launch.argv[0]) from error
            raise
        try:
            return await self._children.start(partial(self._hold, launch, folder, here))
        except BaseException:
            await asyncio.shield(host.run(_SIGNAL, folder, "KILL", "group"))
            raise

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """SIGTERM to the main process there, the record's grace, then its whole group; what is left here last.

        While the machine cannot be reached nothing is ended: what stands for the server here is given as left.
        """
        try:
            await self._end_there(record, ending or Ending())
        except StudioError as error:
            log.warning("%s: %s", record.id, error)
            return [record.process]
        return await end_all(record)

    async def _end_there(self, record: ServerRecord, ending: Ending) -> None:
        host = ssh_host(record)
        await host.run(_SIGNAL, record.there, "TERM", "pid")
        grace = record.grace if ending.grace is None else ending.grace
        gone = await ending.wait(lambda: not self._children.running(record), grace)
        await host.run(_SIGNAL, record.there, "TERM" if gone else "KILL", "group")
        if not gone:
            await Ending().wait(lambda: not self._children.running(record), _GONE_WITHIN)

    async def follow_log(self, record: ServerRecord) -> None:
        """The process that stands for it here writes it."""

    def takes(self, record: ServerRecord) -> bool:
        """Whether it runs the same profile on the same host; without a launch, whether it runs there at all."""
        same = record.kind == "ssh" and record.name == self.host
        return same and (self.launch is None or record.profile == self.launch.profile.id)

    def how_it_ended(self, record: ServerRecord) -> str:
        """The exit code there, if we were the parent of what stood for it here."""
        return say("server.exit.ssh", {"host": self.host, "how": self._children.how_it_ended(record)})

    def _hold(self, launch: Launch, folder: str, here: int) -> ServerRecord:
        argv = own_argv("tether", self.host, folder, str(here), str(launch.port))
        record = self._children.spawn(
            argv,
            {},
            kind="ssh",
            started_by=self.started_by,
            grace=launch.profile.grace_s,
            profile=launch.profile.id,
            url=f"http://127.0.0.1:{here}",
            time_limit=launch.time_limit,
        )
        return record.model_copy(update={"name": self.host, "there": folder}).save()


def ssh_host(record: ServerRecord) -> SshHost:
    """The connection that a remote server's process holds."""
    return SshHost(record.name, (record.url or "").rpartition(":")[2])


def exports(env: Mapping[str, str]) -> str:
    """Variables as lines for `sh`; the storage folder is chosen there."""
    lines = [f"unset {name}" for name in REMOVED]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in env.items() if name != _STORAGE]
    return "\n".join(lines) + "\n"


def _free_port(wanted: int) -> int:
    """8091 there is 18091 here, or any free one: the port itself is left to servers of this machine."""
    near = wanted + _PORTS_APART
    if near < 1 << 16 and ports.is_free("127.0.0.1", near):
        return near
    return ports.any_free("127.0.0.1")
