package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.testkit.Seeds;

/**
 * Clients of NFSv4.0 and NFSv4.2 that say anything in any order, much of it nonsense: each call is answered, none by a
 * defect, and when their leases have run out nothing is left of them.
 */
class AnyCompoundTest {
    private static final int HISTORIES = 400;
    private static final int COMPOUNDS = 120;
    /** Of a call with AUTH_SYS and no further groups. */
    private static final int RPC_HEADER_BYTES = 60;

    /**
     * All but those that are not served, and DELEGRETURN: nobody here can be called back, and so is given a delegation.
     */
    private static final List<Integer> SERVED = List.of(
            3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
            34, 35, 36, 37, 38, 39, 45, 55, 59, 60, 62, 63, 68, 69, 72, 73, 74, 75);

    private static final String[] NAMES = {"a", "b", "c", "dir", "link", "", ".", "..", "x/y", "n".repeat(300), "\u00fc"
    };

    @Test
    void anyCompounds_ofOldAndNewClients_areAnsweredAndLeaveNothing() {
        Set<Integer> all = new TreeSet<>();
        AtomicInteger histories = new AtomicInteger();
        Seeds.each(HISTORIES, seed -> {
            histories.incrementAndGet();
            try (V4Server server = new V4Server()) {
                AnyCompoundTest history = new AnyCompoundTest();
                history.succeeded = all;
                history.play(server, new Random(seed));
            }
        });
        if (histories.get() >= HISTORIES) {
            assertThat(all).as("operations that came about").containsAll(SERVED);
        }
    }

    private Set<Integer> succeeded = new TreeSet<>();
    /** An owner, and its last seqid as far as it knows. */
    private static final class Counter {
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

    /** A stateid, the file that it came with, and whose it is. */
    private record State(
            Words stateid, Words handle, @Nullable Counter owner) {}

    /** Bytes that nobody changes. */
    private record Words(ByteBuffer bytes) {
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

    private Random random = new Random(0);
    private int instance;
    /** By its number, as it was last heard of. */
    private final Map<Long, State> states = new LinkedHashMap<>();
    /** Whose file is the current one; most of what is said goes there. */
    private @Nullable State focus;
    /** Who opens or locks in the COMPOUND in the making. */
    private @Nullable Counter opener;

    private @Nullable Counter locker;

    private final List<Words> handles = new ArrayList<>();
    private final Counter[] owners = Counter.some("o");
    private final Counter[] lockOwners = Counter.some("l");
    /** Of the operations in the making. */
    private final List<Integer> numbers = new ArrayList<>();

    private long oldClientId;
    private long newClientId;
    private long confirmVerifier;

    private void play(V4Server server, Random itsRandom) {
        random = itsRandom;
        V40Client old = V40Client.mounted(server, "old");
        V4Client recent = V4Client.mounted(server, "recent", 0);
        instance = (int) (old.clientId >>> 32);
        oldClientId = old.clientId;
        newClientId = recent.clientId;
        confirmVerifier = old.confirmVerifier;
        for (int i = 0; i < COMPOUNDS; i++) {
            boolean isOld = random.nextBoolean();
            Ops ops = any(isOld ? 0 : 2);
            byte[] message = isOld
                    ? old.wire.message("", 0, ops)
                    : recent.message("", 2, recent.sequence(0, ++recent.seqids[0], ops));
            if (isOld && random.nextInt(20) == 0) {
                message =
                        Arrays.copyOf(message, Math.max(RPC_HEADER_BYTES, message.length - 4 * random.nextInt(1, 12)));
            }
            byte[] bytes = server.send(recent.connection, message);
            learn(bytes);
            note(bytes, isOld ? 0 : 1);
            // What was cut before its operations is no COMPOUND: GARBAGE_ARGS.
            int status = bytes.length > 24 ? ByteBuffer.wrap(bytes).getInt(24) : Nfs4Status.BADXDR.code();
            assertThat(Reply.of(status)).as("compound %d", i).isNotEqualTo(Nfs4Status.SERVERFAULT);
            if (!isOld && status == Nfs4Status.BADSESSION.code()) {
                recent = V4Client.mounted(server, "recent" + i, 0);
                newClientId = recent.clientId;
            }
            if (random.nextInt(30) == 0) {
                server.pass(Duration.ofSeconds(random.nextInt(120)));
            }
        }
        server.pass(V4Server.LEASE.multipliedBy(1000));
        V40Client last = new V40Client(server, "last");
        last.readClientid(last.send(last.setClientid(1)));
        StateTable.Counts left = server.program().counts();
        assertThat(left.clients()).as("clients, of whom the last has just come").isOne();
        assertThat(Map.of(
                        "sessions", left.sessions(),
                        "slots", left.slots().granted(),
                        "busy slots", left.slots().busy(),
                        "opens", left.opens(),
                        "locks", left.locks(),
                        "stateids", left.stateids(),
                        "open-owners", left.openOwners(),
                        "delegations", left.delegations(),
                        "bytes of kept replies", (int) left.keptReplyBytes()))
                .as("what clients that are gone left")
                .allSatisfy((what, count) -> assertThat(count).as(what).isZero());
    }

    /** What a reply tells that later calls may want to know. */
    private void learn(byte[] bytes) {
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

    private Ops any(int minorVersion) {
        Ops ops = new Ops();
        numbers.clear();
        focus = null;
        opener = null;
        locker = null;
        if (!states.isEmpty() && random.nextInt(3) > 0) {
            State chosen = List.copyOf(states.values()).get(random.nextInt(states.size()));
            focus = chosen;
            numbers.add(OpCode.PUTFH.number());
            ops.putFh(chosen.handle().array());
        } else if (!handles.isEmpty() && random.nextInt(4) == 0) {
            // What is current is saved, and linked into the directory.
            numbers.addAll(List.of(22, 32, 24, 15, 11));
            ops.putFh(handles.get(random.nextInt(handles.size())).array())
                    .op(OpCode.SAVEFH)
                    .data();
            ops.add(OpCode.LINK, c -> c.string(name()));
        } else {
            ops.data();
            numbers.addAll(List.of(24, 15));
        }
        if (focus == null && random.nextInt(8) == 0) {
            numbers.addAll(List.of(32, 29));
            ops.op(OpCode.SAVEFH).named(OpCode.RENAME, name(), name());
        }
        if (random.nextInt(10) == 0) {
            numbers.addAll(List.of(6, 27));
            ops.add(OpCode.CREATE, c -> c.words(5)
                            .string("target")
                            .string("s" + random.nextInt())
                            .words(0, 0))
                    .op(OpCode.READLINK);
        }
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            add(ops, minorVersion);
        }
        numbers.add(OpCode.GETFH.number());
        return ops.getFh();
    }

    private void note(byte[] bytes, int operationsBefore) {
        if (bytes.length > 36) {
            ByteBuffer words = ByteBuffer.wrap(bytes);
            int executed = words.getInt(32) - operationsBefore - (words.getInt(24) == 0 ? 0 : 1);
            for (int i = 0; i < executed; i++) {
                succeeded.add(numbers.get(i));
            }
        }
    }

    private int[] stateid() {
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

    private String name() {
        return NAMES[random.nextInt(random.nextInt(5) == 0 ? NAMES.length : 5)];
    }

    private Counter one(Counter[] counters) {
        return counters[random.nextInt(counters.length)];
    }

    /** Mostly the next of that owner. */
    private int seqid(@Nullable Counter owner) {
        if (owner == null) {
            return 1;
        }
        return switch (random.nextInt(12)) {
            case 0 -> owner.seqid;
            case 1 -> random.nextInt();
            default -> ++owner.seqid;
        };
    }

    private long offset() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> -1;
            case 2, 3 -> 0;
            default -> random.nextInt(10_000);
        };
    }

    /** Often all of the file. */
    private void range(CallWriter c) {
        if (random.nextBoolean()) {
            c.hyper(0).hyper(-1);
        } else {
            c.hyper(offset()).hyper(offset());
        }
    }

    private long clientId(int minorVersion) {
        return random.nextInt(12) == 0 ? random.nextLong() : minorVersion == 0 ? oldClientId : newClientId;
    }

    private void attributes(CallWriter c) {
        switch (random.nextInt(4)) {
            case 0 -> c.words(0, 0);
            case 1 -> c.words(1, 1 << 4, 8).hyper(random.nextInt(4) == 0 ? offset() : random.nextInt(5000));
            case 2 -> c.words(2, 0, 1 << 1, 4, random.nextInt(8192));
            default -> c.words(2, random.nextInt(), random.nextInt(), 4, random.nextInt());
        }
    }

    private void add(Ops ops, int minorVersion) {
        int[] oldOnes = {20, 30, 35, 36, 39};
        int[] newOnes = {45, 55, 59, 60, 62, 63, 68, 69, 71, 72, 73, 74, 75};
        int number = random.nextInt(3, 39);
        if (random.nextInt(4) == 0) {
            number = 18;
        } else if (random.nextInt(4) == 0) {
            int[] own = minorVersion == 0 ? oldOnes : newOnes;
            number = own[random.nextInt(own.length)];
        }
        if (minorVersion > 0 && random.nextInt(12) == 0) {
            numbers.addAll(List.of(73, 72, 75));
            ops.add(OpCode.SETXATTR, c -> c.words(0).string("k").string("value"))
                    .named(OpCode.GETXATTR, "k")
                    .named(OpCode.REMOVEXATTR, "k");
        }
        if (focus != null && random.nextInt(3) == 0) {
            // What has been opened is locked, what has been locked is unlocked and forgotten; some is copied.
            boolean locks = focus.owner() != null && focus.owner().name.startsWith("l");
            int[] next = locks ? new int[] {14, minorVersion == 0 ? 39 : 45} : new int[] {20, 12, 12, 21, 60};
            number = locks
                    ? next[random.nextInt(2)]
                    : next[minorVersion == 0 ? random.nextInt(4) : random.nextInt(1, 5)];
            if (number == 60) {
                numbers.add(OpCode.SAVEFH.number());
                ops.op(OpCode.SAVEFH);
            }
        }
        int operation = number;
        numbers.add(operation);
        ops.add(operation, c -> arguments(operation, minorVersion, c));
    }

    private void arguments(int operation, int minorVersion, CallWriter c) {
        Counter owner = focus == null ? one(owners) : focus.owner();
        switch (operation) {
            case 3 -> c.words(random.nextInt(64)); // ACCESS
            case 4 -> c.words(seqid(owner)).words(stateid()); // CLOSE
            case 5 -> c.hyper(offset()).words(random.nextInt(100)); // COMMIT
            case 6 -> { // CREATE
                int type = random.nextInt(1, 9);
                c.words(type);
                if (type == 5) {
                    c.string("target");
                } else if (type == 3 || type == 4) {
                    c.words(1, 1);
                }
                c.string(name());
                attributes(c);
            }
            case 7, 30 -> c.hyper(clientId(minorVersion)); // DELEGPURGE, RENEW
            case 8 -> c.words(stateid()); // DELEGRETURN
            case 9 -> c.words(2, random.nextInt(), random.nextInt()); // GETATTR
            case 10, 16, 23, 24, 27, 31, 32 -> {} // without arguments
            case 11, 15, 28, 33, 72, 75 -> c.string(name()); // LINK, LOOKUP, REMOVE, SECINFO, GETXATTR, REMOVEXATTR
            case 12 -> { // LOCK
                c.words(random.nextInt(1, 5), random.nextInt(8) / 7);
                range(c);
                if (owner == null || owner.name.startsWith("o")) {
                    Counter lockOwner = one(lockOwners);
                    locker = lockOwner;
                    c.words(1, seqid(owner)).words(stateid()).words(seqid(lockOwner));
                    c.hyper(clientId(minorVersion)).string(lockOwner.name);
                } else {
                    c.words(0).words(stateid()).words(seqid(owner));
                }
            }
            case 13 -> // LOCKT
                c.words(random.nextInt(1, 5))
                        .hyper(offset())
                        .hyper(offset())
                        .hyper(clientId(minorVersion))
                        .string(one(lockOwners).name);
            case 14 -> { // LOCKU
                c.words(2, seqid(owner)).words(stateid());
                range(c);
            }
            case 17, 37 -> attributes(c); // NVERIFY, VERIFY
            case 18 -> open(minorVersion, c);
            case 19 -> c.words(0); // OPENATTR
            case 20 -> c.words(stateid()).words(seqid(owner)); // OPEN_CONFIRM
            case 21 -> c.words(stateid()).words(seqid(owner), random.nextInt(4), random.nextInt(4)); // OPEN_DOWNGRADE
            case 22 -> { // PUTFH
                byte[] handle = handles.isEmpty()
                        ? new byte[40]
                        : handles.get(random.nextInt(handles.size())).array();
                if (random.nextInt(4) == 0) {
                    handle[random.nextInt(handle.length)]++;
                }
                c.opaque(handle);
            }
            case 25, 68 -> c.words(stateid()).hyper(offset()).words(random.nextInt(1 << 17)); // READ, READ_PLUS
            case 26 -> // READDIR
                c.hyper(random.nextInt(3)).hyper(random.nextInt(2)).words(4096, 8192, 1, random.nextInt());
            case 29 -> c.string(name()).string(name()); // RENAME
            case 34 -> { // SETATTR
                c.words(stateid());
                attributes(c);
            }
            case 35 -> // SETCLIENTID
                c.hyper(1)
                        .string("old" + random.nextInt(3))
                        .words(0x40000000)
                        .string("tcp")
                        .string("127.0.0.1.3.4")
                        .words(1);
            case 36 -> c.hyper(clientId(0)).hyper(random.nextBoolean() ? confirmVerifier : 5); // SETCLIENTID_CONFIRM
            case 38 -> // WRITE
                c.words(stateid())
                        .hyper(random.nextInt(3) == 0 ? offset() : random.nextInt(5000))
                        .words(random.nextInt(3))
                        .opaque(new byte[random.nextInt(3000)]);
            case 39 -> c.hyper(clientId(minorVersion)).string(one(lockOwners).name); // RELEASE_LOCKOWNER
            case 45 -> { // FREE_STATEID
                int[] whichever = stateid();
                whichever[0] = 0;
                c.words(whichever);
            }
            case 55 -> c.words(2).words(stateid()).words(stateid()); // TEST_STATEID
            case 59, 62 -> c.words(stateid()).hyper(random.nextInt(9000)).hyper(random.nextInt(9000)); // ALLOCATE...
            case 60 -> // COPY
                c.words(stateid())
                        .words(stateid())
                        .hyper(random.nextInt(100))
                        .hyper(random.nextInt(9000))
                        .hyper(random.nextInt(5000))
                        .words(1, 1, 0);
            case 63 -> c.words(stateid()).hyper(0).hyper(10).words(1, 1); // IO_ADVISE
            case 69 -> c.words(stateid()).hyper(offset()).words(random.nextInt(3)); // SEEK
            case 71 -> // CLONE
                c.words(stateid())
                        .words(stateid())
                        .hyper(4096L * random.nextInt(3))
                        .hyper(4096L * random.nextInt(3))
                        .hyper(4096L * random.nextInt(3));
            case 73 -> c.words(random.nextInt(3)).string(name()).string("value"); // SETXATTR
            case 74 -> c.hyper(random.nextInt(3)).words(random.nextInt(5000)); // LISTXATTRS
            default -> throw new AssertionError("operation " + operation);
        }
    }

    private void open(int minorVersion, CallWriter c) {
        Counter owner = one(owners);
        opener = owner;
        c.words(seqid(owner), random.nextInt(1, 4), random.nextInt(6) / 5 * random.nextInt(4));
        c.hyper(clientId(minorVersion)).string(owner.name);
        if (random.nextBoolean()) {
            int mode = random.nextInt(3);
            c.words(1, mode);
            if (mode == 2) {
                c.hyper(random.nextInt(3));
            } else {
                attributes(c);
            }
        } else {
            c.words(0);
        }
        int claim = random.nextInt(8) == 0 ? random.nextInt(1, 7) : 0;
        c.words(claim);
        switch (claim) {
            case 0, 3 -> c.string(name());
            case 1 -> c.words(random.nextInt(3));
            case 2 -> c.words(stateid()).string(name());
            case 5 -> c.words(stateid());
            default -> {}
        }
    }
}
