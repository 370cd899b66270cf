package org.warpnfs.nfs.idmap;

/**
 * Who is who for one server.
 *
 * @param groups of callers
 * @param owners by the names of NFSv4
 */
public record Identities(GroupSource groups, OwnerNames owners) {
    /** Clients say which groups a user is in, and numbers are all the names there are. */
    public static final Identities NUMERIC = new Identities(GroupSource.CREDENTIAL, OwnerNames.NUMERIC);
}
