package org.warpnfs.server.hostile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** The attacks by peers over RDMA, at each layer: TCP, MPA, DDP, RDMAP, RPC-over-RDMA. */
enum RdmaAttack {
    /** READs with Write chunks, where the peer never reads its socket. */
    READERS_THAT_TAKE_NOTHING {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 8; connection++) {
                readAll(attack.keep(RawIwarp.established(target.rdma(), 1)), target);
            }
        }
    },
    /** The same attack from many addresses. */
    READERS_OF_MANY_ADDRESSES {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int peer = 1; peer <= 60; peer++) {
                readAll(attack.keep(RawIwarp.established(target.rdma(), peer)), target);
            }
        }
    },
    /** WRITEs whose data the server has to fetch, where the peer never answers the Read Requests. */
    READS_THAT_NOBODY_ANSWERS {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 6; connection++) {
                RawIwarp raw = attack.keep(RawIwarp.established(target.rdma(), 1));
                for (int call = 0; call < CREDITS; call++) {
                    raw.wire().push(raw.send(writeByChunk(target, call, Target.MIB)));
                }
            }
        }
    },
    /** The same attack, while the peer sends something harmless now and then. */
    READS_THAT_NOBODY_ANSWERS_AMID_TALK {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            READS_THAT_NOBODY_ANSWERS.begin(attack, target, random);
            RawIwarp raw = attack.keep(RawIwarp.established(target.rdma(), 1));
            for (int call = 0; call < CREDITS; call++) {
                raw.wire().push(raw.send(writeByChunk(target, call, Target.MIB)));
            }
            attack.repeat(1, 5, () -> {
                raw.wire().push(raw.send(words(9, 1, 32, RDMA_ERROR, 2)));
                Thread.sleep(50);
            });
        }
    },
    /** Read lists, Write lists and Reply chunks of as many segments as fit into a message. */
    LISTS_OF_MANY_SEGMENTS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 20, () -> {
                try (RawIwarp raw = RawIwarp.established(target.rdma(), 1)) {
                    for (int call = 0; call < 32; call++) {
                        raw.wire().push(raw.send(listOf(target, call, random.nextInt(3), random.nextInt(200))));
                    }
                }
            });
        }
    },
    /** Invalid headers, each of which requires an answer, where the peer never reads its socket. */
    HEADERS_WITHOUT_SENSE {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 8; connection++) {
                RawIwarp raw = attack.keep(RawIwarp.established(target.rdma(), 1));
                for (int message = 0; message < 20_000; message++) {
                    ByteBuffer fpdu = raw.send(words(message, 7, 32, 0, 0, 0, 0));
                    if (raw.wire().push(fpdu) < fpdu.capacity()) {
                        break;
                    }
                }
            }
        }
    },
    /** Calls that ignore the granted credits. */
    CALLS_BEYOND_CREDITS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 10, () -> {
                try (RawIwarp raw = RawIwarp.established(target.rdma(), 1)) {
                    for (int call = 0; call < 1000; call++) {
                        ByteBuffer fpdu = raw.send(inline(target.commit(call)));
                        if (raw.wire().push(fpdu) < fpdu.capacity()) {
                            return;
                        }
                    }
                }
            });
        }
    },
    /** Replies to calls of the server that it never made. */
    REPLIES_TO_NO_CALL {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 4; connection++) {
                RawIwarp raw = attack.keep(RawIwarp.established(target.rdma(), 1));
                for (int message = 0; message < 5000; message++) {
                    ByteBuffer fpdu = raw.send(inline(TcpAttack.reply(message, 2048)));
                    if (raw.wire().push(fpdu) < fpdu.capacity()) {
                        break;
                    }
                }
            }
        }
    },
    /** Random bytes in place of the MPA request. */
    GARBAGE_BEFORE_MPA {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 100, () -> {
                byte[] bytes = random.nextBoolean() ? RawIwarp.request() : new byte[random.nextInt(2000)];
                for (int n = 0; n < 4 && bytes.length > 0; n++) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                }
                try (RawIwarp raw = RawIwarp.silent(target.rdma(), 1)) {
                    raw.wire().push(bytes);
                }
            });
        }
    },
    /** Random bytes in place of FPDUs. */
    GARBAGE_FPDUS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 50, () -> {
                try (RawIwarp raw = RawIwarp.established(target.rdma(), 1)) {
                    byte[] fpdu = raw.send(inline(target.read(1))).array();
                    for (int n = 1 + random.nextInt(4); n > 0; n--) {
                        fpdu[random.nextInt(fpdu.length)] = (byte) random.nextInt();
                    }
                    raw.wire().push(fpdu);
                }
            });
        }
    },
    /** Random bytes in place of an RPC call. */
    GARBAGE_CALLS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 20, () -> {
                try (RawIwarp raw = RawIwarp.established(target.rdma(), 1)) {
                    for (int i = 0; i < CREDITS; i++) {
                        byte[] message = inline(target.read(i));
                        for (int n = 1 + random.nextInt(4); n > 0; n--) {
                            message[28 + random.nextInt(message.length - 28)] = (byte) random.nextInt();
                        }
                        raw.wire().push(raw.send(message));
                    }
                }
            });
        }
    },
    /** FPDUs that never end. */
    PARTIAL_FPDUS {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 100; connection++) {
                RawIwarp raw = attack.keep(RawIwarp.established(target.rdma(), 1 + connection % 4));
                raw.wire().push(Arrays.copyOf(raw.send(new byte[4000]).array(), 3000));
            }
        }
    },
    /** Connections that fall silent after each step of the startup. */
    SILENCE_AFTER_EACH_STEP {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 400; connection++) {
                RawIwarp raw = attack.keep(RawIwarp.silent(target.rdma(), 1 + connection % 4));
                switch (connection % 3) {
                    case 0 -> {}
                    case 1 -> raw.wire().push(Arrays.copyOf(RawIwarp.request(), 10));
                    default -> raw.establish();
                }
            }
        }
    },
    /** As many established and idle connections as the server allows. */
    FLOOD_OF_SILENCE {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int peer = 1; peer <= 4; peer++) {
                for (int connection = 0; connection < 500; connection++) {
                    attack.keep(RawIwarp.established(target.rdma(), peer));
                }
            }
        }
    },
    /** Connections that are opened and closed again and again. */
    CHURN {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(4, 100, () -> {
                try (RawIwarp raw = RawIwarp.established(target.rdma(), 1)) {
                    if (random.nextBoolean()) {
                        raw.wire().reset();
                    }
                }
            });
        }
    };

    private static final int CREDITS = 32;
    private static final int RDMA_MSG = 0;
    private static final int RDMA_ERROR = 4;
    private static final int HANDLE = 0x1234_5678;

    abstract void begin(Attack attack, Target target, Random random) throws Exception;

    private static void readAll(RawIwarp raw, Target target) {
        for (int call = 0; call < CREDITS; call++) {
            byte[] read = target.read(call);
            byte[] header = words(call, 1, CREDITS, RDMA_MSG, 0, 1, 1, HANDLE, Target.MIB, 0, 0, 0, 0);
            raw.wire().push(raw.send(join(header, read)));
        }
    }

    private static byte[] writeByChunk(Target target, int xid, int countBytes) {
        byte[] call = target.writeWithoutData(xid, countBytes);
        byte[] header = words(xid, 1, CREDITS, RDMA_MSG, 1, call.length, HANDLE, countBytes, 0, 0, 0, 0, 0);
        return join(header, call);
    }

    /** Encodes a call with {@code count} segments in its Read list, in one Write chunk, or in its Reply chunk. */
    private static byte[] listOf(Target target, int xid, int kind, int count) {
        byte[] call = target.commit(xid);
        int fits = Math.min(count, (4096 - call.length - 64) / 24);
        ByteBuffer header = ByteBuffer.allocate(64 + fits * 24);
        header.putInt(xid).putInt(1).putInt(CREDITS).putInt(RDMA_MSG);
        if (kind == 0) {
            for (int i = 0; i < fits; i++) {
                header.putInt(1)
                        .putInt(call.length)
                        .putInt(HANDLE + i)
                        .putInt(4)
                        .putLong(0);
            }
        }
        header.putInt(0);
        for (int list = 1; list <= 2; list++) {
            if (kind == list) {
                header.putInt(1).putInt(fits);
                for (int i = 0; i < fits; i++) {
                    header.putInt(HANDLE + i).putInt(1 << 30).putLong(0);
                }
            }
            if (list == 1 || kind != 2) {
                header.putInt(0);
            }
        }
        return join(Arrays.copyOf(header.array(), header.position()), call);
    }

    private static byte[] inline(byte[] message) {
        return join(words(ByteBuffer.wrap(message).getInt(), 1, CREDITS, RDMA_MSG, 0, 0, 0), message);
    }

    private static byte[] words(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            bytes.putInt(word);
        }
        return bytes.array();
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }
}
