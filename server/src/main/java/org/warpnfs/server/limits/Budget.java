package org.warpnfs.server.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Divides a number of bytes among parts. If there are too few bytes, it cuts the parts in the order in which they were
 * added: first each down to the size that works well, then, if that is still too much, each down to the minimum.
 */
final class Budget {
    /** One part of the budget. */
    static final class Part {
        private final String name;
        private final long wantedBytes;
        private final long wellBytes;
        private final long leastBytes;
        private long bytes;

        private Part(String name, long wantedBytes, long wellBytes, long leastBytes) {
            this.name = name;
            this.wantedBytes = wantedBytes;
            this.wellBytes = Math.min(wellBytes, wantedBytes);
            this.leastBytes = Math.min(leastBytes, wantedBytes);
            this.bytes = wantedBytes;
        }

        String name() {
            return name;
        }

        long wantedBytes() {
            return wantedBytes;
        }

        /** Returns the size of the part after the cuts. */
        long bytes() {
            return bytes;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final long fixedBytes;

    /** @param fixedBytes what is used in any case */
    Budget(long fixedBytes) {
        this.fixedBytes = fixedBytes;
    }

    Part part(String name, long wantedBytes, long wellBytes, long leastBytes) {
        Part part = new Part(name, wantedBytes, wellBytes, leastBytes);
        parts.add(part);
        return part;
    }

    /** Cuts the parts until they fit into {@code roomBytes}; returns false if they cannot fit. */
    boolean fit(long roomBytes) {
        cut(part -> part.wellBytes, roomBytes);
        cut(part -> part.leastBytes, roomBytes);
        return takenBytes() <= roomBytes;
    }

    private void cut(ToLongFunction<Part> floor, long roomBytes) {
        for (Part part : parts) {
            long excess = takenBytes() - roomBytes;
            if (excess > 0) {
                part.bytes -= Math.clamp(excess, 0, Math.max(0, part.bytes - floor.applyAsLong(part)));
            }
        }
    }

    long takenBytes() {
        return fixedBytes + parts.stream().mapToLong(part -> part.bytes).sum();
    }

    /** Returns the sum if every part had its minimum. */
    long leastBytes() {
        return fixedBytes + parts.stream().mapToLong(part -> part.leastBytes).sum();
    }

    /** Returns the parts that were cut. */
    List<Part> cutParts() {
        return parts.stream().filter(part -> part.bytes < part.wantedBytes).toList();
    }
}
