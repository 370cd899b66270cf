package org.warpnfs.nfs.v4.state.client;

import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * Result of CREATE_SESSION.
 *
 * @param sequence of the request, echoed
 * @param flags granted
 */
public record CreatedSession(
        SessionId id, int sequence, int flags, ChannelAttributes foreChannel, ChannelAttributes backChannel) {
    /** CREATE_SESSION4_FLAG_CONN_BACK_CHAN. */
    public static final int CONN_BACK_CHAN = 2;
}
