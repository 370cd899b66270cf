package org.warpnfs.server.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.nfs.stats.Metered;

/**
 * Creates the spans of a call: one for the call, and a child span for each operation of a COMPOUND. Attributes have the
 * names of OpenTelemetry's semantic conventions if there are any ({@code rpc.*}, {@code onc_rpc.*}, {@code client.*},
 * {@code network.*}). Not safe for several threads.
 */
final class CallSpans {
    /** Statuses for faults of the server or its host. All other statuses are normal answers. */
    private static final Set<String> FAULTS = Set.of("SERVERFAULT", "IO", "NXIO", "RESOURCE");

    private final Tracer tracer;

    CallSpans(Tracer tracer) {
        this.tracer = tracer;
    }

    /** @param epochNanos the time 0 of the recorder's clock, in nanoseconds since 1970 */
    void add(CallTrail trail, long epochNanos) {
        Metered what = trail.call();
        Span call = tracer.spanBuilder(what.program() + "/" + what.operation())
                .setNoParent()
                .setSpanKind(SpanKind.SERVER)
                .setAllAttributes(attributes(trail))
                .setStartTimestamp(epochNanos + trail.beganNanos(), TimeUnit.NANOSECONDS)
                .startSpan();
        for (int i = 0; i < trail.kept(); i++) {
            Span operation = tracer.spanBuilder(what.program() + "/" + trail.operation(i))
                    .setParent(Context.root().with(call))
                    .setAttribute("nfs.status", trail.operationStatus(i))
                    .setStartTimestamp(epochNanos + trail.operationBeganNanos(i), TimeUnit.NANOSECONDS)
                    .startSpan();
            judge(operation, trail.operationStatus(i));
            operation.end(epochNanos + trail.operationEndedNanos(i), TimeUnit.NANOSECONDS);
        }
        judge(call, trail.status());
        call.end(epochNanos + trail.endedNanos(), TimeUnit.NANOSECONDS);
    }

    private static Attributes attributes(CallTrail trail) {
        Metered what = trail.call();
        CallOrigin origin = trail.origin();
        AttributesBuilder attributes = Attributes.builder()
                .put("rpc.system", "onc_rpc")
                .put("rpc.service", what.program())
                .put("rpc.method", what.operation())
                .put("onc_rpc.program.name", what.program())
                .put("onc_rpc.procedure.name", what.operation())
                .put("onc_rpc.version", Long.parseLong(what.version().substring(0, 1)))
                .put("nfs.version", what.version())
                .put("nfs.status", trail.status())
                .put("nfs.xid", Integer.toHexString(origin.xid()))
                .put("network.transport", "tcp");
        if (trail.operations() > trail.kept()) {
            attributes.put("nfs.operations", trail.operations());
        }
        String peer = origin.peer();
        int colon = peer.lastIndexOf(':');
        if (colon > 0) {
            String address = peer.substring(0, colon).replaceAll("[\\[\\]]", "");
            attributes.put("client.address", address).put("network.peer.address", address);
            attributes.put("network.peer.port", Long.parseLong(peer.substring(colon + 1)));
        }
        return attributes.build();
    }

    private static void judge(Span span, String status) {
        if (FAULTS.contains(status)) {
            span.setStatus(StatusCode.ERROR, status);
        }
    }
}
