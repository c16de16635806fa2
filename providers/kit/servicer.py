"""The engine's calls, turned into calls of `ResourceType` (rule 16). Only `request.preview` decides whether to act."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

import grpc
from google.protobuf import any_pb2, empty_pb2
from google.rpc import status_pb2
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import provider_pb2_grpc as rpc

from providers.kit.cancel import Cancel
from providers.kit.errors import Cancelled, FindingLike, InitFailed, Problem, ProviderError, render, render_one
from providers.kit.log import EngineLog, write_crash
from providers.kit.redaction import redact
from providers.kit.resource import Call, Properties, ResourceType
from providers.kit.values import UNKNOWN, to_python, to_struct

HARD_CANCEL_S = 1.5
_KINDS = {"add": pb.PropertyDiff.ADD, "delete": pb.PropertyDiff.DELETE, "update": pb.PropertyDiff.UPDATE}


class Servicer(rpc.ResourceProviderServicer):
    """One provider process: `resources` by type token."""

    def __init__(self, name: str, version: str, resources: Mapping[str, ResourceType], cancel: Cancel, log: EngineLog) -> None:
        self.name = name
        self.version = version
        self.resources = dict(resources)
        self.cancel = cancel
        self.log = log
        self._live: dict[int, grpc.ServicerContext] = {}
        self._lock = threading.Lock()

    # --- the plugin itself

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> pb.ProviderHandshakeResponse:  # noqa: N802, ARG002
        return pb.ProviderHandshakeResponse(accept_secrets=False, accept_resources=True)

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:  # noqa: N802, ARG002
        return plugin_pb2.PluginInfo(version=self.version)

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> pb.GetSchemaResponse:  # noqa: N802, ARG002
        return pb.GetSchemaResponse(schema="{}")

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> pb.CheckResponse:  # noqa: N802, ARG002
        return pb.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> pb.DiffResponse:  # noqa: N802, ARG002
        return pb.DiffResponse(changes=pb.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> pb.ConfigureResponse:  # noqa: N802, ARG002
        return pb.ConfigureResponse(acceptSecrets=False, supportsPreview=True, acceptResources=True)

    def GetMapping(self, request: Any, context: grpc.ServicerContext) -> pb.GetMappingResponse:  # noqa: N802, ARG002
        return pb.GetMappingResponse()

    def GetMappings(self, request: Any, context: grpc.ServicerContext) -> pb.GetMappingsResponse:  # noqa: N802, ARG002
        return pb.GetMappingsResponse()

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> NoReturn:  # noqa: N802
        self._refuse(context, f"provider {self.name} has no functions (asked for {request.tok})")

    def Call(self, request: Any, context: grpc.ServicerContext) -> NoReturn:  # noqa: N802
        self._refuse(context, f"provider {self.name} has no methods (asked for {request.tok})")

    def Construct(self, request: Any, context: grpc.ServicerContext) -> NoReturn:  # noqa: N802
        self._refuse(context, f"provider {self.name} has no components (asked for {request.type})")

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:  # noqa: N802, ARG002
        self.cancel.set()
        threading.Thread(target=self._end_calls, name="hard-cancel", daemon=True).start()
        return empty_pb2.Empty()

    # --- resources

    def Check(self, request: Any, context: grpc.ServicerContext) -> pb.CheckResponse:  # noqa: N802
        def work(resource: ResourceType, _: Call) -> pb.CheckResponse:
            news = to_python(request.news)
            wrong = resource.check(news)
            failures = [pb.CheckFailure(property=path, reason=redact(reason)) for path, reason in wrong]
            kept = news if wrong else resource.condense(to_python(request.olds), news)
            return pb.CheckResponse(inputs=request.news if kept is news else to_struct(kept), failures=failures)

        return self._run(request, context, work)

    def Diff(self, request: Any, context: grpc.ServicerContext) -> pb.DiffResponse:  # noqa: N802
        def work(resource: ResourceType, call: Call) -> pb.DiffResponse:
            call = replace(call, state=to_python(request.olds))
            changes = resource.diff(_old_inputs(request), to_python(request.news), call)
            return pb.DiffResponse(
                changes=pb.DiffResponse.DIFF_SOME if changes else pb.DiffResponse.DIFF_NONE,
                diffs=sorted({_top(path) for path in changes}),
                detailedDiff={path: pb.PropertyDiff(kind=_KINDS[kind], inputDiff=True) for path, kind in changes.items()},
                hasDetailedDiff=True,
            )

        return self._run(request, context, work)

    def Create(self, request: Any, context: grpc.ServicerContext) -> pb.CreateResponse:  # noqa: N802
        inputs = to_python(request.properties)

        def work(resource: ResourceType, call: Call) -> pb.CreateResponse:
            if request.preview:
                return pb.CreateResponse(properties=self._state(resource, inputs, resource.preview(inputs, None)))
            made = resource.create(inputs, call)
            return pb.CreateResponse(id=made.id, properties=self._state(resource, inputs, made.outputs))

        return self._run(request, context, work, inputs)

    def Update(self, request: Any, context: grpc.ServicerContext) -> pb.UpdateResponse:  # noqa: N802
        inputs = to_python(request.news)
        olds = to_python(request.olds)

        def work(resource: ResourceType, call: Call) -> pb.UpdateResponse:
            if request.preview:
                return pb.UpdateResponse(properties=self._state(resource, inputs, resource.preview(inputs, olds)))
            outputs = resource.update(request.id, _old_inputs(request), inputs, olds, call)
            return pb.UpdateResponse(properties=self._state(resource, inputs, outputs))

        return self._run(request, context, work, inputs)

    def Read(self, request: Any, context: grpc.ServicerContext) -> pb.ReadResponse:  # noqa: N802
        inputs, state = to_python(request.inputs), to_python(request.properties)

        def work(resource: ResourceType, call: Call) -> pb.ReadResponse:
            outputs = {key: value for key, value in state.items() if key not in inputs}
            try:
                seen = resource.read(request.id, inputs, outputs, call)
            except (Cancelled, InitFailed):
                raise
            except ProviderError as error:
                raise InitFailed(request.id, outputs, error.problems) from None
            except Exception:  # noqa: BLE001  (one dead device must not stop the refresh of all others)
                raise InitFailed(request.id, outputs, [self._crash("Read", call)]) from None
            hidden = resource.secret_outputs
            known = to_struct(_properties(resource, seen.inputs, seen.outputs), hidden)
            return pb.ReadResponse(id=request.id, properties=known, inputs=to_struct(seen.inputs))

        return self._run(request, context, work, inputs)

    def Delete(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:  # noqa: N802
        def work(resource: ResourceType, call: Call) -> empty_pb2.Empty:
            resource.delete(request.id, to_python(request.old_inputs), to_python(request.properties), call)
            return empty_pb2.Empty()

        return self._run(request, context, work)

    # --- how every call runs and how it fails

    def _run(
        self,
        request: Any,
        context: grpc.ServicerContext,
        work: Callable[[ResourceType, Call], Any],
        inputs: Properties | None = None,
    ) -> Any:
        kind, name = _kind(request.urn), request.urn.rpartition("::")[2]
        resource = self.resources.get(kind)
        if resource is None:
            self._refuse(context, f"provider {self.name} has no resource {kind}; it has {', '.join(sorted(self.resources))}")
        call = Call(request.urn, name, self.cancel, self.log, getattr(request, "timeout", 0.0))
        with self._lock:
            self._live[id(context)] = context
        try:
            self.cancel.check(name)
            return work(resource, call)
        except InitFailed as error:
            self._half_done(context, resource, inputs or {}, error)
        except ProviderError as error:
            code = grpc.StatusCode.CANCELLED if isinstance(error, Cancelled) else grpc.StatusCode.UNKNOWN
            self._fail(context, str(error), code)
        except Exception:  # noqa: BLE001  (the user gets one line, the file gets the traceback)
            self._fail(context, render_one(self._crash("the call", call)))
        finally:
            with self._lock:
                self._live.pop(id(context), None)

    def _state(self, resource: ResourceType, inputs: Properties, outputs: Properties) -> Any:
        return to_struct(_properties(resource, inputs, outputs), resource.secret_outputs)

    def _half_done(
        self, context: grpc.ServicerContext, resource: ResourceType, inputs: Properties, error: InitFailed
    ) -> NoReturn:
        known = inputs if error.inputs is None else error.inputs
        detail = pb.ErrorResourceInitFailed(
            id=error.id,
            properties=self._state(resource, known, {k: v for k, v in error.outputs.items() if v != UNKNOWN}),
            reasons=_reasons(error.problems),
            inputs=to_struct(known),
        )
        packed = any_pb2.Any()
        packed.Pack(detail)
        text = redact(render(error.problems))
        status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=text, details=[packed])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        self._fail(context, text)

    def _fail(self, context: grpc.ServicerContext, text: str, code: grpc.StatusCode = grpc.StatusCode.UNKNOWN) -> NoReturn:
        context.abort(code, redact(text))
        raise AssertionError("abort always raises")

    def _refuse(self, context: grpc.ServicerContext, text: str) -> NoReturn:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, text)
        raise AssertionError("abort always raises")

    def _crash(self, what: str, call: Call) -> Problem:
        path = write_crash(self.name, f"{what} of {call.urn}")
        where = f"{call.name}, provider {self.name}"
        seen = f"details in {path}" if path else "details could not be written"
        return Problem("KIT-001", where, f"an error that was not foreseen in {what}", "", f"report it; {seen}")

    def _end_calls(self) -> None:
        """Calls that still run after a while (inside one long request) are ended towards the engine; the next run adopts."""
        time.sleep(HARD_CANCEL_S)
        with self._lock:
            late = list(self._live.values())
        for context in late:
            with suppress(Exception):
                context.cancel()


def _properties(resource: ResourceType, inputs: Properties, outputs: Properties) -> Properties:
    """Inputs and outputs together, without the large inputs that the state holds anyway."""
    return {**{key: value for key, value in inputs.items() if key not in resource.only_inputs}, **outputs}


def _kind(urn: str) -> str:
    """`urn:pulumi:stack::project::parentType$type::name` -> `type`."""
    parts = urn.split("::")
    return parts[2].rpartition("$")[2] if len(parts) > 3 else urn


def _top(path: str) -> str:
    return path.split(".", 1)[0].split("[", 1)[0]


def _old_inputs(request: Any) -> Properties:
    """Inputs of last time; an engine that doesn't send them gives the state, of which only keys that are inputs now count."""
    old = to_python(request.old_inputs)
    if old:
        return old
    news = to_python(request.news)
    return {key: value for key, value in to_python(request.olds).items() if key in news}


def _reasons(problems: Iterable[FindingLike]) -> list[str]:
    return [redact(render_one(problem)) for problem in problems]
