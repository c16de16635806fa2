"""A provider that does nothing: every resource exists at once. The engine's own cost, as baseline of `up`.

python bench/null_provider.py ENGINE_ADDRESS    # as the engine starts a plugin; tokens as the real provider answers them
"""

import sys
from concurrent import futures
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import grpc
from google.protobuf import empty_pb2
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import provider_pb2_grpc as rpc

from providers.kit.cancel import Cancel
from providers.kit.lifetime import watch
from providers.kit.serve import MESSAGE_BYTES, threads

TOKENS = {"Machine": "machine", "Installation": "installed", "FacilityGate": "facility"}
FACTS = {"digest": "0" * 64, "ready": 0, "hostKeyFingerprint": "none", "installationId": "none"}


class NullProvider(rpc.ResourceProviderServicer):
    """Answers with what it was given."""

    def Handshake(self, request: Any, context: Any) -> pb.ProviderHandshakeResponse:  # noqa: N802, ARG002
        return pb.ProviderHandshakeResponse(accept_secrets=False, accept_resources=True)

    def GetPluginInfo(self, request: Any, context: Any) -> plugin_pb2.PluginInfo:  # noqa: N802, ARG002
        return plugin_pb2.PluginInfo(version="0.1.0")

    def GetSchema(self, request: Any, context: Any) -> pb.GetSchemaResponse:  # noqa: N802, ARG002
        return pb.GetSchemaResponse(schema="{}")

    def CheckConfig(self, request: Any, context: Any) -> pb.CheckResponse:  # noqa: N802, ARG002
        return pb.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> pb.DiffResponse:  # noqa: N802, ARG002
        return pb.DiffResponse(changes=pb.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: Any) -> pb.ConfigureResponse:  # noqa: N802, ARG002
        return pb.ConfigureResponse(acceptSecrets=False, supportsPreview=True, acceptResources=True)

    def Check(self, request: Any, context: Any) -> pb.CheckResponse:  # noqa: N802, ARG002
        return pb.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> pb.DiffResponse:  # noqa: N802, ARG002
        return pb.DiffResponse(changes=pb.DiffResponse.DIFF_NONE)

    def Create(self, request: Any, context: Any) -> pb.CreateResponse:  # noqa: N802, ARG002
        kind, name = request.urn.split("::")[2].rpartition(":")[2], request.urn.rpartition("::")[2]
        state = Struct()
        state.CopyFrom(request.properties)
        state.update(FACTS | {"token": TOKENS.get(kind, "")})
        return pb.CreateResponse(id="" if request.preview else name, properties=state)

    def Delete(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: N802, ARG002
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: Any) -> empty_pb2.Empty:  # noqa: N802, ARG002
        return empty_pb2.Empty()


def main() -> None:
    """Serves as our own providers do: same threads, same watchdog."""
    watch(Cancel())
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    server = grpc.server(futures.ThreadPoolExecutor(threads()), options=options)
    rpc.add_ResourceProviderServicer_to_server(NullProvider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
