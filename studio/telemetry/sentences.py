"""What telemetry has to say."""

from studio.core.words import sentences

sentences(
    {
        "gpu.elsewhere": "GPU memory is not reported: the server runs on a machine that the studio cannot read.",
        "gpu.none": "GPU memory is not reported: no card was found on this machine.",
        "gpu.no_driver": "GPU memory is not reported: there is no NVIDIA driver on this machine.",
        "gpu.driver_changed": "GPU memory is not reported: the NVIDIA driver was updated and its running part is older. Restart the machine.",
        "gpu.no_permission": "GPU memory is not reported: this user may not read the NVIDIA driver.",
        "gpu.failed": "GPU memory is not reported: the driver said “{said}”.",
        "gpu.no_tool": "GPU memory is not reported: {tool} could not be started ({said}).",
        "gpu.tool_ended": "GPU memory is not reported: “{tool}” ended. {said}",
        "gpu.steps_none": "No step signal from this server. It tells every step when it is started with the environment that the Server workspace shows under Command, and without --step-execution.",
        "alert.memory": "GPU {gpu} is nearly full: {used} of {total} GB.",
        "alert.slow": "Steps take twice as long as before: {now} s instead of {before} s.",
        "alert.silent": "No step for {seconds} s; one usually takes {usual} s. The server may hang.",
        "alert.hot": "GPU {gpu} slows itself down at {degrees} °C.",
        "alert.host": "This machine's memory is nearly used up: {free} GB are left.",
        "alert.disk": "The disk for results is nearly full: {free} GB are left.",
    }
)
