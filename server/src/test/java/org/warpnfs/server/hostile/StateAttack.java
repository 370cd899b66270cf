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
                    connection.answer(lock(client, stateid, WRITE_LOCK, i, 2L * i, 1));
                }
            }
        }
    },
    /** Hundreds of requests in line in one owner's range, in a file full of locks, and more of them again and again. */
    LINES_IN_A_FULL_FILE {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            Connection connection = Connection.kept(attack, target, WAITER);
            V41Client client = new V41Client(connection, "waiter " + random.nextLong());
            client.open();
            byte[] stateid = stateidOfOpen(connection.answer(open(client, "owner")));
            int locks = 8_000;
            connection.answer(lock(client, stateid, WRITE_LOCK, locks, FAR, FAR));
            for (int i = 0; i < locks; i++) {
                connection.answer(lock(client, stateid, WRITE_LOCK, i, 2L * i, 1));
            }
            for (int i = 0; i < 500; i++) {
                ByteBuffer waits = connection.answer(lock(client, stateid, WRITE_LOCK_IN_LINE, i, FAR + i, FAR - i));
                if (waits.getInt(waits.position()) != DENIED) {
                    throw new AssertionError("LOCK: status " + waits.getInt(waits.position()));
                }
            }
            attack.repeat(
                    1,
                    2,
                    () -> connection.answer(lock(client, stateid, WRITE_LOCK_IN_LINE, random.nextInt(locks), FAR, 1)));
        }
    },
    /** Thousands of names of clients and of open-owners that have one hash code, if no key is in it. */
    NAMES_OF_ONE_HASH_CODE {
        @Override
        void begin(Attack attack, Target target, Random random) throws Exception {
            Connection connection = Connection.kept(attack, target, NAMER);
            V41Client client = new V41Client(connection, "namer " + random.nextLong());
            client.open();
            Step step = new Step(connection, client);
            for (int i = 0; i < NAMES; i++) {
                step.run();
            }
            attack.repeat(1, 2, step);
        }
    };

    /** One client and one open-owner more. */
    private static final class Step implements Attack.Step {
        private final Connection connection;
        private final V41Client client;
        private int number;

        Step(Connection connection, V41Client client) {
            this.connection = connection;
            this.client = client;
        }

        @Override
        public void run() {
            number = (number + 1) % NAMES;
            connection.answer(new V41Client(connection, colliding(number)).exchangeId());
            connection.answer(open(client, colliding(number)));
        }

        /** The two blocks have one hash code by the sum that Java's arrays and strings use, and so have all rows. */
        private static String colliding(int number) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; 1 << bit < NAMES; bit++) {
                name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
            }
            return name.toString();
        }
    }

    /** Each attack has its own address, because the server refuses further clients from the address of the first. */
    private static final int CROWD = 1;

    private static final int OPENER = 2;
    private static final int LOCKER = 3;
    private static final int WAITER = 4;
    private static final int NAMER = 5;
    private static final int NAMES = 4096;
    private static final int PUTROOTFH = 24;
    private static final int LOOKUP = 15;
    private static final int OPEN = 18;
    private static final int LOCK = 12;
    private static final int WRITE_LOCK = 2;
    private static final int WRITE_LOCK_IN_LINE = 4;
    private static final long FAR = 1L << 40;
    private static final int DENIED = 10_010;
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

    private static NfsCall lock(V41Client client, byte[] stateid, int type, int owner, long offset, long length) {
        ByteBuffer id = ByteBuffer.wrap(stateid);
        return client.sequenced(4)
                .word(PUTROOTFH)
                .word(LOOKUP)
                .string("big")
                .word(LOCK)
                .word(type)
                .word(0)
                .hyper(offset)
                .hyper(length)
                .word(1)
                .word(0)
                .word(id.getInt())
                .word(id.getInt())
                .word(id.getInt())
                .word(id.getInt())
                .word(0)
                .hyper(0)
                .string("lock owner " + owner);
    }

    /** A connection over TCP that waits for the answer to each call. */
    private static final class Connection implements V41Client.Carrier, AutoCloseable {
        private final Wire wire;

        Connection(Target target, int number) throws java.io.IOException {
            this(Wire.connect(target.tcp(), number));
        }

        private Connection(Wire wire) {
            this.wire = wire;
        }

        static Connection kept(Attack attack, Target target, int number) throws java.io.IOException {
            return new Connection(attack.keep(Wire.connect(target.tcp(), number)));
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
