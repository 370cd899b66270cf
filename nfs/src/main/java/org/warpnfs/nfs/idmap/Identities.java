package org.warpnfs.nfs.idmap;

/**
 * Groups and names of users, for one server.
 *
 * @param groups groups of callers
 * @param owners names of owners in NFSv4
 * @param certificates users of clients that have shown a certificate
 */
public record Identities(GroupSource groups, OwnerNames owners, CertificateUsers certificates) {
    /** Uses the groups in credentials, and numbers as the only names. */
    public static final Identities NUMERIC = new Identities(GroupSource.CREDENTIAL, OwnerNames.NUMERIC);

    /** Makes identities for which certificates have no meaning. */
    public Identities(GroupSource groups, OwnerNames owners) {
        this(groups, owners, CertificateUsers.NONE);
    }

    public Identities withCertificates(CertificateUsers users) {
        return new Identities(groups, owners, users);
    }

    /** True if a query may wait for a name service. */
    public boolean mayWait() {
        return groups.mayWait() || owners.mayWait();
    }
}
