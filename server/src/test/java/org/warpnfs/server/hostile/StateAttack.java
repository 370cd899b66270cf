package org.warpnfs.server.hostile;

import java.nio.ByteBuffer;
import java.util.Random;
import org.warpnfs.server.NfsCall;

/** The attacks by NFSv4.1 clients on the server's state (RFC 8881, sections 2.10, 9 and 10). */
enum StateAttack {
    /** Thousands of clients from one address, each with a session. */
    THOUSANDS_OF_SESSIONS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            try (Connection connection = new Connection(target, CROWD)) {
                for (int i = 0; i < 5000; i++) {
                    new V41Client(connection, "crowd " + i).introduce();
                }
            }
        }
    },
    /** Clients that send EXCHANGE_ID and never go on. */
    THOUSANDS_OF_INTRODUCTIONS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            try (Connection connection = new Connection(target, CROWD)) {
                for (int i = 0; i < 5000; i++) {
                    connection.answer(new V41Client(connection, "passer-by " + i).exchangeId());
                }
            }
        }
    },
    /** Thousands of opens of one file, each by another open-owner. */
    THOUSANDS_OF_OPENS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            try (Connection connection = new Connection(target, OPENER)) {
                V41Client client = new V41Client(connection, "opener " + random.nextLong());
                client.open();
                for (int i = 0; i < 5000; i++) {
                    connection.answer(open(client, "owner " + i));
                }
            }
        }
    },
    /** Thousands of locks on ranges that do not touch. */
    THOUSANDS_OF_LOCKS {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            try (Connection connection = new Connection(target, LOCKER)) {
                V41Client client = new V41Client(connection, "locker " + random.nextLong());
                client.open();
                ByteBuffer opened = connection.answer(open(client, "owner"));
                byte[] stateid = stateidOfOpen(opened);
                for (int i = 0; i < 10_000; i++) {
                    connection.answer(lock(client, stateid, i));
                }
            }
        }
    };

    /** Each attack has its own address, because the server refuses further clients from the address of the first. */
    private static final int CROWD = 1;

    private static final int OPENER = 2;
    private static final int LOCKER = 3;
    private static final int PUTROOTFH = 24;
    private static final int LOOKUP = 15;
    private static final int OPEN = 18;
    private static final int LOCK = 12;
    private static final int WRITE_LOCK = 2;
    private static final int BOTH = 3;
    private static final int CLAIM_NULL = 0;
    private static final int REPLY = 1;

    abstract void begin(Attack attack, Target target, Random random) throws Exception;

    private static NfsCall open(V41Client client, String owner) {
        return client.sequenced(3)
                .word(PUTROOTFH)
                .word(OPEN)
                .word(0)
                .word(BOTH)
                .word(0)
                .hyper(0)
                .string(owner)
                .word(0)
                .word(CLAIM_NULL)
                .string("big");
    }

    /**
     * Returns the stateid at the start of OPEN's results. Before it come the results of SEQUENCE (9 words after number
     * and status) and PUTROOTFH (2 words).
     */
    private static byte[] stateidOfOpen(ByteBuffer results) {
        if (results.getInt(results.position()) != 0) {
            throw new AssertionError("OPEN: status " + results.getInt(results.position()));
        }
        byte[] stateid = new byte[16];
        results.get(results.position() + 4 * (3 + 2 + 9 + 2 + 2), stateid);
        return stateid;
    }

    private static NfsCall lock(V41Client client, byte[] stateid, int number) {
        ByteBuffer id = ByteBuffer.wrap(stateid);
        return client.sequenced(4)
                .word(PUTROOTFH)
                .word(LOOKUP)
                .string("big")
                .word(LOCK)
                .word(WRITE_LOCK)
                .word(0)
                .hyper(number * 2L)
                .hyper(1)
                .word(1)
                .word(0)
                .word(id.getInt())
                .word(id.getInt())
                .word(id.getInt())
                .word(id.getInt())
                .word(0)
                .hyper(0)
                .string("lock owner " + number);
    }

    /** A connection over TCP that waits for the answer to each call. */
    private static final class Connection implements V41Client.Carrier, AutoCloseable {
        private final Wire wire;

        Connection(Target target, int number) throws java.io.IOException {
            wire = Wire.connect(target.tcp(), number);
        }

        @Override
        public ByteBuffer answer(NfsCall call) {
            wire.push(TcpAttack.record(Target.flat(call)));
            ByteBuffer record = record();
            // The server makes callbacks on this connection; they are never answered.
            while (record.getInt(Integer.BYTES) != REPLY) {
                record = record();
            }
            return NfsCall.results(record);
        }

        private ByteBuffer record() {
            ByteBuffer head = ByteBuffer.allocate(4);
            if (!wire.await(head)) {
                throw new AssertionError("no answer");
            }
            ByteBuffer record = ByteBuffer.allocate(head.getInt(0) & Integer.MAX_VALUE);
            if (!wire.await(record)) {
                throw new AssertionError("half an answer");
            }
            return record.flip();
        }

        @Override
        public void close() {
            wire.close();
        }
    }
}
