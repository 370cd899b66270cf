package org.warpnfs.server.config;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.idmap.MappedNames;

/**
 * How users and groups are identified.
 *
 * @param managesGroups whether the groups of callers come from this host's name service instead of the credential
 * @param names how owners are named in NFSv4
 * @param realm the realm whose principals are users of this host; null without Kerberos
 */
public record IdentityChoices(
        boolean managesGroups,
        MappedNames.Choices names,
        @Nullable String realm) {
    /** Identities without Kerberos. */
    public IdentityChoices(boolean managesGroups, MappedNames.Choices names) {
        this(managesGroups, names, null);
    }

    /** Groups come from the credential, and owners are numbers. */
    public static final IdentityChoices DEFAULT = new IdentityChoices(false, MappedNames.Choices.NUMBERS);
}
