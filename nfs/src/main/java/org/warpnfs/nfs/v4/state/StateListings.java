package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.StateRow.ClientRow;
import org.warpnfs.nfs.v4.state.StateRow.DelegationRow;
import org.warpnfs.nfs.v4.state.StateRow.LockRow;
import org.warpnfs.nfs.v4.state.StateRow.OpenRow;
import org.warpnfs.nfs.v4.state.StateRow.SessionRow;

/**
 * What clients hold, for administrators. See {@link StateTable}.
 *
 * <p>The lock is taken for the list of clients, then for the list of what one client holds, then for {@value StateCore#PORTION} rows at a time; sorting, and asking
 * where a file is, happen without it. So an answer is no picture of one moment: what comes or goes meanwhile is in it or not.
 */
public final class StateListings {
    private final StateCore core;

    StateListings(StateCore core) {
        this.core = core;
    }

    public StatePage<ClientRow> clients(long nowNanos, StateQuery query) {
        return new Walk<Client, ClientRow>(List::of, Client::id, client -> describe(nowNanos, client)).page(query);
    }

    private Draft<ClientRow> describe(long nowNanos, Client client) {
        ClientRow row = new ClientRow(
                StateQuery.hex(client.id()),
                ShownName.of(client.owner()),
                client.address().toString(),
                client.isSessionless() ? "4.0" : "4.1+",
                client.principal().uid(),
                client.confirmed,
                client.isExpired(nowNanos, core.leaseNanos),
                Math.max(0, TimeUnit.NANOSECONDS.toSeconds(nowNanos - client.renewedNanos)),
                client.hasCallbackPath(),
                client.requests,
                client.requestsUnderWay,
                client.sessions.size(),
                client.opens.size(),
                client.lockCount,
                client.delegations.size());
        return new Draft<>(null, _ -> row);
    }

    public StatePage<SessionRow> sessions(StateQuery query) {
        return new Walk<Session, SessionRow>(
                        client -> client.sessions.values(),
                        session -> session.id().random(),
                        StateListings::describe)
                .page(query);
    }

    private static Draft<SessionRow> describe(Session session) {
        BackChannel back = session.backChannel();
        SessionRow row = new SessionRow(
                StateQuery.hex(session.id().clientId())
                        + StateQuery.hex(session.id().random()),
                StateQuery.hex(session.client().id()),
                session.slotCount(),
                session.targetSlotCount(),
                session.connections.stream().map(String::valueOf).sorted().toList(),
                back == null
                        ? List.of()
                        : back.connections().stream()
                                .map(String::valueOf)
                                .sorted()
                                .toList());
        return new Draft<>(null, _ -> row);
    }

    public StatePage<OpenRow> opens(StateQuery query) {
        return new Walk<>(client -> client.opens.values(), OpenState::number, StateListings::describe).page(query);
    }

    private static Draft<OpenRow> describe(OpenState open) {
        OpenRow row = new OpenRow(
                StateQuery.hex(open.number),
                StateQuery.hex(open.client.id()),
                ShownName.of(open.owner),
                shown(open.key()),
                null,
                access(open.access),
                access(open.deny),
                open.locks.size());
        return new Draft<>(
                fileOf(open),
                path -> new OpenRow(
                        row.id(),
                        row.client(),
                        row.owner(),
                        row.file(),
                        path,
                        row.access(),
                        row.deny(),
                        row.lockOwners()));
    }

    /** Lock-owners with what each has locked of one file. */
    public StatePage<LockRow> locks(StateQuery query) {
        return new Walk<>(StateListings::locksOf, LockState::number, StateListings::describe).page(query);
    }

    private static List<LockState> locksOf(Client client) {
        List<LockState> all = new ArrayList<>();
        client.opens.values().forEach(open -> all.addAll(open.locks.values()));
        return all;
    }

    static Draft<LockRow> describe(LockState lock) {
        List<StateRow.RangeRow> ranges = new ArrayList<>();
        for (ByteRangeLocks.Held<LockOwner> held : lock.file().locks.of(lock.owner, LockRow.MAX_RANGES)) {
            ranges.add(new StateRow.RangeRow(
                    held.exclusive() ? "write" : "read",
                    Long.toUnsignedString(held.range().first()),
                    Long.toUnsignedString(held.range().last())));
        }
        int count = lock.file().locks.holdsOf(lock.owner);
        String file = shown(lock.key());
        boolean revoked = lock.revoked;
        return new Draft<>(
                fileOf(lock.open),
                path -> new LockRow(
                        StateQuery.hex(lock.number),
                        StateQuery.hex(lock.client().id()),
                        ShownName.of(lock.owner.owner()),
                        file,
                        path,
                        List.copyOf(ranges),
                        count,
                        revoked));
    }

    public StatePage<DelegationRow> delegations(StateQuery query) {
        return new Walk<>(client -> client.delegations.values(), DelegationState::number, (Function<
                                DelegationState, Draft<DelegationRow>>)
                        StateListings::describe)
                .page(query);
    }

    private static Draft<DelegationRow> describe(DelegationState delegation) {
        String phase = delegation.isRevoked() ? "revoked" : delegation.isRecalled() ? "recalled" : "held";
        return new Draft<>(
                delegation.reader(),
                path -> new DelegationRow(
                        StateQuery.hex(delegation.number()),
                        StateQuery.hex(delegation.client().id()),
                        shown(delegation.key()),
                        path,
                        "read",
                        phase));
    }

    private static @Nullable SharedFile fileOf(OpenState open) {
        return open.reader != null ? open.reader : open.writer;
    }

    /** Two media may give one name to two files. */
    private static String shown(FileKey file) {
        return String.format("%08x-%s", file.medium().hashCode(), file.handle());
    }

    private static String access(int bits) {
        return switch (bits) {
            case 0 -> "none";
            case OpenRequest.READ -> "read";
            case OpenRequest.WRITE -> "write";
            default -> "both";
        };
    }

    /** A row but for its path, with the file that knows it: made under the lock, ended without. */
    static final class Draft<R> {
        private final @Nullable SharedFile held;
        private final Function<@Nullable String, R> rest;

        Draft(@Nullable SharedFile file, Function<@Nullable String, R> rest) {
            this.held = file == null ? null : file.hold();
            this.rest = rest;
        }

        R row() {
            if (held == null) {
                return rest.apply(null);
            }
            try {
                return rest.apply(held.file().path().orElse(null));
            } finally {
                held.release();
            }
        }
    }

    /** One way through all clients and what they hold of some kind. */
    private final class Walk<S, R extends StateRow> {
        private final Function<Client, Collection<S>> holdings;
        private final ToLongFunction<S> number;
        private final Function<S, Draft<R>> describe;

        Walk(Function<Client, Collection<S>> holdings, ToLongFunction<S> number, Function<S, Draft<R>> describe) {
            this.holdings = holdings;
            this.number = number;
            this.describe = describe;
        }

        StatePage<R> page(StateQuery query) {
            StateQuery.Place after = query.after() == null ? null : StateQuery.Place.of(query.after());
            List<R> rows = new ArrayList<>();
            for (Client client : clientsOf(query, after)) {
                // Copied under the lock, which guards the collection.
                List<S> held =
                        core.look(() -> client.gone ? new ArrayList<S>() : new ArrayList<>(holdings.apply(client)));
                held.sort((one, other) -> Long.compareUnsigned(number.applyAsLong(one), number.applyAsLong(other)));
                if (after != null && after.client() == client.id()) {
                    held.removeIf(each -> Long.compareUnsigned(number.applyAsLong(each), after.number()) <= 0);
                }
                for (int done = 0; done < held.size(); ) {
                    if (rows.size() == query.limit()) {
                        S last = done == 0 ? null : held.get(done - 1);
                        return new StatePage<>(List.copyOf(rows), placeBefore(client, last));
                    }
                    int end = Math.min(held.size(), done + Math.min(StateCore.PORTION, query.limit() - rows.size()));
                    List<S> portion = held.subList(done, end);
                    done = end;
                    core.look(() -> portion.stream().map(describe).toList()).forEach(draft -> rows.add(draft.row()));
                }
            }
            return new StatePage<>(List.copyOf(rows), null);
        }

        /** Behind the last row of a client, or in front of its first. */
        private String placeBefore(Client client, @Nullable S last) {
            // Ids begin with the instance and are never 0, so there is one before.
            return (last == null
                            ? new StateQuery.Place(client.id() - 1, -1)
                            : new StateQuery.Place(client.id(), number.applyAsLong(last)))
                    .toString();
        }

        private List<Client> clientsOf(StateQuery query, StateQuery.@Nullable Place after) {
            List<Client> clients = new ArrayList<>(core.look(() -> core.clients.all()));
            if (query.client() != null) {
                long wanted = StateQuery.parse("client", query.client());
                clients.removeIf(client -> client.id() != wanted);
            }
            if (after != null) {
                clients.removeIf(client -> Long.compareUnsigned(client.id(), after.client()) < 0);
            }
            clients.sort(Comparator.comparing(Client::id, Long::compareUnsigned));
            return clients;
        }
    }
}
