package org.warpnfs.nfs.v4.attr;

import org.warpnfs.nfs.export.Gateways;
import org.warpnfs.nfs.idmap.OwnerNames;

/**
 * Values of attributes that belong to the server and not to a file.
 *
 * @param leaseSeconds how long a client may be silent
 * @param maxReadBytes limit of one READ
 * @param maxWriteBytes limit of one WRITE
 * @param owners names of users and groups
 * @param layouts whether there are data servers
 * @param gateways servers of the same files
 */
public record ServerFacts(
        int leaseSeconds, int maxReadBytes, int maxWriteBytes, OwnerNames owners, boolean layouts, Gateways gateways) {
    /** These values for one call. All its queries of names together wait no longer than one query may. */
    public ServerFacts forOneCall() {
        OwnerNames ofCall = owners.forOneCall();
        return ofCall.equals(owners)
                ? this
                : new ServerFacts(leaseSeconds, maxReadBytes, maxWriteBytes, ofCall, layouts, gateways);
    }
}
