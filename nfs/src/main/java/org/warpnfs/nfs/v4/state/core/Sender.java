package org.warpnfs.nfs.v4.state.core;

import java.util.Collections;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;

/**
 * Who introduces a client, and from where.
 *
 * @param address whose share the client's state takes
 * @param security the protection of the connection
 */
public record Sender(Principal principal, ClientAddress address, SecuredPeer.Security security) {
    /** A sender on a connection in clear. */
    public Sender(Principal principal, ClientAddress address) {
        this(principal, address, SecuredPeer.Security.CLEAR);
    }

    /**
     * True if this sender cannot be taken for one that had {@code other}, because its connection is less protected or
     * its certificate has none of the other's names.
     */
    public boolean isWeakerThan(SecuredPeer.Security other) {
        return security.protection().compareTo(other.protection()) < 0
                || (other.protection() == Protection.MUTUAL_TLS
                        && Collections.disjoint(security.names(), other.names()));
    }
}
