package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * How long the reply to a COMPOUND may become (RFC 8881, sections 2.10.6.4, 18.36.3 and 18.46.3).
 *
 * <pre>
 *   without a session       the limit of the server
 *   in a session            ca_maxresponsesize
 *   and if it is kept       ca_maxresponsesize_cached as well
 * </pre>
 *
 * The sizes of a channel include the RPC header with its verifier, and what integrity or privacy add. While operations
 * follow, there is always room for the failure of the next one: so a reply that becomes too big can say so and is no
 * longer than it may be.
 */
public final class ReplyRoom {
    /** An accepted RPC reply before its results, with a verifier of no bytes. */
    private static final int RPC_HEADER_BYTES = 24;
    /** Length and number before a protected body (RFC 2203, section 5.3.2). */
    private static final int BODY_HEAD_BYTES = 8;
    /**
     * What an encrypted body has in addition to a checksum: the random block and the encrypted header (RFC 4121,
     * section 4.2.4). Enough for the padding of older encryption types.
     */
    private static final int ENCRYPTION_BYTES = 32;
    /** Operation number and status of the next operation, and the empty bitmap of a SETATTR that failed. */
    private static final int NEXT_FAILURE_BYTES = 12;

    private final long mostBytes;
    private final int overheadBytes;
    private final CallingClient calling;

    /**
     * @param mostBytes limit of a reply without a session
     * @param overheadBytes as {@link #overheadBytes} says
     */
    ReplyRoom(long mostBytes, int overheadBytes, CallingClient calling) {
        this.mostBytes = mostBytes;
        this.overheadBytes = overheadBytes;
        this.calling = calling;
    }

    /**
     * Length of a reply without its COMPOUND4res.
     *
     * @param verifierBytes length of its verifier, which is a checksum if the call has a GSS context
     */
    public static int overheadBytes(int verifierBytes, Flavor flavor) {
        int head = RPC_HEADER_BYTES + CompoundWriter.roundUp(verifierBytes);
        return switch (flavor) {
            case KRB5I -> head + BODY_HEAD_BYTES + Integer.BYTES + CompoundWriter.roundUp(verifierBytes);
            case KRB5P -> head + BODY_HEAD_BYTES + CompoundWriter.roundUp(ENCRYPTION_BYTES + verifierBytes);
            case NONE, SYS, KRB5 -> head;
        };
    }

    /**
     * Checks that a COMPOUND4res may become this long.
     *
     * @param isLast whether no operation follows
     * @throws Nfs4Exception REP_TOO_BIG, or REP_TOO_BIG_TO_CACHE
     */
    public void require(long resultBytes, boolean isLast) throws Nfs4Exception {
        if (withFollowing(resultBytes, isLast) > replyBytes()) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG);
        }
        if (withFollowing(resultBytes, isLast) > keptBytes()) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        }
    }

    /** How many bytes may be added to {@code out}; negative if it is too long already. */
    public long left(CompoundWriter out, boolean isLast) {
        return Math.min(replyBytes(), keptBytes()) - withFollowing(out.sizeBytes(), isLast);
    }

    /** Length of a reply that ends with these results, or with the failure of the next operation. */
    long withFollowing(long resultBytes, boolean isLast) {
        return overheadBytes + resultBytes + (isLast ? 0 : NEXT_FAILURE_BYTES);
    }

    private long replyBytes() {
        SequenceOutcome sequence = calling.sequence();
        return sequence == null ? mostBytes : sequence.session().foreChannel().maxReplyBytes();
    }

    private long keptBytes() {
        SequenceOutcome sequence = calling.sequence();
        return sequence == null || !calling.cacheReply()
                ? Long.MAX_VALUE
                : sequence.session().foreChannel().maxCachedReplyBytes();
    }
}
