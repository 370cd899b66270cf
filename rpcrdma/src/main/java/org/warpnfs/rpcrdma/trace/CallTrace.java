package org.warpnfs.rpcrdma.trace;

import org.jspecify.annotations.Nullable;

/**
 * Records the steps of one call for the Java Flight Recorder.
 *
 * <p>While no recording runs, each step costs the test of a flag. Each step is recorded at most once, in the order of
 * the methods, by one thread at a time.
 */
public final class CallTrace {
    /** How many bytes of a call are sent inline and in chunks. */
    public record Sizes(long inlineBytes, long readChunkBytes, long writeChunkBytes, long replyChunkBytes) {}

    /** How a reply was sent. */
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

    /** @param requester named in the events by its {@code toString()}, which is called only while a recording runs */
    public CallTrace(long xid, Object requester) {
        this.xid = xid;
        this.requester = requester;
    }

    /** The XID of the call. */
    public long xid() {
        return xid;
    }

    /** The message that begins the call has arrived. */
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

    /** The last byte has been pulled. */
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

    /** A program begins to work on a call of any transport. */
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

    /** The reply has been posted. */
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
