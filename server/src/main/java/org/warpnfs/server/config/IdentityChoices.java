package org.warpnfs.server.config;

import org.warpnfs.nfs.idmap.MappedNames;

/**
 * How users and groups are identified.
 *
 * @param managesGroups whether the groups of callers come from this host's name service instead of the credential
 * @param names how owners are named in NFSv4
 */
public record IdentityChoices(boolean managesGroups, MappedNames.Choices names) {
    /** Groups come from the credential, and owners are numbers. */
    public static final IdentityChoices DEFAULT = new IdentityChoices(false, MappedNames.Choices.NUMBERS);
}
