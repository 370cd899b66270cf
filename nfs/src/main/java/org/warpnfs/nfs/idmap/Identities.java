package org.warpnfs.nfs.idmap;

/**
 * Groups and names of users, for one server.
 *
 * @param groups groups of callers
 * @param owners names of owners in NFSv4
 */
public record Identities(GroupSource groups, OwnerNames owners) {
    /** Uses the groups in credentials, and numbers as the only names. */
    public static final Identities NUMERIC = new Identities(GroupSource.CREDENTIAL, OwnerNames.NUMERIC);

    /** True if a query may wait for a name service. */
    public boolean mayWait() {
        return groups.mayWait() || owners.mayWait();
    }
}
