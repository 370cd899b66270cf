package org.warpnfs.nfs.v4;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.op.CallContext;
import org.warpnfs.nfs.v4.op.Effect;
import org.warpnfs.nfs.v4.op.Nfs4Services;
import org.warpnfs.nfs.v4.op.Operation;
import org.warpnfs.nfs.v4.op.Operations;
import org.warpnfs.nfs.v4.op.SessionRules;
import org.warpnfs.nfs.v4.op.Statuses;
import org.warpnfs.nfs.v4.state.CachedReply;
import org.warpnfs.nfs.v4.state.ChannelAttributes;
import org.warpnfs.nfs.v4.state.Client;
import org.warpnfs.nfs.v4.state.SequenceOutcome;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * COMPOUND (RFC 8881 section 16.2): operations one after the other until one fails.
 *
 * <pre>
 *   call   utf8str_cs tag, uint32 minorversion, nfs_argop4 argarray&lt;&gt;
 *   reply  nfsstat4 status, utf8str_cs tag, nfs_resop4 resarray&lt;&gt;
 * </pre>
 *
 * The tag comes back byte by byte. The status is that of the last operation that was executed, which is the last in the reply.
 */
final class Compound {
    private static final Logger LOG = LoggerFactory.getLogger(Compound.class);

    private static final int LAST_MINOR_VERSION = 2;
    /** Outside of a session; inside, what the session was granted. */
    private static final int MAX_OPERATIONS = 64;
    /** Of an accepted reply, before the COMPOUND's result: sizes of a channel include it (section 18.36.3). */
    private static final int RPC_REPLY_HEADER_BYTES = 24;
    /** Operation number and status, written before the operation executes. */
    private static final int RESULT_HEADER_BYTES = 8;

    private final Nfs4Services services;

    Compound(Nfs4Services services) {
        this.services = services;
    }

    /**
     * What stands before the operations.
     *
     * @param operationCount not checked against what remains: the first operation that is not there is the one that fails
     */
    record Header(Opaque tag, long minorVersion, long operationCount) {
        /** BADXDR if there is not even a COMPOUND around the operations. */
        static Header decode(XdrReader in) throws Nfs4Exception {
            return new Header(Opaque.decode(in), in.uint32(), in.uint32());
        }

        /** The reply of a COMPOUND that was not begun. */
        void refuse(Nfs4Status status, XdrWriter out) {
            out.int32(status.code());
            tag.encode(out);
            out.int32(0);
        }
    }

    /**
     * What is left to do.
     *
     * @param connectionBound the back channel of the caller's connection has to be tried once the reply is on its way
     * @param confirmed a client whose callback address has to be tried then
     * @param effect what doing the whole again would be
     */
    record Executed(boolean connectionBound, @Nullable Client confirmed, Effect effect) {}

    /** Executes the operations of a call into {@code out}. */
    Executed execute(CallContext.Caller4 caller, Header header, XdrReader in, XdrWriter out) {
        long minorVersion = header.minorVersion();
        if (minorVersion > LAST_MINOR_VERSION) {
            header.refuse(Nfs4Status.MINOR_VERS_MISMATCH, out);
            return new Executed(false, null, Effect.NONE);
        }
        out.int32(Nfs4Status.OK.code());
        header.tag().encode(out);
        int countAt = out.position();
        out.int32(0);
        int count = (int) Math.min(header.operationCount(), Integer.MAX_VALUE);
        in.limitTo(services.state().limits().maxRequestBytes());
        CallContext call = new CallContext(services, caller, (int) minorVersion, count);
        boolean ended = false;
        try {
            executeAll(call, (int) minorVersion, count, in, out, countAt);
            ended = true;
        } finally {
            endSequence(call, ended ? out : null);
            call.end();
        }
        if (call.sequence() instanceof SequenceOutcome.Replay replay) {
            out.truncate(0);
            replay.reply().encode(out);
        }
        return new Executed(call.isConnectionBound(), call.confirmed(), call.effect());
    }

    private void executeAll(CallContext call, int minorVersion, int count, XdrReader in, XdrWriter out, int countAt) {
        for (int index = 0; index < count; index++) {
            call.advanceTo(index);
            Nfs4Status status = executeOne(call, minorVersion, index, count, in, out);
            out.patch(countAt, index + 1);
            if (status != Nfs4Status.OK) {
                out.patch(0, status.code());
                return;
            }
            if (call.sequence() instanceof SequenceOutcome.Replay) {
                return;
            }
        }
    }

    private Nfs4Status executeOne(
            CallContext call, int minorVersion, int index, int count, XdrReader in, XdrWriter out) {
        int start = out.position();
        int number = OpCode.ILLEGAL;
        Nfs4Status status;
        try {
            number = in.int32();
            OpCode code = OpCode.of(number, minorVersion);
            out.int32(code == null ? OpCode.ILLEGAL : number);
            out.int32(Nfs4Status.OK.code());
            status = Statuses.in(minorVersion, runOne(call, code, minorVersion, index, count, in, out));
        } catch (Nfs4Exception e) {
            // Not even a number.
            out.int32(number);
            status = Statuses.in(minorVersion, e.status());
            out.int32(status.code());
        }
        call.ended(status);
        out.patch(start + Integer.BYTES, status.code());
        call.endTurn(status, out, start + RESULT_HEADER_BYTES);
        return status;
    }

    private Nfs4Status runOne(
            CallContext call,
            @Nullable OpCode code,
            int minorVersion,
            int index,
            int count,
            XdrReader in,
            XdrWriter out) {
        int body = out.position();
        try {
            if (code == null) {
                return Nfs4Status.OP_ILLEGAL;
            }
            Nfs4Status fault =
                    minorVersion == 0 ? null : SessionRules.faultOf(code, index, count, call.sequence() != null);
            if (fault != null) {
                return fault;
            }
            if (call.sequence() == null && count > MAX_OPERATIONS && code != OpCode.SEQUENCE) {
                return Nfs4Status.TOO_MANY_OPS;
            }
            if (index > 0 && call.sequence() instanceof SequenceOutcome.ReplayUncached) {
                return Nfs4Status.RETRY_UNCACHED_REP;
            }
            Operation operation = Operations.of(code, minorVersion);
            if (operation == null) {
                return Nfs4Status.NOTSUPP;
            }
            requireRoom(call, out.sizeBytes() + operation.leastReplyBytes());
            call.begins(operation);
            operation.execute(call, in, out);
            requireRoom(call, out.sizeBytes());
            return Nfs4Status.OK;
        } catch (Nfs4Exception e) {
            out.truncate(body);
            e.encodeBody(out);
            return e.status();
        } catch (FsException e) {
            out.truncate(body);
            return Statuses.of(e.error());
        } catch (RuntimeException e) {
            LOG.error("{} failed: a defect of this server", code, e);
            out.truncate(body);
            return Nfs4Status.SERVERFAULT;
        }
    }

    private void requireRoom(CallContext call, long replyBytes) throws Nfs4Exception {
        SequenceOutcome sequence = call.sequence();
        if (sequence == null) {
            if (RPC_REPLY_HEADER_BYTES + replyBytes > services.state().limits().maxReplyBytes()) {
                throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG);
            }
            return;
        }
        ChannelAttributes channel = sequence.session().foreChannel();
        long size = RPC_REPLY_HEADER_BYTES + replyBytes;
        if (size > channel.maxReplyBytes()) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG);
        }
        if (call.cacheReply() && size > Math.max(channel.maxCachedReplyBytes(), leastCachedBytes())) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        }
    }

    /** A SEQUENCE and the status of what follows are cached whatever was asked for. */
    private static int leastCachedBytes() {
        return RPC_REPLY_HEADER_BYTES + 128 + RESULT_HEADER_BYTES;
    }

    private void endSequence(CallContext call, @Nullable XdrWriter out) {
        if (call.sequence() instanceof SequenceOutcome.Execute execution) {
            CachedReply reply = out != null && call.cacheReply() ? new CachedReply(out.toByteArray()) : null;
            services.state().sessions().endSequence(services.clockNanos().getAsLong(), execution, reply);
        }
    }
}
