package org.warpnfs.nfs.v4.attr;

import org.warpnfs.nfs.idmap.OwnerNames;

/**
 * What attributes tell of the server rather than of a file.
 *
 * @param leaseSeconds how long a client may be silent
 * @param maxReadBytes of one READ
 * @param maxWriteBytes of one WRITE
 * @param owners what users and groups are called
 */
public record ServerFacts(int leaseSeconds, int maxReadBytes, int maxWriteBytes, OwnerNames owners) {
    /** The same for one call, whose questions to a name service wait no longer together than one may. */
    public ServerFacts forOneCall() {
        OwnerNames ofCall = owners.forOneCall();
        return ofCall.equals(owners) ? this : new ServerFacts(leaseSeconds, maxReadBytes, maxWriteBytes, ofCall);
    }
}
