package org.warpnfs.nfs.v4.op;

import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.state.core.Principal;

/**
 * Where a COMPOUND comes from.
 *
 * @param connection the transport's instance
 * @param maxInlineBytes how much data that are not DDP-eligible the transport should have in one reply
 */
public record CompoundOrigin(Requester requester, Principal principal, Object connection, int maxInlineBytes) {}
