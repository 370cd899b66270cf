package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Logs which procedures have replies that do not fit: neither inline nor in the chunks that the requester offered.
 *
 * <h2>Operation</h2>
 *
 * Such a reply becomes ERR_CHUNK (RFC 8166, section 4.5.3). The requester sees an error that cannot be explained
 * without the sizes. The first one of each procedure is logged as a warning, later ones at debug level. A requester
 * cannot cause many warnings: only replies of procedures that exist and succeeded count, and the number of stored
 * procedures is limited.
 *
 * <h2>Buffers</h2>
 *
 * Reads a reply and keeps nothing of it.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread.
 */
final class UnfitReplies {
    static final int MAX_PROCEDURES = 256;

    private static final Logger LOG = LoggerFactory.getLogger(UnfitReplies.class);

    private static final int ACCEPTED = 0;
    private static final int SUCCESS = 0;
    /** XID, direction, reply status, and the verifier's flavor (RFC 5531, section 9). */
    private static final int BEFORE_VERIFIER_LENGTH_BYTES = 4 * Integer.BYTES;

    private final Set<CalledProcedure> warned = ConcurrentHashMap.newKeySet();

    /** Records that the reply of a call will not be sent. */
    void note(RdmaCall call, RpcMessage reply, int inlineLimitBytes, String detail) {
        note(call.called(), call.xid(), call.lists(), reply, inlineLimitBytes, detail);
    }

    /**
     * Records that a reply will not be sent.
     *
     * @param asked the procedure of the call
     * @param inlineLimitBytes the largest message that the requester receives
     * @param detail what did not fit where
     */
    void note(
            Optional<CalledProcedure> asked,
            long xid,
            ChunkLists offer,
            RpcMessage reply,
            int inlineLimitBytes,
            String detail) {
        CalledProcedure called = asked.filter(any -> succeeded(reply.xdr())).orElse(null);
        if (called == null || warned.size() >= MAX_PROCEDURES || !warned.add(called)) {
            LOG.atDebug().addKeyValue("xid", () -> Long.toHexString(xid)).log("a reply is not sent: {}", detail);
            return;
        }
        List<Long> offered =
                offer.writeList().stream().map(WriteChunk::lengthBytes).toList();
        List<Integer> items =
                reply.items().stream().map(item -> item.payload().lengthBytes()).toList();
        LOG.atWarn()
                .addKeyValue("cause", "reply fits nowhere")
                .addKeyValue("xid", Long.toHexString(xid))
                .log(
                        "{}: a reply fits nowhere, and its requester gets ERR_CHUNK: {}. Needed: {} bytes of "
                                + "XDR, and DDP-eligible results of {} bytes."
                                + " Offered: {} bytes inline, Write chunks of {} bytes, a Reply chunk of {} "
                                + "bytes.{} Later ones of this procedure"
                                + " are counted and not logged.",
                        called,
                        detail,
                        reply.xdr().remaining(),
                        items,
                        inlineLimitBytes,
                        offered,
                        offer.replyChunk().map(WriteChunk::lengthBytes).orElse(0L),
                        items.size() < offered.size()
                                ? " The program hands over no result for each Write chunk, and none is bound."
                                : "");
    }

    /** Whether the reply was accepted and carries results. */
    private static boolean succeeded(ByteBuffer reply) {
        int begin = reply.position();
        int verifierAt = BEFORE_VERIFIER_LENGTH_BYTES + Integer.BYTES;
        if (reply.remaining() < verifierAt || reply.getInt(begin + 2 * Integer.BYTES) != ACCEPTED) {
            return false;
        }
        long statusAt = verifierAt + (long) XdrStream.roundUp(reply.getInt(begin + BEFORE_VERIFIER_LENGTH_BYTES));
        return statusAt >= verifierAt
                && statusAt + Integer.BYTES <= reply.remaining()
                && reply.getInt(begin + (int) statusAt) == SUCCESS;
    }
}
