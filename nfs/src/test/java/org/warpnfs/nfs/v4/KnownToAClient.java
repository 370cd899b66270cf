package org.warpnfs.nfs.v4;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What a client that sends random operations has learnt from the replies: stateids, handles, and the seqids of owners.
 */
final class KnownToAClient {
    /** An owner, and its last seqid as far as the client knows. */
    static final class Counter {
        final String name;
        int seqid;

        Counter(String name) {
            this.name = name;
        }

        static Counter[] some(String prefix) {
            Counter[] counters = new Counter[4];
            Arrays.setAll(counters, i -> new Counter(prefix + i));
            return counters;
        }
    }

    /** A stateid, the file that it came with, and its owner. */
    record State(Words stateid, Words handle, @Nullable Counter owner) {}

    /** Bytes that never change. */
    record Words(ByteBuffer bytes) {
        int[] ints() {
            int[] words = new int[bytes.remaining() / 4];
            bytes.duplicate().asIntBuffer().get(words);
            return words;
        }

        byte[] array() {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return copy;
        }
    }

    final Random random;
    long oldClientId;
    long newClientId;
    long confirmVerifier;
    /** The server's instance, which is part of all its stateids. */
    private int instance;
    /** The latest stateids, by number. */
    private final Map<Long, State> states = new LinkedHashMap<>();

    private final List<Words> handles = new ArrayList<>();
    final Counter[] owners = Counter.some("o");
    final Counter[] lockOwners = Counter.some("l");
    /** The state whose file is the current one. Most operations are on it. */
    @Nullable
    State focus;
    /** The owner of an OPEN or LOCK in the COMPOUND that is being made. */
    @Nullable
    Counter opener;

    @Nullable
    Counter locker;

    KnownToAClient(Random random) {
        this.random = random;
    }

    void meet(V40Client old, V4Client recent) {
        instance = (int) (old.clientId >>> 32);
        oldClientId = old.clientId;
        confirmVerifier = old.confirmVerifier;
        newClientId = recent.clientId;
    }

    /** Begins a COMPOUND, in which no owner has been used yet. */
    void begin() {
        focus = null;
        opener = null;
        locker = null;
    }

    /** Usually one of the files of which the client knows something. */
    @Nullable
    State chooseFocus() {
        if (!states.isEmpty() && random.nextInt(3) > 0) {
            focus = List.copyOf(states.values()).get(random.nextInt(states.size()));
        }
        return focus;
    }

    boolean hasHandles() {
        return !handles.isEmpty();
    }

    byte[] anyHandle() {
        return handles.isEmpty()
                ? new byte[40]
                : handles.get(random.nextInt(handles.size())).array();
    }

    /** Takes from a reply what later calls may need. */
    void learn(byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes);
        Words handle = null;
        for (int length = 16; length <= 128; length++) {
            int at = bytes.length - ((length + 3) & ~3) - 4;
            if (at > 8 && words.getInt(at) == length && words.getInt(at - 8) == 10) {
                handle = new Words(words.slice(at + 4, length));
                handles.add(handle);
            }
        }
        for (int at = 40; handle != null && at + 12 <= bytes.length; at += 4) {
            if (words.getInt(at) == instance) {
                long number = words.getLong(at + 4);
                State before = states.get(number);
                Counter owner = before != null ? before.owner() : locker != null ? locker : opener;
                states.put(number, new State(new Words(words.slice(at - 4, 16)), handle, owner));
            }
        }
        while (states.size() > 12) {
            states.remove(states.keySet().iterator().next());
        }
        while (handles.size() > 6) {
            handles.remove(random.nextInt(handles.size()));
        }
    }

    int[] anyStateid() {
        switch (random.nextInt(10)) {
            case 0 -> {
                return new int[4];
            }
            case 1 -> {
                return new int[] {-1, -1, -1, -1};
            }
            case 2 -> {
                return new int[] {random.nextInt(), instance + random.nextInt(2), 0, random.nextInt(30)};
            }
            default -> {
                if (focus == null) {
                    return new int[] {1, 0, 0, 0};
                }
                int[] one = focus.stateid().ints();
                one[0] += random.nextInt(8) == 0 ? random.nextInt(-1, 2) : 0;
                return one;
            }
        }
    }
}
