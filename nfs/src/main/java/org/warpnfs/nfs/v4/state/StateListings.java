package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.client.ClientActivity;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.DelegationState;
import org.warpnfs.nfs.v4.state.file.HoldingRows;
import org.warpnfs.nfs.v4.state.file.LayoutState;
import org.warpnfs.nfs.v4.state.file.LockState;
import org.warpnfs.nfs.v4.state.file.OpenState;
import org.warpnfs.nfs.v4.state.file.RowDraft;
import org.warpnfs.nfs.v4.state.listing.ShownName;
import org.warpnfs.nfs.v4.state.listing.StatePage;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.ClientRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.DelegationRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LayoutRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LockRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.OpenRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.SessionRow;

/**
 * State of clients, for administrators. See {@link StateTable}.
 *
 * <p>The lock is taken once for the list of clients, once for the list of one client's state, and then for
 * {@value StateCore#PORTION} rows at a time. Sorting and asking the backend for paths happen without it. So an answer
 * is no snapshot: state that appears or disappears meanwhile may be in it or not.
 */
public final class StateListings {
    private final StateCore core;

    StateListings(StateCore core) {
        this.core = core;
    }

    public StatePage<ClientRow> clients(long nowNanos, StateQuery query) {
        return new Walk<Client, ClientRow>(List::of, Client::id, client -> describe(nowNanos, client)).page(query);
    }

    private RowDraft<ClientRow> describe(long nowNanos, Client client) {
        ClientActivity activity = core.clients.activityOf(client, nowNanos);
        return RowDraft.of(new ClientRow(
                StateQuery.hex(client.id()),
                ShownName.of(client.owner()),
                client.address().toString(),
                client.isSessionless() ? "4.0" : "4.1+",
                client.principal().uid(),
                activity.confirmed(),
                activity.expired(),
                TimeUnit.NANOSECONDS.toSeconds(activity.silentNanos()),
                core.waysBack.reaches(client),
                activity.requests(),
                activity.underWay(),
                core.sessions.of(client).size(),
                core.files.of(client).size(),
                core.locks.locksOf(client),
                core.delegations.held().of(client).size()));
    }

    public StatePage<SessionRow> sessions(StateQuery query) {
        return new Walk<Session, SessionRow>(
                        core.sessions::of, session -> session.id().random(), StateListings::describe)
                .page(query);
    }

    private static RowDraft<SessionRow> describe(Session session) {
        return RowDraft.of(new SessionRow(
                StateQuery.hex(session.id().clientId())
                        + StateQuery.hex(session.id().random()),
                StateQuery.hex(session.client().id()),
                session.slotCount(),
                session.targetSlotCount(),
                shown(session.connections()),
                shown(session.backConnections())));
    }

    private static List<String> shown(Collection<Object> connections) {
        return connections.stream().map(String::valueOf).sorted().toList();
    }

    public StatePage<OpenRow> opens(StateQuery query) {
        return new Walk<OpenState, OpenRow>(core.files::of, OpenState::number, HoldingRows::describe).page(query);
    }

    /** Lock-owners, each with what it has locked of one file. */
    public StatePage<LockRow> locks(StateQuery query) {
        return new Walk<LockState, LockRow>(
                        core.files::locksOf, LockState::number, lock -> HoldingRows.describe(lock, core.locks))
                .page(query);
    }

    public StatePage<DelegationRow> delegations(StateQuery query) {
        return new Walk<DelegationState, DelegationRow>(
                        core.delegations.held()::of, DelegationState::number, HoldingRows::describe)
                .page(query);
    }

    public StatePage<LayoutRow> layouts(StateQuery query) {
        return new Walk<LayoutState, LayoutRow>(
                        core.layouts::of, LayoutState::number, layout -> HoldingRows.describe(layout, core.files))
                .page(query);
    }

    /** An iteration over all clients and their state of one kind. */
    private final class Walk<S, R extends StateRow> {
        private final Function<Client, Collection<S>> holdings;
        private final ToLongFunction<S> number;
        private final Function<S, RowDraft<R>> describe;

        Walk(Function<Client, Collection<S>> holdings, ToLongFunction<S> number, Function<S, RowDraft<R>> describe) {
            this.holdings = holdings;
            this.number = number;
            this.describe = describe;
        }

        StatePage<R> page(StateQuery query) {
            StateQuery.Place after = query.after() == null ? null : StateQuery.Place.of(query.after());
            List<R> rows = new ArrayList<>();
            for (Client client : clientsOf(query, after)) {
                // A copy is made under the lock, which guards the collection.
                List<S> all = core.locked(
                        () -> client.isGone() ? new ArrayList<S>() : new ArrayList<>(holdings.apply(client)));
                if (after != null && after.client() == client.id()) {
                    all.removeIf(each -> Long.compareUnsigned(number.applyAsLong(each), after.number()) <= 0);
                }
                // One more than the page has room for, which shows that there is another page.
                List<S> held = first(all, query.limit() - rows.size() + 1);
                for (int done = 0; done < held.size(); ) {
                    if (rows.size() == query.limit()) {
                        S last = done == 0 ? null : held.get(done - 1);
                        return new StatePage<>(List.copyOf(rows), placeBefore(client, last));
                    }
                    int end = Math.min(held.size(), done + Math.min(StateCore.PORTION, query.limit() - rows.size()));
                    List<S> portion = held.subList(done, end);
                    done = end;
                    core.locked(() -> portion.stream().map(describe).toList()).forEach(draft -> rows.add(draft.row()));
                }
            }
            return new StatePage<>(List.copyOf(rows), null);
        }

        /** Those with the lowest numbers, in order. So a page does not need all of them sorted. */
        private List<S> first(List<S> all, int most) {
            Comparator<S> order =
                    (one, other) -> Long.compareUnsigned(number.applyAsLong(one), number.applyAsLong(other));
            if (all.size() <= most) {
                all.sort(order);
                return all;
            }
            PriorityQueue<S> lowest = new PriorityQueue<>(most, order.reversed());
            for (S each : all) {
                if (lowest.size() < most) {
                    lowest.add(each);
                } else if (order.compare(each, lowest.element()) < 0) {
                    lowest.remove();
                    lowest.add(each);
                }
            }
            List<S> sorted = new ArrayList<>(lowest);
            sorted.sort(order);
            return sorted;
        }

        /** The place after the last row of a client, or before its first. */
        private String placeBefore(Client client, @Nullable S last) {
            // Ids begin with the instance and are never 0, so this does not wrap around.
            return (last == null
                            ? new StateQuery.Place(client.id() - 1, -1)
                            : new StateQuery.Place(client.id(), number.applyAsLong(last)))
                    .toString();
        }

        private List<Client> clientsOf(StateQuery query, StateQuery.@Nullable Place after) {
            List<Client> clients = new ArrayList<>(core.locked(() -> core.clients.all()));
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
