package org.warpnfs.server.hostile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

/** The attacks by peers over TCP with record marking (RFC 5531, section 11). */
enum TcpAttack {
    /** Many large READs on a few connections, where the peer never reads the replies. */
    READERS_THAT_TAKE_NOTHING {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 8; connection++) {
                Wire wire = attack.keep(Wire.connect(target.tcp(), 1));
                for (int call = 0; call < 64; call++) {
                    wire.push(record(target.read(call)));
                }
            }
        }
    },
    /** The same attack from many addresses. */
    READERS_OF_MANY_ADDRESSES {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int peer = 1; peer <= 60; peer++) {
                Wire wire = attack.keep(Wire.connect(target.tcp(), peer));
                for (int call = 0; call < 64; call++) {
                    wire.push(record(target.read(call)));
                }
            }
        }
    },
    /** The same attack, while the peer reads a byte of the replies now and then. */
    READERS_THAT_TAKE_A_BYTE {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            READERS_THAT_TAKE_NOTHING.begin(attack, target, random);
            Wire slow = attack.keep(Wire.connect(target.tcp(), 1));
            for (int call = 0; call < 64; call++) {
                slow.push(record(target.read(call)));
            }
            attack.repeat(1, 3, () -> {
                slow.sip();
                Thread.sleep(50);
            });
        }
    },
    /** Records that never end. */
    PARTIAL_RECORDS {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 200; connection++) {
                Wire wire = attack.keep(Wire.connect(target.tcp(), 1 + connection % 4));
                wire.push(header(Target.MIB, true));
                wire.push(new byte[34 << 10]);
            }
        }
    },
    /** Calls that stop before their last byte. */
    CALLS_WITHOUT_THEIR_LAST_BYTE {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 100; connection++) {
                byte[] call = target.writeWithoutData(connection, Target.MIB);
                Wire wire = attack.keep(Wire.connect(target.tcp(), 1));
                wire.push(header(call.length + Target.MIB, true));
                wire.push(call);
                wire.push(new byte[Target.MIB - 1]);
            }
        }
    },
    /** Replies to calls that the server never made. */
    REPLIES_TO_NO_CALL {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            byte[] record = record(reply(random.nextInt(), Target.MIB));
            attack.repeat(4, 10, () -> {
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    for (int i = 0; i < 64 && !attack.over(); i++) {
                        if (wire.push(record) < record.length) {
                            return;
                        }
                    }
                }
            });
        }
    },
    /** Random bytes. */
    GARBAGE {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 100, () -> {
                byte[] bytes = new byte[random.nextInt(5000)];
                random.nextBytes(bytes);
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    wire.push(bytes);
                }
            });
        }
    },
    /** Whole records with invalid calls. */
    GARBAGE_CALLS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(2, 20, () -> {
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    for (int i = 0; i < 50; i++) {
                        byte[] call = target.read(i);
                        for (int n = 1 + random.nextInt(4); n > 0; n--) {
                            call[8 + random.nextInt(call.length - 8)] = (byte) random.nextInt();
                        }
                        wire.push(record(call));
                    }
                }
            });
        }
    },
    /** An endless row of empty fragments. */
    EMPTY_FRAGMENTS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            byte[] many = new byte[64 << 10];
            attack.repeat(2, 5, () -> {
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    wire.push(many);
                }
            });
        }
    },
    /** A call in fragments of one byte each. */
    FRAGMENTS_OF_ONE_BYTE {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            byte[] call = target.read(7);
            ByteBuffer bytes = ByteBuffer.allocate(call.length * 5);
            for (int i = 0; i < call.length; i++) {
                bytes.put(header(1, i == call.length - 1)).put(call[i]);
            }
            attack.repeat(2, 20, () -> {
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    wire.push(bytes.duplicate().flip());
                }
            });
        }
    },
    /** Connections that are opened and closed again and again. */
    CHURN {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            attack.repeat(4, 300, () -> {
                try (Wire wire = Wire.connect(target.tcp(), 1)) {
                    if (random.nextBoolean()) {
                        wire.reset();
                    }
                }
            });
        }
    },
    /** As many idle connections as the server allows. */
    FLOOD_OF_SILENCE {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int peer = 1; peer <= 4; peer++) {
                for (int connection = 0; connection < 500; connection++) {
                    attack.keep(Wire.connect(target.tcp(), peer));
                }
            }
        }
    },
    /** Hundreds of calls that wait for stable storage, where the peer never reads the replies. */
    COMMITS_OF_ONE {
        @Override
        void begin(Attack attack, Target target, Random random) throws IOException {
            for (int connection = 0; connection < 16; connection++) {
                Wire wire = attack.keep(Wire.connect(target.tcp(), 1));
                for (int call = 0; call < 200; call++) {
                    wire.push(record(target.commit(call)));
                }
            }
        }
    };

    private static final int LAST_FRAGMENT = 0x8000_0000;

    abstract void begin(Attack attack, Target target, Random random) throws Exception;

    static byte[] header(int lengthBytes, boolean last) {
        return ByteBuffer.allocate(4)
                .putInt(last ? LAST_FRAGMENT | lengthBytes : lengthBytes)
                .array();
    }

    static byte[] record(byte[] message) {
        return ByteBuffer.allocate(4 + message.length)
                .put(header(message.length, true))
                .put(message)
                .array();
    }

    /** Encodes an accepted reply to a call that the server never made. */
    static byte[] reply(int xid, int lengthBytes) {
        return ByteBuffer.allocate(lengthBytes).putInt(xid).putInt(1).array();
    }
}
