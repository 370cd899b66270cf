package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/** Encodes calls of RPCSEC_GSS word by word, and records how they end. */
final class GssCalls {
    static final int XID = 0x1234;
    static final int PROCEDURE = 5;

    private GssCalls() {}

    /** A call that has arrived. */
    static final class Arrived implements InboundCall {
        private final XdrStream arguments;
        private @Nullable ByteBuffer reply;
        private boolean dropped;
        private int items;

        Arrived(ByteBuffer message) {
            arguments = XdrStream.of(message);
        }

        @Override
        public XdrStream arguments() {
            return arguments;
        }

        @Override
        public void reply(RpcMessage message) {
            if (isEnded()) {
                throw new IllegalStateException("ended twice");
            }
            items = message.items().size();
            reply = message.flatten();
        }

        @Override
        public void drop() {
            if (isEnded()) {
                throw new IllegalStateException("ended twice");
            }
            dropped = true;
        }

        /** The number of items that a transport could move by chunks. */
        int itemsOfReply() {
            return items;
        }

        boolean isDropped() {
            return dropped;
        }

        boolean isEnded() {
            return dropped || reply != null;
        }

        /** The reply after XID and direction. */
        ByteBuffer reply() {
            return reply(XID);
        }

        ByteBuffer reply(int xid) {
            ByteBuffer sent = reply;
            if (sent == null) {
                throw new AssertionError(dropped ? "dropped" : "not answered");
            }
            ByteBuffer words = sent.duplicate();
            if (words.getInt() != xid || words.getInt() != 1) {
                throw new AssertionError("another reply");
            }
            return words;
        }

        /** The auth_stat of a denial. */
        int denial() {
            ByteBuffer words = reply();
            if (words.getLong() != 0x1_0000_0001L) {
                throw new AssertionError("no denial by AUTH_ERROR");
            }
            return words.getInt();
        }
    }

    static ByteBuffer header(int procedure, GssProcedure gss, long sequence, int service, byte[] handle) {
        ByteBuffer call = ByteBuffer.allocate(4096);
        call.putInt(XID).putInt(0).putInt(2).putInt(100_003).putInt(4).putInt(procedure);
        call.putInt(6).putInt(20 + XdrStream.roundUp(handle.length));
        call.putInt(1).putInt(gss.code()).putInt((int) sequence).putInt(service);
        InitResult.putOpaque(call, handle);
        return call;
    }

    static Arrived init(byte[] token) {
        return init(GssProcedure.INIT, new byte[0], token);
    }

    static Arrived init(GssProcedure procedure, byte[] handle, byte[] token) {
        ByteBuffer call = header(0, procedure, 0, 1, handle);
        call.putInt(0).putInt(0);
        InitResult.putOpaque(call, token);
        return new Arrived(call.flip());
    }

    static ByteBuffer encoded(
            GssProcedure gss, long sequence, GssService service, byte[] handle, SecurityContext owner, byte[] args)
            throws Exception {
        ByteBuffer call = header(gss == GssProcedure.DATA ? PROCEDURE : 0, gss, sequence, service.code(), handle);
        byte[] covered = new byte[call.position()];
        call.get(0, covered);
        call.putInt(6);
        InitResult.putOpaque(call, owner.mic(covered));
        byte[] body = ByteBuffer.allocate(4 + args.length)
                .putInt((int) sequence)
                .put(args)
                .array();
        switch (service) {
            case NONE -> call.put(args);
            case INTEGRITY -> {
                InitResult.putOpaque(call, body);
                InitResult.putOpaque(call, owner.mic(body));
            }
            case PRIVACY -> {
                ByteBuffer token = owner.wrap(List.of(ByteBuffer.wrap(body)), body.length, 0);
                InitResult.putOpaque(call, Arrays.copyOf(token.array(), token.limit()));
            }
        }
        return call.flip();
    }

    static Arrived data(long sequence, GssService service, byte[] handle, SecurityContext owner, byte[] args)
            throws Exception {
        return new Arrived(encoded(GssProcedure.DATA, sequence, service, handle, owner, args));
    }

    static Arrived destroy(long sequence, byte[] handle, SecurityContext owner) throws Exception {
        return new Arrived(encoded(GssProcedure.DESTROY, sequence, GssService.NONE, handle, owner, new byte[0]));
    }
}
