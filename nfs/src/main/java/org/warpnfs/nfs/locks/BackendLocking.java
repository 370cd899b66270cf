package org.warpnfs.nfs.locks;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * Whether and how locks are taken at backends too. Clients share the number of owners there, since each may cost a
 * descriptor. Safe for any thread.
 */
public final class BackendLocking {
    private final boolean wanted;
    private final BackendThreads threads;
    private final int mostOwners;
    private final Map<ClientAddress, Integer> byClient = new HashMap<>();
    /** Why an owner is refused by this, and not by the backend. */
    private final FsException noRoom = FsException.of(FsError.NO_LOCKS, "too many owners have locks");

    private int owners;
    private long refused;

    private BackendLocking(boolean wanted, Executor threads, int mostOwners) {
        this.wanted = wanted;
        this.threads = new BackendThreads(threads);
        this.mostOwners = mostOwners;
    }

    /** Locks are known to this server alone. */
    public static BackendLocking off() {
        return new BackendLocking(false, Runnable::run, 0);
    }

    /**
     * Locks are taken at the backends that have locks.
     *
     * @param threads runs what no call waits for: locks for those in line. It may wait for backends, and must have two
     *     threads for each file system
     * @param mostOwners limit of owners with locks, counted by file
     */
    public static BackendLocking on(Executor threads, int mostOwners) {
        return new BackendLocking(true, threads, mostOwners);
    }

    /** True if locks are taken at the backends that have locks. */
    public boolean isWanted() {
        return wanted;
    }

    /** Runs what no call waits for and may wait for this backend. */
    public void execute(FileSystem backend, Runnable task) {
        threads.execute(backend, task);
    }

    FsException noRoom() {
        return noRoom;
    }

    synchronized boolean tryTake(ClientAddress client) {
        int had = byClient.getOrDefault(client, 0);
        if (!FairShare.allows(had, 1, mostOwners - owners)) {
            refused++;
            return false;
        }
        byClient.put(client, had + 1);
        owners++;
        return true;
    }

    synchronized void give(ClientAddress client) {
        byClient.computeIfPresent(client, (_, had) -> had == 1 ? null : had - 1);
        owners--;
    }

    /** Number of owners with locks at backends, counted by file. */
    public synchronized int owners() {
        return owners;
    }

    /** True if an owner of this client has locks at a backend. */
    public synchronized boolean isAnyOf(ClientAddress client) {
        return byClient.containsKey(client);
    }

    /** How often a client was refused a lock because there was no room for another owner. */
    public synchronized long refused() {
        return refused;
    }
}
