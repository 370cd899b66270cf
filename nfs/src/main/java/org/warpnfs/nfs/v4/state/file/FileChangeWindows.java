package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.spi.FileHandle;

/**
 * When a file may not be delegated: while it is being changed, and for a while after someone had to wait for a recall.
 * Guarded by the lock of the state.
 */
public final class FileChangeWindows {
    /** Whoever waited for a recall gets its turn before the file is delegated again. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MAX_RESTING = 1024;

    private final Map<FileHandle, Integer> underWay = new HashMap<>();
    private final LinkedHashMap<FileHandle, Long> restingUntil = new LinkedHashMap<>();

    /** Nobody may be given the file from here on until {@link #end}, as often as it begins. */
    public void begin(FileHandle file) {
        underWay.merge(file, 1, Integer::sum);
    }

    /** The change is over, as often as it began. */
    public void end(FileHandle file) {
        underWay.computeIfPresent(file, (_, changes) -> changes == 1 ? null : changes - 1);
    }

    /** Someone waits for a recall of the file. */
    void rest(long nowNanos, FileHandle file) {
        restingUntil.putLast(file, nowNanos + REST_NANOS);
        if (restingUntil.size() > MAX_RESTING) {
            restingUntil.pollFirstEntry();
        }
    }

    /** True if the file may not be delegated now. */
    boolean isContended(long nowNanos, FileHandle file) {
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
