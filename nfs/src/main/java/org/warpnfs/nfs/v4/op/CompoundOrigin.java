package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.state.core.Principal;

/**
 * Origin of a COMPOUND.
 *
 * @param connection the transport's instance
 * @param replyOverheadBytes length of the reply without its COMPOUND4res, see {@link ReplyRoom#overheadBytes}
 * @param maxInlineBytes the most data that are not DDP-eligible which the transport should get in one reply
 * @param maxRangeBytes the longest file range that the first payload of the reply may be; 0 if it must be in memory
 */
public record CompoundOrigin(
        Requester requester,
        Principal principal,
        Object connection,
        int replyOverheadBytes,
        int maxInlineBytes,
        int maxRangeBytes) {}
