package org.warpnfs.nfs.idmap;

/**
 * Groups and names of users, for one server.
 *
 * @param groups groups of callers
 * @param owners names of owners in NFSv4
 * @param certificates users of clients that have shown a certificate
 * @param principals users of Kerberos principals
 */
public record Identities(
        GroupSource groups, OwnerNames owners, CertificateUsers certificates, PrincipalUsers principals) {
    /** Uses the groups in credentials, and numbers as the only names. */
    public static final Identities NUMERIC = new Identities(GroupSource.CREDENTIAL, OwnerNames.NUMERIC);

    /** Makes identities for which neither certificates nor principals have a meaning. */
    public Identities(GroupSource groups, OwnerNames owners) {
        this(groups, owners, CertificateUsers.NONE, PrincipalUsers.NONE);
    }

    public Identities withCertificates(CertificateUsers users) {
        return new Identities(groups, owners, users, principals);
    }

    public Identities withPrincipals(PrincipalUsers users) {
        return new Identities(groups, owners, certificates, users);
    }

    /** True if a query for a call with AUTH_SYS may wait for a name service. */
    public boolean mayWait() {
        return groups.mayWait() || owners.mayWait();
    }
}
