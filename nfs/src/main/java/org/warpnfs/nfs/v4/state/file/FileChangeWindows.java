package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Files that must not be delegated: those that are being changed, and for a while those whose delegations somebody had
 * to recall. Guarded by the lock of the state.
 */
public final class FileChangeWindows {
    /** Time after a recall without new delegations, so that the client that waited for the recall can go on first. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MAX_RESTING = 1024;

    private final Map<FileKey, Integer> underWay = new HashMap<>();
    private final LinkedHashMap<FileKey, Long> restingUntil = new LinkedHashMap<>();

    /** Begins a change of a file, which excludes new delegations until {@link #end} was called as often as this. */
    public void begin(FileKey file) {
        underWay.merge(file, 1, Integer::sum);
    }

    /** Ends a change of a file. */
    public void end(FileKey file) {
        underWay.computeIfPresent(file, (_, changes) -> changes == 1 ? null : changes - 1);
    }

    /** Notes that a client waits for a recall of the file. */
    void rest(long nowNanos, FileKey file) {
        restingUntil.putLast(file, nowNanos + REST_NANOS);
        if (restingUntil.size() > MAX_RESTING) {
            restingUntil.pollFirstEntry();
        }
    }

    /** True if the file may not be delegated now. */
    boolean isContended(long nowNanos, FileKey file) {
        Long until = restingUntil.get(file);
        if (until != null && nowNanos - until < 0) {
            return true;
        }
        restingUntil.remove(file);
        return underWay.containsKey(file);
    }

    /** Forgets files whose time is over. */
    void sweep(long nowNanos) {
        for (Iterator<Long> rests = restingUntil.values().iterator(); rests.hasNext(); ) {
            if (nowNanos - rests.next() < 0) {
                break;
            }
            rests.remove();
        }
    }
}
