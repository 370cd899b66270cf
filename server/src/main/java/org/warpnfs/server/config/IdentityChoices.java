package org.warpnfs.server.config;

import org.warpnfs.nfs.idmap.MappedNames;

/**
 * How users and groups are told from each other.
 *
 * @param managesGroups groups of callers are those of this host's name service, and not those of the credential
 * @param names how NFSv4 calls owners
 */
public record IdentityChoices(boolean managesGroups, MappedNames.Choices names) {
    /** Clients say who is in which group, and numbers are all the names there are. */
    public static final IdentityChoices DEFAULT = new IdentityChoices(false, MappedNames.Choices.NUMBERS);
}
