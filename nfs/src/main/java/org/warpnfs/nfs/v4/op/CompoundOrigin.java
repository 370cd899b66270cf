package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.state.core.Principal;

/**
 * Origin of a COMPOUND.
 *
 * @param connection the transport's instance
 * @param maxInlineBytes the most data that are not DDP-eligible which the transport should get in one reply
 */
public record CompoundOrigin(Requester requester, Principal principal, Object connection, int maxInlineBytes) {}
