package org.warpnfs.nfs.idmap;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;

/**
 * The administrator's map of names to numbers or to names of this host. Immutable.
 *
 * @param users by the whole name that clients send, such as {@code alice@example.org}
 * @param groups likewise
 */
public record StaticNames(Map<String, Local> users, Map<String, Local> groups) {
    /** An empty map. */
    public static final StaticNames NONE = new StaticNames(Map.of(), Map.of());

    /** Keeps the order: if several names stand for one number, the first is sent to clients. */
    public StaticNames {
        users = ImmutableMap.copyOf(users);
        groups = ImmutableMap.copyOf(groups);
    }

    /** The user or group that a name stands for. */
    public sealed interface Local {
        /** A number, unsigned 32 bits. */
        record Id(long id) implements Local {}

        /** A user or group of this host's name service. */
        record Name(String name) implements Local {}
    }

    Optional<Local> localOf(Accounts.Kind kind, String name) {
        return Optional.ofNullable(of(kind).get(name));
    }

    /** The first name that stands for {@code local}. */
    Optional<String> nameOf(Accounts.Kind kind, Local local) {
        for (Map.Entry<String, Local> entry : of(kind).entrySet()) {
            if (entry.getValue().equals(local)) {
                return Optional.of(entry.getKey());
            }
        }
        return Optional.empty();
    }

    private Map<String, Local> of(Accounts.Kind kind) {
        return switch (kind) {
            case USER -> users;
            case GROUP -> groups;
        };
    }
}
