package org.warpnfs.fs.spi;

import java.time.Instant;

/**
 * A point in time as POSIX and NFS carry it.
 *
 * @param seconds since 1970-01-01T00:00:00Z, may be negative
 * @param nanos 0 to 999,999,999
 */
public record Timestamp(long seconds, int nanos) implements Comparable<Timestamp> {
    public Timestamp {
        if (nanos < 0 || nanos > 999_999_999) {
            throw new IllegalArgumentException("nanoseconds must be 0 to 999,999,999, not " + nanos);
        }
    }

    public static Timestamp of(Instant instant) {
        return new Timestamp(instant.getEpochSecond(), instant.getNano());
    }

    @Override
    public int compareTo(Timestamp other) {
        int bySeconds = Long.compare(seconds, other.seconds);
        return bySeconds != 0 ? bySeconds : Integer.compare(nanos, other.nanos);
    }
}
