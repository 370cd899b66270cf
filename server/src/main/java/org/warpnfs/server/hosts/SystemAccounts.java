package org.warpnfs.server.hosts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.warpnfs.nfs.idmap.Accounts;

/**
 * Users and groups of this host, from the services of nsswitch.conf: files, LDAP, SSSD, systemd. Blocks until these
 * answer. Safe for any thread.
 */
public final class SystemAccounts implements Accounts {
    private static final int NO_ENTRY = 2;
    private static final int NO_PROCESS = 3;
    private static final int BAD_DESCRIPTOR = 9;
    private static final int NOT_PERMITTED = 1;
    private static final int RANGE = 34;
    /** Errors that also mean that there is no such name, according to getpwnam_r(3). */
    private static final Set<Integer> NOT_FOUND = Set.of(NO_ENTRY, NO_PROCESS, BAD_DESCRIPTOR, NOT_PERMITTED);

    private static final int FIRST_BUFFER_BYTES = 4096;
    /** The largest buffer; the entry of a group contains all its members, which can be tens of thousands. */
    private static final int MAX_BUFFER_BYTES = 16 << 20;

    private static final int FIRST_GROUPS = 64;
    /** NGROUPS_MAX: the most groups of a process. */
    private static final int MAX_GROUPS = 65_536;

    private final AccountCalls calls;

    private SystemAccounts(AccountCalls calls) {
        this.calls = calls;
    }

    /** Returns the accounts of this host; empty if the C library cannot be called. */
    public static Optional<SystemAccounts> ofLibc() {
        return AccountCalls.ofLibc().map(SystemAccounts::new);
    }

    @Override
    public Optional<Long> idOf(Kind kind, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return ask(
                    found -> kind == Kind.USER ? calls.userByName(text, found) : calls.groupByName(text, found),
                    AccountCalls.Found::id);
        }
    }

    @Override
    public Optional<String> nameOf(Kind kind, long id) throws IOException {
        return ask(
                found -> kind == Kind.USER ? calls.userById(id, found) : calls.groupById(id, found),
                AccountCalls.Found::name);
    }

    private record User(String name, int firstGroup) {}

    @Override
    public Optional<List<Long>> groupsOf(long uid) throws IOException {
        Optional<User> user =
                ask(found -> calls.userById(uid, found), found -> new User(found.name(), found.firstGroup()));
        if (user.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(groupsOf(user.get()));
    }

    /** Calls with larger and larger buffers. */
    private static <T> Optional<T> ask(ToIntFunction<AccountCalls.Found> call, Function<AccountCalls.Found, T> answer)
            throws IOException {
        for (int bytes = FIRST_BUFFER_BYTES; ; bytes *= 4) {
            try (Arena arena = Arena.ofConfined()) {
                AccountCalls.Found found = AccountCalls.Found.room(arena, bytes);
                int error = call.applyAsInt(found);
                if (error == 0 || NOT_FOUND.contains(error)) {
                    return error == 0 && found.isThere() ? Optional.of(answer.apply(found)) : Optional.empty();
                }
                if (error != RANGE || bytes >= MAX_BUFFER_BYTES) {
                    throw new IOException("error " + error + " of the C library");
                }
            }
        }
    }

    private List<Long> groupsOf(User user) throws IOException {
        int room = FIRST_GROUPS;
        while (true) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment ids = arena.allocate(ValueLayout.JAVA_INT, room);
                MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
                count.set(ValueLayout.JAVA_INT, 0, room);
                boolean fits = calls.groupsOf(arena.allocateFrom(user.name()), user.firstGroup(), ids, count) >= 0;
                if (fits) {
                    return unsigned(ids, Math.min(count.get(ValueLayout.JAVA_INT, 0), room));
                }
                if (room >= MAX_GROUPS) {
                    throw new IOException("user " + user.name() + " is in more than " + MAX_GROUPS + " groups");
                }
                room = Math.min(MAX_GROUPS, Math.max(2 * room, count.get(ValueLayout.JAVA_INT, 0)));
            }
        }
    }

    private static List<Long> unsigned(MemorySegment ids, int count) {
        List<Long> groups = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            groups.add(Integer.toUnsignedLong(ids.getAtIndex(ValueLayout.JAVA_INT, i)));
        }
        return groups;
    }
}
