package org.warpnfs.rpcrdma.gss;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * RPCSEC_GSS version 1 (RFC 2203) for all connections of a server.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * call                                     | result
 * -----------------------------------------+--------------------------------------------------------------
 * INIT, CONTINUE_INIT                      | answered here: a context, a token to go on with, or gss_major
 * another version                          | denied, AUTH_REJECTEDCRED
 * credential or verifier not decodable     | denied, AUTH_BADCRED, AUTH_BADVERF
 * no such context, or it has expired       | denied, RPCSEC_GSS_CREDPROBLEM: the client makes a new context
 * verifier is not the owner's              | denied, RPCSEC_GSS_CREDPROBLEM
 * number of 2^31 or more                   | denied, RPCSEC_GSS_CTXPROBLEM, and the context ends
 * number seen before, or below the window  | dropped without a reply
 * body not decodable, not its sender's,    |
 * or of another call                       | GARBAGE_ARGS
 * DESTROY                                  | the context ends, answered here
 * DATA                                     | opened, for the program
 * </pre>
 *
 * The steps are taken in this order, so only the owner of a context can use up a number, end the context or have bytes
 * decrypted. Nothing here waits for anything; but a token costs milliseconds of a processor, and so do the bytes of a
 * long body. So {@link #open} is for the threads that run programs, not for an event loop.
 *
 * <h2>Buffers</h2>
 *
 * See {@link SecuredCall} and {@link ContextTable}.
 *
 * <h2>Errors</h2>
 *
 * Above. Safe for any thread.
 */
public final class GssLayer {
    private static final Logger LOG = LoggerFactory.getLogger(GssLayer.class);
    private static final byte[] NO_VERIFIER = {};
    private static final int AUTH_NONE = 0;
    private static final int NULL = 0;

    private final ContextAcceptor acceptor;
    private final GssOptions options;
    private final RandomGenerator random;
    private final LongSupplier clockNanos;
    private final ContextTable contexts;
    private final LongBodies bodies;
    private final GssCounts counts = new GssCounts();
    private final LogLimiter lines = new LogLimiter();

    /**
     * @param random draws the handles; must be unpredictable
     * @param clockNanos never goes back
     */
    public GssLayer(ContextAcceptor acceptor, GssOptions options, RandomGenerator random, LongSupplier clockNanos) {
        this.acceptor = acceptor;
        this.options = options;
        this.random = random;
        this.clockNanos = clockNanos;
        this.bodies = new LongBodies(options.longBodies());
        this.contexts = new ContextTable(options.maxContexts(), counts, clockNanos.getAsLong());
    }

    /** The work that is needed before a program can have a call. */
    public enum Work {
        /** None: the call has another credential. */
        NONE,
        /** Verifying a header. */
        HEADER,
        /** Verifying or decrypting a body. */
        BODY,
        /** A token of a new context, with the keys of a ticket. */
        TOKEN
    }

    /** Looks at the first words of a call. The call is rewound. */
    public static Work workOf(XdrStream call) {
        if (!CallHeader.isGss(call)) {
            return Work.NONE;
        }
        CallHeader.Look look = CallHeader.look(call);
        if (look == null) {
            return Work.HEADER;
        }
        if (look.procedure().isInit()) {
            return Work.TOKEN;
        }
        return look.service() == GssService.NONE ? Work.HEADER : Work.BODY;
    }

    /** The number of contexts. */
    public int contextCount() {
        return contexts.size();
    }

    /**
     * An established context for calls to its client.
     *
     * @param handle as the client knows it
     * @return null if there is none
     */
    public @Nullable ReverseContext reverse(byte[] handle) {
        ContextHandle named = ContextHandle.of(ByteBuffer.wrap(handle));
        GssContext found = named == null ? null : contexts.find(named, clockNanos.getAsLong());
        String owner = found == null ? null : found.owner();
        if (found == null || owner == null) {
            return null;
        }
        ContextHandle ofContext = found.handle();
        WeakReference<GssContext> known = new WeakReference<>(found);
        return new ReverseContext(known, owner, () -> {
            GssContext context = known.get();
            long now = clockNanos.getAsLong();
            return context != null && contexts.find(ofContext, now) == context
                    ? Math.max(0, context.remainingNanos(now))
                    : 0;
        });
    }

    public GssCounts counts() {
        return counts;
    }

    /**
     * Opens a call whose work is not {@link Work#NONE}.
     *
     * @param client the peer of the connection
     * @return the call for its program; null if it has been answered or dropped
     */
    public @Nullable SecuredCall open(InboundCall call, ClientAddress client) {
        XdrStream in = call.arguments();
        in.rewind();
        int xid = in.readInt();
        in.rewind();
        try {
            CallHeader header = CallHeader.read(in);
            return header.credential().procedure().isInit()
                    ? create(call, header, client)
                    : use(call, header, client, find(header.credential()));
        } catch (GssRefusal e) {
            counts.add(GssCounts.Event.CALL_DENIED);
            log("denies", client, e.status() + ": " + e.getMessage());
            call.reply(ReplyHeads.denied(xid, e.status()));
            return null;
        }
    }

    private @Nullable SecuredCall create(InboundCall call, CallHeader header, ClientAddress client) throws GssRefusal {
        if (header.procedure() != NULL) {
            throw new GssRefusal(AuthStatus.BADCRED, "a context is created by procedure " + header.procedure());
        }
        if (header.verifierFlavor() != AUTH_NONE || header.verifier().length != 0) {
            throw new GssRefusal(AuthStatus.BADVERF, "a verifier before there is a context");
        }
        byte[] token = token(call.arguments());
        if (token == null) {
            call.reply(ReplyHeads.empty(header.xid(), NO_VERIFIER, ReplyHeads.GARBAGE_ARGS));
            return null;
        }
        GssContext context = contextFor(header.credential(), client);
        if (context == null) {
            call.reply(ReplyHeads.initialized(
                    header.xid(),
                    NO_VERIFIER,
                    InitResult.failed(MajorStatus.of(new GSSException(GSSException.NO_CRED)), 0)));
            return null;
        }
        try {
            byte[] answer;
            byte[] verifier = NO_VERIFIER;
            boolean done;
            synchronized (context.security()) {
                if (context.security().isEstablished()) {
                    throw new GSSException(GSSException.DEFECTIVE_TOKEN);
                }
                answer = context.security().accept(token);
                done = context.security().isEstablished();
                if (done) {
                    verifier = context.security().mic(word(SequenceWindow.SIZE));
                    context.established(
                            context.security().initiator(),
                            clockNanos.getAsLong()
                                    + options.life(context.security().remaining())
                                            .toNanos());
                    counts.add(GssCounts.Event.CONTEXT_ESTABLISHED);
                }
            }
            if (header.credential().procedure() == GssProcedure.INIT) {
                contexts.add(context, clockNanos.getAsLong());
            }
            call.reply(ReplyHeads.initialized(
                    header.xid(),
                    verifier,
                    new InitResult(
                            context.handle().toBytes(),
                            done ? MajorStatus.COMPLETE : MajorStatus.CONTINUE_NEEDED,
                            0,
                            SequenceWindow.SIZE,
                            answer)));
        } catch (GSSException e) {
            if (context.owner() == null) {
                contexts.remove(context);
            }
            counts.add(GssCounts.Event.TOKEN_REFUSED);
            log("does not accept a token", client, e.getMessage());
            call.reply(ReplyHeads.initialized(
                    header.xid(), NO_VERIFIER, InitResult.failed(MajorStatus.of(e), e.getMinor())));
        }
        return null;
    }

    private @Nullable GssContext contextFor(GssCredential credential, ClientAddress client) throws GssRefusal {
        if (credential.procedure() == GssProcedure.CONTINUE_INIT) {
            return find(credential);
        }
        try {
            long now = clockNanos.getAsLong();
            return new GssContext(
                    ContextHandle.draw(random),
                    acceptor.begin(),
                    client,
                    now,
                    now + options.creation().toNanos());
        } catch (GSSException e) {
            log("has no credential", client, e.getMessage());
            return null;
        }
    }

    private GssContext find(GssCredential credential) throws GssRefusal {
        ContextHandle handle = ContextHandle.of(credential.handle());
        GssContext found = handle == null ? null : contexts.find(handle, clockNanos.getAsLong());
        if (found == null) {
            throw new GssRefusal(AuthStatus.CREDPROBLEM, "no such context, or it has expired");
        }
        return found;
    }

    private byte @Nullable [] token(XdrStream in) {
        if (in.remainingBytes() < Integer.BYTES) {
            return null;
        }
        int lengthBytes = in.readInt();
        if (lengthBytes < 0
                || lengthBytes > in.remainingBytes()
                || lengthBytes > options.maxTokenBytes()
                || !in.beginCounted(lengthBytes)
                || lengthBytes > in.remainingBytes()) {
            return null;
        }
        byte[] token = new byte[lengthBytes];
        in.read(token, 0, lengthBytes);
        return token;
    }

    /** Opens a call of a context, whatever the context is called. */
    @Nullable
    SecuredCall use(InboundCall call, CallHeader header, ClientAddress client, GssContext context) throws GssRefusal {
        GssCredential credential = header.credential();
        String owner = context.owner();
        if (owner == null) {
            throw new GssRefusal(AuthStatus.CREDPROBLEM, "the context is not established");
        }
        if (header.verifierFlavor() != GssCredential.FLAVOR) {
            throw new GssRefusal(AuthStatus.BADVERF, "a verifier of flavor " + header.verifierFlavor());
        }
        try {
            context.security().verifyMic(header.verifier(), header.covered());
        } catch (GSSException e) {
            throw new GssRefusal(AuthStatus.CREDPROBLEM, "the verifier of a call of " + owner + ": " + e.getMessage());
        }
        if (credential.sequence() >= GssCredential.MAX_SEQUENCE) {
            // The client needs a new context. Calls that it has sent before may still arrive.
            throw new GssRefusal(AuthStatus.CTXPROBLEM, "number " + credential.sequence() + " is too high");
        }
        if (!context.window().accept(credential.sequence())) {
            counts.add(GssCounts.Event.CALL_REPEATED);
            log("drops a repetition", client, "number " + credential.sequence() + " of " + owner);
            call.drop();
            return null;
        }
        byte[] replyVerifier;
        try {
            replyVerifier = context.security().mic(word((int) credential.sequence()));
        } catch (GSSException e) {
            throw new GssRefusal(AuthStatus.CTXPROBLEM, "no verifier for a reply to " + owner + ": " + e.getMessage());
        }
        if (credential.procedure() == GssProcedure.DESTROY) {
            if (header.procedure() != NULL) {
                throw new GssRefusal(AuthStatus.BADCRED, "a context is destroyed by procedure " + header.procedure());
            }
            contexts.remove(context);
            call.reply(ReplyHeads.success(header.xid(), replyVerifier));
            return null;
        }
        GssCaller caller = new GssCaller(owner, credential.service(), credential.sequence(), replyVerifier);
        XdrStream arguments = call.arguments();
        if (credential.service() != GssService.NONE) {
            ByteBuffer open;
            try {
                XdrStream in = arguments;
                open = bodies.inTurn(
                        in.remainingBytes(),
                        () -> ProtectedBody.open(in, credential.service(), credential.sequence(), context.security()));
            } catch (ProtectedBody.Violation e) {
                counts.add(GssCounts.Event.BODY_REFUSED);
                log("does not accept a body", client, owner + ": " + e.getMessage());
                call.reply(ReplyHeads.empty(header.xid(), replyVerifier, ReplyHeads.GARBAGE_ARGS));
                return null;
            }
            arguments = clear(header, open);
        }
        arguments.rewind();
        return new SecuredCall(call, arguments, caller, context.security(), bodies);
    }

    /** The call in the clear, with an empty verifier. */
    private static XdrStream clear(CallHeader header, ByteBuffer open) {
        int argumentBytes = open.remaining() - Integer.BYTES;
        ByteBuffer clear = ByteBuffer.allocate(header.covered().length + 2 * Integer.BYTES + argumentBytes);
        clear.put(header.covered()).putInt(AUTH_NONE).putInt(0).put(open.slice(Integer.BYTES, argumentBytes));
        return XdrStream.of(clear.flip());
    }

    private static byte[] word(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private void log(String what, ClientAddress client, @Nullable String detail) {
        lines.admit(what, client).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", client)
                .addKeyValue("cause", what)
                .log("RPCSEC_GSS {} of {}: {} ({} more like it)", what, client, detail, more));
    }
}
