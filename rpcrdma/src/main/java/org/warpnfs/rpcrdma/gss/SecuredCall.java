package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.ietf.jgss.GSSException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * A call whose sender is verified, and whose arguments are in the clear.
 *
 * <h2>Operation</h2>
 *
 * The arguments are the call as its sender made it, with the credential. The verifier has been verified and means
 * nothing any more. Results of a protected call are protected when the reply is handed over, on the thread that does
 * it, so a reply that is remembered somewhere above is protected anew each time. A reply that reports an error has no
 * results, and goes as it is.
 *
 * <h2>Buffers</h2>
 *
 * Decrypted arguments are a copy on the heap, which lives as long as the call. A protected reply is one piece on the
 * heap, without items that a transport could move on their own. The transport counts it as it counts every reply, in
 * the share of its client. The payloads of the clear reply are released when it has been protected. What is needed
 * beside it while it is protected is bounded by {@link LongBodies}.
 *
 * <h2>Errors</h2>
 *
 * A reply that cannot be protected is dropped and logged; its caller asks again.
 */
public final class SecuredCall implements InboundCall {
    private static final Logger LOG = LoggerFactory.getLogger(SecuredCall.class);
    private static final int REPLY_STATUS_AT = 2 * Integer.BYTES;
    private static final int VERIFIER_LENGTH_AT = 4 * Integer.BYTES;
    private static final int VERIFIER_AT = 5 * Integer.BYTES;

    private final InboundCall call;
    private final XdrStream arguments;
    private final GssCaller caller;
    private final SecurityContext security;
    private final LongBodies bodies;

    SecuredCall(InboundCall call, XdrStream arguments, GssCaller caller, SecurityContext security, LongBodies bodies) {
        this.call = call;
        this.arguments = arguments;
        this.caller = caller;
        this.security = security;
        this.bodies = bodies;
    }

    public GssCaller caller() {
        return caller;
    }

    /** True if the arguments were verified or decrypted as a whole, and are a copy. */
    public boolean isProtected() {
        return caller.service() != GssService.NONE;
    }

    @Override
    public XdrStream arguments() {
        return arguments;
    }

    @Override
    public boolean holdsMemory() {
        return call.holdsMemory();
    }

    @Override
    public boolean mayBegin(boolean mayBeLong, Runnable retry) {
        return call.mayBegin(mayBeLong, retry);
    }

    @Override
    public boolean holds(long replyBytes) {
        return call.holds(replyBytes);
    }

    /** A file's bytes must be seen before they can be protected. */
    @Override
    public int maxRangeBytes() {
        return isProtected() ? 0 : call.maxRangeBytes();
    }

    @Override
    public void reply(RpcMessage reply) {
        if (!isProtected()) {
            call.reply(reply);
            return;
        }
        ByteBuffer xdr = reply.xdr();
        int headBytes = headBytes(xdr);
        if (headBytes < 0) {
            call.reply(reply);
            return;
        }
        ByteBuffer closed;
        try {
            int bodyBytes = Math.toIntExact(reply.lengthBytes() - headBytes + Integer.BYTES);
            closed = bodies.inTurn(
                    bodyBytes,
                    () -> ProtectedBody.close(
                            xdr.slice(xdr.position(), headBytes),
                            body(reply, headBytes),
                            bodyBytes,
                            caller.service(),
                            security));
        } catch (GSSException | RuntimeException | Error e) {
            LOG.error("the reply to a call of {} could not be protected, and is dropped", caller.principal(), e);
            reply.release();
            call.drop();
            return;
        }
        reply.items().forEach(item -> item.payload().release());
        call.reply(new RpcMessage(closed, List.of(), reply.left()));
    }

    /** The number of this call, and then the results. */
    private List<ByteBuffer> body(RpcMessage reply, int headBytes) {
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(ByteBuffer.allocate(Integer.BYTES).putInt(0, (int) caller.sequence()));
        int skipBytes = headBytes;
        for (ByteBuffer piece : reply.gather()) {
            ByteBuffer rest = piece.duplicate();
            int skipped = Math.min(skipBytes, rest.remaining());
            skipBytes -= skipped;
            pieces.add(rest.position(rest.position() + skipped));
        }
        return pieces;
    }

    /** The length of the header of a successful reply; -1 for another reply, which has no results. */
    private static int headBytes(ByteBuffer xdr) {
        int from = xdr.position();
        if (xdr.remaining() < VERIFIER_AT + Integer.BYTES || xdr.getInt(from + REPLY_STATUS_AT) != 0) {
            return -1;
        }
        int acceptStatusAt = VERIFIER_AT + XdrStream.roundUp(xdr.getInt(from + VERIFIER_LENGTH_AT));
        return xdr.getInt(from + acceptStatusAt) == 0 ? acceptStatusAt + Integer.BYTES : -1;
    }

    @Override
    public void drop() {
        call.drop();
    }
}
