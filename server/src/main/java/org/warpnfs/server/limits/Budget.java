package org.warpnfs.server.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Shares out a number of bytes. What is wanted is cut where there is less: part by part, in the order in which the
 * parts were added, each down to what works well; and if that is still too much, once more in that order, each down to
 * the least that works at all.
 */
final class Budget {
    /** One thing that takes of it. */
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

        /** What it may take. */
        long bytes() {
            return bytes;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final long fixedBytes;

    /** @param fixedBytes what is taken in any case */
    Budget(long fixedBytes) {
        this.fixedBytes = fixedBytes;
    }

    Part part(String name, long wantedBytes, long wellBytes, long leastBytes) {
        Part part = new Part(name, wantedBytes, wellBytes, leastBytes);
        parts.add(part);
        return part;
    }

    /** Cuts the parts until all fits; false if it cannot. */
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

    /** What would be taken if every part had the least. */
    long leastBytes() {
        return fixedBytes + parts.stream().mapToLong(part -> part.leastBytes).sum();
    }

    /** Those that have less than they wanted. */
    List<Part> cutParts() {
        return parts.stream().filter(part -> part.bytes < part.wantedBytes).toList();
    }
}
