package org.warpnfs.nfs.idmap;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The users that principals stand for, by the administrator's map and by this host's name service.
 *
 * <pre>
 * principal                                    user
 * in the map, for users                        what the map says
 * host/..., nfs/..., root/... of our realm     the superuser: the client's host itself
 * NAME of our realm                            the user NAME of this host
 * any other                                    none
 * </pre>
 *
 * The groups are those of this host. A user who is unknown here is only in the group of nobody. The superuser has no
 * supplementary groups, since no group gives it more rights. An export squashes the superuser, unless it says
 * {@code no_root_squash}.
 *
 * <p>Safe for any thread.
 */
public final class MappedPrincipals implements PrincipalUsers {
    private static final Set<String> MACHINES = Set.of("host", "nfs", "root");
    private static final long NOBODY = 65534;
    private static final User SUPERUSER = new User(0, 0, List.of());

    private final String realm;
    private final StaticNames map;
    private final Accounts accounts;
    private final KeptAnswers<String, Optional<User>> answers;

    /**
     * Uses {@code accounts}, which is called on {@code threads}.
     *
     * @param realm ours
     * @param map by whole principals
     */
    public MappedPrincipals(
            String realm,
            StaticNames map,
            Accounts accounts,
            KeptAnswers.Terms terms,
            Executor threads,
            LongSupplier clockNanos) {
        this.realm = realm;
        this.map = map;
        this.accounts = accounts;
        this.answers =
                new KeptAnswers<>("the name service (users of principals)", this::lookUp, terms, threads, clockNanos);
    }

    @Override
    public Optional<User> userOf(String principal) throws AnswerPending {
        return isMachine(principal)
                        && map.localOf(Accounts.Kind.USER, principal).isEmpty()
                ? Optional.of(SUPERUSER)
                : answers.of(principal);
    }

    private boolean isMachine(String principal) {
        int slash = principal.indexOf('/');
        return slash > 0
                && principal.endsWith("@" + realm)
                && principal.indexOf('@') == principal.length() - realm.length() - 1
                && MACHINES.contains(principal.substring(0, slash));
    }

    private Optional<User> lookUp(String principal) throws IOException {
        Optional<StaticNames.Local> mapped = map.localOf(Accounts.Kind.USER, principal);
        if (mapped.isPresent()) {
            return switch (mapped.get()) {
                case StaticNames.Local.Id(long id) -> Optional.of(withGroups(id));
                case StaticNames.Local.Name(String name) -> named(name);
            };
        }
        int at = principal.indexOf('@');
        boolean isOurs = at > 0 && principal.substring(at + 1).equals(realm);
        String name = isOurs ? principal.substring(0, at) : "";
        return name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\\') >= 0 ? Optional.empty() : named(name);
    }

    private Optional<User> named(String name) throws IOException {
        Optional<Long> uid = accounts.idOf(Accounts.Kind.USER, name);
        return uid.isPresent() ? Optional.of(withGroups(uid.get())) : Optional.empty();
    }

    private User withGroups(long uid) throws IOException {
        if (uid == 0) {
            return SUPERUSER;
        }
        List<Long> groups = accounts.groupsOf(uid).orElse(List.of());
        return groups.isEmpty()
                ? new User(uid, NOBODY, List.of())
                : new User(uid, groups.getFirst(), groups.subList(1, groups.size()));
    }
}
