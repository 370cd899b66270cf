package org.warpnfs.rpcrdma.oncrpc;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * The Xdr of one call and of its reply: oncrpc4j decodes the one from and encodes the other into the same object.
 *
 * <h2>Operation</h2>
 *
 * Payloads are encoded as {@link ItemXdr} has it.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads from their encoding until the reply is sent; encoding a second reply instead of the first releases the
 * first one's.
 *
 * <h2>Errors</h2>
 *
 * A second reply to one call is logged and goes nowhere.
 */
final class CallXdr extends ItemXdr {
    private static final Logger LOG = LoggerFactory.getLogger(CallXdr.class);

    private final InboundCall call;
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile @Nullable Thread encoder;

    CallXdr(InboundCall call) {
        super(call.arguments());
        this.call = call;
    }

    /** True from the moment a reply or a drop was decided on. */
    boolean answered() {
        return answered.get();
    }

    /** True if a reply was begun on this thread and never sent: its encoder failed. One that another thread is encoding is still to come. */
    boolean abandoned() {
        return encoder == Thread.currentThread() && !answered.get();
    }

    @Override
    public void beginEncoding() {
        encoder = Thread.currentThread();
        super.beginEncoding();
    }

    /**
     * Sends what was encoded.
     *
     * @return length of the unreduced reply, or -1 if the call had been answered before
     */
    long send() {
        if (!answered.compareAndSet(false, true)) {
            LOG.error("a program answered one call twice");
            releaseItems();
            return -1;
        }
        RpcMessage reply = takeMessage();
        long lengthBytes = reply.lengthBytes();
        call.reply(reply);
        return lengthBytes;
    }

    /** Ends the call without a reply. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            releaseItems();
            call.drop();
        }
    }
}
