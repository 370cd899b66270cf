package org.warpnfs.rpcrdma.udp;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happened to the datagrams of listeners. Safe for any thread. */
public final class UdpCounts {
    /** The reasons for which a datagram is dropped. */
    public enum Drop {
        TOO_LONG,
        NO_MESSAGE,
        RATE,
        BUSY
    }

    private static final UdpCounts OF_PROCESS = new UdpCounts();

    private final LongAdder received = new LongAdder();
    private final LongAdder answered = new LongAdder();
    private final LongAdder repliesTooLong = new LongAdder();
    private final Map<Drop, LongAdder> dropped = new EnumMap<>(Drop.class);

    UdpCounts() {
        for (Drop drop : Drop.values()) {
            dropped.put(drop, new LongAdder());
        }
    }

    /** The counters of all listeners of this process. */
    public static UdpCounts ofProcess() {
        return OF_PROCESS;
    }

    void countReceived() {
        received.increment();
    }

    void countAnswered() {
        answered.increment();
    }

    void countReplyTooLong() {
        repliesTooLong.increment();
    }

    void countDropped(Drop why) {
        adder(why).increment();
    }

    private LongAdder adder(Drop why) {
        LongAdder adder = dropped.get(why);
        if (adder == null) {
            throw new AssertionError("every cause has a counter");
        }
        return adder;
    }

    /** Datagrams that were received. */
    public long received() {
        return received.sum();
    }

    /** Datagrams that were answered. */
    public long answered() {
        return answered.sum();
    }

    /** Replies that were too long for their call and became SYSTEM_ERR. */
    public long repliesTooLong() {
        return repliesTooLong.sum();
    }

    /** Datagrams that were dropped for this reason. */
    public long dropped(Drop why) {
        return adder(why).sum();
    }
}
