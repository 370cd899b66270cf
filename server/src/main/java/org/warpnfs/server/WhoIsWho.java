package org.warpnfs.server;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.idmap.Accounts;
import org.warpnfs.nfs.idmap.CurrentNames;
import org.warpnfs.nfs.idmap.CurrentPrincipals;
import org.warpnfs.nfs.idmap.GroupSource;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.KeptAnswers;
import org.warpnfs.nfs.idmap.ManagedGroups;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.MappedPrincipals;
import org.warpnfs.nfs.idmap.NameThreads;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.idmap.PrincipalUsers;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.hosts.SystemAccounts;

/** Creates the identities of users and groups from the configuration. */
final class WhoIsWho {
    private WhoIsWho() {}

    /**
     * Returns the configured identities, using the name service of this host.
     *
     * @throws ConfigException if the name service is needed and not available
     */
    static Identities of(IdentityChoices choices) throws ConfigException {
        return of(choices, () -> SystemAccounts.ofLibc().orElse(null));
    }

    /** Returns the identities with {@link CurrentNames}, which can be replaced. */
    static Identities replaceable(IdentityChoices choices) throws ConfigException {
        Identities first = of(choices);
        return new Identities(first.groups(), new CurrentNames(first.owners()))
                .withPrincipals(new CurrentPrincipals(first.principals()));
    }

    /** @param system the name service; null if there is none */
    static Identities of(IdentityChoices choices, Supplier<? extends @Nullable Accounts> system)
            throws ConfigException {
        boolean byName = needsNames(choices.names());
        String realm = choices.realm();
        if (realm == null
                && !choices.managesGroups()
                && !byName
                && choices.names().equals(MappedNames.Choices.NUMBERS)) {
            return Identities.NUMERIC;
        }
        Accounts accounts = Accounts.NONE;
        if (choices.managesGroups() || byName || realm != null) {
            accounts = system.get();
            if (accounts == null) {
                String option = choices.managesGroups() ? "--manage-gids" : "--id-domain, --id-map";
                throw new ConfigException((realm != null ? "--keytab" : option)
                        + ": the C library of this process lacks getpwnam_r, getgrouplist or related functions, so "
                        + "users and groups"
                        + " of this host cannot be looked up");
            }
        }
        Executor threads = NameThreads.named("warpnfs-accounts");
        GroupSource groups = choices.managesGroups()
                ? new ManagedGroups(accounts, KeptAnswers.Terms.DEFAULT, threads, System::nanoTime)
                : GroupSource.CREDENTIAL;
        OwnerNames owners =
                new MappedNames(choices.names(), accounts, KeptAnswers.Terms.DEFAULT, threads, System::nanoTime);
        PrincipalUsers principals = realm == null
                ? PrincipalUsers.NONE
                : new MappedPrincipals(
                        realm, choices.names().map(), accounts, KeptAnswers.Terms.DEFAULT, threads, System::nanoTime);
        return new Identities(groups, owners).withPrincipals(principals);
    }

    private static boolean needsNames(MappedNames.Choices names) {
        return names.domain() != null
                || names.map().users().values().stream().anyMatch(StaticNames.Local.Name.class::isInstance)
                || names.map().groups().values().stream().anyMatch(StaticNames.Local.Name.class::isInstance);
    }
}
