package org.warpnfs.nfs.locks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * The requests in line for all files: how many of each client, and who waits for whom. Guarded by the service's lock.
 */
final class WaitingLines {
    /** Number of conflicting owners that a search for circles follows from one request. */
    private static final int MAX_CONFLICTS = 64;
    /** Number of requests that a search looks at. A longer chain is taken for no circle. */
    private static final int MAX_REQUESTS = 1024;
    /**
     * Number of steps of a search for circles, each of which looks at one lock or one request: less than a millisecond.
     * Where it ends so, no circle is reported. A request that is refused although there is none would break an honest
     * client, while one that waits in a circle can still be given up by its client.
     */
    static final int MAX_STEPS = 16 * 1024;

    private final int most;
    private final LongSupplier clockNanos;
    private final Map<ClientAddress, OfClient> byClient = new HashMap<>();
    private final Map<Locker, Map<Waiting, Waiting>> byOwner = new HashMap<>();
    private int count;
    private long steps;

    /** Those of one address who wait. */
    private static final class OfClient {
        final Set<Locker> owners = new LinkedHashSet<>(2);
        int requests;
    }

    WaitingLines(int most, LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
        this.most = most;
    }

    /** Puts a request in line. Returns false if there is no room for its client. */
    boolean add(Waiting request) {
        OfClient known = byClient.get(request.client());
        if (!FairShare.allows(known == null ? 0 : known.requests, 1, most - count)) {
            return false;
        }
        request.askedAt(clockNanos.getAsLong());
        request.file().waiting().add(request);
        byOwner.computeIfAbsent(request.owner(), _ -> new LinkedHashMap<>(2)).put(request, request);
        OfClient client = byClient.computeIfAbsent(request.client(), _ -> new OfClient());
        client.owners.add(request.owner());
        client.requests++;
        count++;
        return true;
    }

    /** Gives a request that is in line the waiter of an equal one. Returns false if there is none in line. */
    boolean renew(Waiting again) {
        Waiting first = byOwner.getOrDefault(again.owner(), Map.of()).get(again);
        if (first != null) {
            first.renew(again.waiter(), clockNanos.getAsLong());
        }
        return first != null;
    }

    /** The request in line that equals this one. */
    Waiting inLine(Waiting request) {
        return byOwner.getOrDefault(request.owner(), Map.of()).getOrDefault(request, request);
    }

    /** Takes a request out of the line, if it is in it. */
    void remove(Waiting request) {
        request.file().waiting().remove(request);
        forget(request);
    }

    /** Takes one request out of the line. Returns false if it was not in it. */
    boolean remove(FileLocks file, Locker owner, boolean exclusive, ByteRange range) {
        for (Waiting request : byOwner.getOrDefault(owner, Map.of()).keySet()) {
            if (request.file() == file && request.isOf(owner, exclusive, range)) {
                remove(request);
                return true;
            }
        }
        return false;
    }

    /** Takes all requests of an owner for a file out of the line. */
    void removeAll(FileLocks file, Locker owner) {
        for (Waiting request : List.copyOf(byOwner.getOrDefault(owner, Map.of()).keySet())) {
            if (request.file() == file) {
                remove(request);
            }
        }
    }

    /**
     * Takes the requests out of the line whose owner would ask for them again, and has now got what they wait for by
     * other requests.
     */
    void removeServed(FileLocks file, Locker owner) {
        removeThoseWhoAskAgain(file, owner, file::isServed);
    }

    /**
     * Takes the requests out of the line whose owner would ask for them again, and has unlocked all that they wait for:
     * a client that gives up says no more than that.
     */
    void removeGivenUp(FileLocks file, Locker owner, ByteRange unlocked) {
        removeThoseWhoAskAgain(file, owner, request -> unlocked.contains(request.range()));
    }

    private void removeThoseWhoAskAgain(FileLocks file, Locker owner, Predicate<Waiting> which) {
        for (Waiting request : List.copyOf(byOwner.getOrDefault(owner, Map.of()).keySet())) {
            if (request.file() == file && request.asksAgain() && which.test(request)) {
                remove(request);
            }
        }
    }

    /**
     * Takes the requests that fit out of the line of a file. Returns true if there was one.
     *
     * @param which is asked under the lock of the service
     */
    boolean removeIf(FileLocks file, Predicate<Waiting> which) {
        List<Waiting> gone = file.waiting().stream().filter(which).toList();
        gone.forEach(this::remove);
        return !gone.isEmpty();
    }

    /** The files for which owners of this address that fit stand in line. Looks at no others. */
    Set<FileIdentity> filesOf(ClientAddress address, Predicate<Locker> owners) {
        OfClient client = byClient.get(address);
        Set<FileIdentity> files = new LinkedHashSet<>();
        for (Locker owner : client == null ? Set.<Locker>of() : client.owners) {
            steps++;
            if (owners.test(owner)) {
                byOwner.getOrDefault(owner, Map.of())
                        .keySet()
                        .forEach(request -> files.add(request.file().identity()));
            }
        }
        return files;
    }

    private void forget(Waiting request) {
        Map<Waiting, Waiting> ofOwner = byOwner.get(request.owner());
        Waiting first = ofOwner == null ? null : ofOwner.remove(request);
        if (ofOwner == null || first == null) {
            return;
        }
        if (ofOwner.isEmpty()) {
            byOwner.remove(request.owner());
        }
        byClient.computeIfPresent(first.client(), (_, client) -> {
            if (ofOwner.isEmpty()) {
                client.owners.remove(request.owner());
            }
            return --client.requests == 0 ? null : client;
        });
        count--;
    }

    /** True if no held lock conflicts with a request. */
    boolean isFree(Waiting request) {
        ByteRangeLocks<Locker> held = request.file().held();
        long visited = held.visited();
        boolean isFree = request.file().isFree(request);
        steps += held.visited() - visited;
        return isFree;
    }

    /** True if this very request is in line, and none that equals it. */
    @SuppressWarnings("ReferenceEquality")
    boolean stands(Waiting request) {
        steps++;
        return byOwner.getOrDefault(request.owner(), Map.of()).get(request) == request;
    }

    boolean isWaiting(FileLocks file, Locker owner) {
        return byOwner.getOrDefault(owner, Map.of()).keySet().stream().anyMatch(request -> request.file() == file);
    }

    long nowNanos() {
        return clockNanos.getAsLong();
    }

    /** Number of steps that searches have taken so far. */
    long steps() {
        return steps;
    }

    int count() {
        return count;
    }

    /** True if a request that came earlier has to be granted first. */
    boolean isBehindAnother(Waiting request) {
        return before(request) != null;
    }

    /**
     * The first request that came earlier and waits for a conflicting range; null if there is none, or if its owner has
     * locks on the file: who waits for these must not be waited for. A client that has not asked of late may have given
     * up, and keeps nobody behind it ({@link Asking}).
     */
    @Nullable
    Waiting before(Waiting request) {
        if (request.file().holds(request.owner())) {
            return null;
        }
        long nowNanos = clockNanos.getAsLong();
        for (Waiting earlier : request.file().waiting()) {
            steps++;
            if (earlier.equals(request)) {
                return null;
            }
            if (earlier.conflictsWith(request) && !earlier.owner().isGone() && earlier.keepsOthers(nowNanos)) {
                return earlier;
            }
        }
        return null;
    }

    /**
     * True if the owner of this request would wait for itself. False too if that was not found within
     * {@value #MAX_STEPS} steps.
     */
    boolean closesCircle(Waiting asked) {
        long nowNanos = clockNanos.getAsLong();
        long last = steps + MAX_STEPS;
        Set<Waiting> seen = new HashSet<>();
        Deque<Waiting> next = new ArrayDeque<>();
        next.add(asked);
        while (!next.isEmpty() && seen.size() < MAX_REQUESTS && steps < last) {
            Waiting request = next.remove();
            if (!seen.add(request)) {
                continue;
            }
            for (Locker blocker : blockersOf(request, last)) {
                if (blocker.equals(asked.owner())) {
                    return true;
                }
                for (Waiting waits : byOwner.getOrDefault(blocker, Map.of()).keySet()) {
                    if (++steps >= last) {
                        break;
                    }
                    if (waits.waitsForNanos(nowNanos) > 0) {
                        next.add(waits);
                    }
                }
            }
        }
        return false;
    }

    /**
     * Those who have to unlock, or to be granted and then unlock, before this request is granted.
     *
     * @param last the step at which the search ends
     */
    private Set<Locker> blockersOf(Waiting request, long last) {
        FileLocks file = request.file();
        long visited = file.held().visited();
        Set<Locker> blockers = new LinkedHashSet<>(file.held()
                .conflicting(request.owner(), request.exclusive(), request.range(), MAX_CONFLICTS, last - steps));
        steps += 1 + file.held().visited() - visited;
        if (file.holds(request.owner())) {
            return blockers;
        }
        for (Waiting earlier : file.waiting()) {
            if (++steps >= last || earlier.equals(request)) {
                break;
            }
            if (earlier.conflictsWith(request) && !earlier.asksAgain()) {
                blockers.add(earlier.owner());
            }
        }
        return blockers;
    }
}
