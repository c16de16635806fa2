"""Starts a provider process: a threaded gRPC server on loopback whose port is the first line of stdout."""

import os
import sys
from collections.abc import Mapping
from concurrent import futures

import grpc
from pulumi.runtime.proto import provider_pb2_grpc as rpc

from providers.kit import lifetime
from providers.kit.cancel import Cancel
from providers.kit.log import EngineLog
from providers.kit.resource import ResourceType
from providers.kit.servicer import Servicer

LEAST_THREADS = 544  # 512 machines may wait at once, and Check, Diff and Cancel must not queue behind them
MESSAGE_BYTES = 400 << 20


def threads() -> int:
    """Worker threads: `--parallel` (as PULUMI_PARALLEL) plus 32, at least 544. Threads are made when needed."""
    try:
        parallel = int(os.environ.get("PULUMI_PARALLEL", "0"))
    except ValueError:
        parallel = 0
    return max(LEAST_THREADS, parallel + 32)


def serve(name: str, version: str, resources: Mapping[str, ResourceType]) -> None:
    """Serves until the engine or SIGTERM ends the process; ends by itself within a second of its parent's death."""
    cancel = Cancel()
    log = EngineLog(sys.argv[-1] if len(sys.argv) > 1 and ":" in sys.argv[-1] else None)
    lifetime.watch(cancel)
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.server(futures.ThreadPoolExecutor(threads(), thread_name_prefix="call"), options=options)
    rpc.add_ResourceProviderServicer_to_server(Servicer(name, version, resources, cancel, log), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    server.wait_for_termination()
