package org.warpnfs.nfs.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.warpnfs.nfs.idmap.Accounts;

/** A name service with the answers that a test gives it. */
public class KnownAccounts implements Accounts {
    private final Map<Kind, Map<String, Long>> ids = new HashMap<>();
    private final Map<Long, List<Long>> groups = new HashMap<>();

    public KnownAccounts user(String name, long id) {
        return add(Kind.USER, name, id);
    }

    public KnownAccounts group(String name, long id) {
        return add(Kind.GROUP, name, id);
    }

    private KnownAccounts add(Kind kind, String name, long id) {
        ids.computeIfAbsent(kind, _ -> new HashMap<>()).put(name, id);
        return this;
    }

    public KnownAccounts groupsOf(long uid, List<Long> ids) {
        groups.put(uid, ids);
        return this;
    }

    @Override
    public Optional<Long> idOf(Kind kind, String name) {
        return Optional.ofNullable(ids.getOrDefault(kind, Map.of()).get(name));
    }

    @Override
    public Optional<String> nameOf(Kind kind, long id) {
        return ids.getOrDefault(kind, Map.of()).entrySet().stream()
                .filter(entry -> entry.getValue() == id)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    @Override
    public Optional<List<Long>> groupsOf(long uid) {
        return Optional.ofNullable(groups.get(uid));
    }
}
