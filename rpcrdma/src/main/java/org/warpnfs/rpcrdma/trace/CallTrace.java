package org.warpnfs.rpcrdma.trace;

import org.jspecify.annotations.Nullable;

/**
 * Tells the Flight Recorder what becomes of one call.
 *
 * <p>Costs one test of a flag for each step while nobody records. Each step is called once, in the order of the
 * methods, and each on one thread at a time.
 */
public final class CallTrace {
    /** How much of a call travels which way. */
    public record Sizes(long inlineBytes, long readChunkBytes, long writeChunkBytes, long replyChunkBytes) {}

    /** How a reply left. */
    public enum ReplyKind {
        INLINE,
        LONG,
        EXPOSED,
        ERROR
    }

    private final long xid;
    private final Object requester;
    private @Nullable ChunksPulledEvent pulled;
    private @Nullable CallRepliedEvent replied;

    /** @param requester named in the events by its {@code toString()}, which is called while one is recorded */
    public CallTrace(long xid, Object requester) {
        this.xid = xid;
        this.requester = requester;
    }

    /** As the requester counts its calls. */
    public long xid() {
        return xid;
    }

    /** The message that begins the call is here. */
    public void received(Sizes sizes) {
        CallRepliedEvent whole = new CallRepliedEvent();
        if (whole.isEnabled()) {
            whole.begin();
            replied = whole;
        }
        CallReceivedEvent event = new CallReceivedEvent();
        if (event.isEnabled()) {
            event.xid = xid;
            event.requester = requester.toString();
            event.inlineBytes = sizes.inlineBytes;
            event.readChunkBytes = sizes.readChunkBytes;
            event.writeChunkBytes = sizes.writeChunkBytes;
            event.replyChunkBytes = sizes.replyChunkBytes;
            event.commit();
        }
    }

    /** The first RDMA Read is about to be posted. */
    public void pulling() {
        ChunksPulledEvent event = new ChunksPulledEvent();
        if (event.isEnabled()) {
            event.begin();
            pulled = event;
        }
    }

    /** The last byte is here. */
    public void pulled(long bytes) {
        ChunksPulledEvent event = pulled;
        if (event != null) {
            event.xid = xid;
            event.requester = requester.toString();
            event.bytes = bytes;
            event.commit();
            pulled = null;
        }
    }

    /** A program begins to work on a call, whatever transport it came by. */
    public static void dispatched(int xid, Object requester, int program, int version, int procedure) {
        CallDispatchedEvent event = new CallDispatchedEvent();
        if (event.isEnabled()) {
            event.xid = Integer.toUnsignedLong(xid);
            event.requester = requester.toString();
            event.program = Integer.toUnsignedLong(program);
            event.version = Integer.toUnsignedLong(version);
            event.procedure = Integer.toUnsignedLong(procedure);
            event.commit();
        }
    }

    /** The reply is posted. */
    public void replied(ReplyKind kind, long inlineBytes, long writtenBytes, int creditsGranted) {
        CallRepliedEvent event = replied;
        if (event != null) {
            event.xid = xid;
            event.requester = requester.toString();
            event.kind = kind.name();
            event.inlineBytes = inlineBytes;
            event.writtenBytes = writtenBytes;
            event.creditsGranted = creditsGranted;
            event.commit();
            replied = null;
        }
    }
}
