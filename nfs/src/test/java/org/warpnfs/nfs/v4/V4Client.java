package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** A client that speaks RFC 8881 word by word. */
final class V4Client {
    final V4Server server;
    final String name;
    final int minorVersion;
    int uid;
    long verifier = 1;
    long clientId;
    int createSequence;
    byte[] session;
    final int[] seqids = new int[64];
    boolean cacheThis = true;
    ReplyKeeper connection = V4Server.newConnection();
    int statusFlags;

    V4Client(V4Server server, String name, int minorVersion, int uid) {
        this.server = server;
        this.name = name;
        this.minorVersion = minorVersion;
        this.uid = uid;
    }

    /** A client with a session that has reclaimed all it wants, namely nothing. */
    static V4Client mounted(V4Server server, String name, int uid) {
        V4Client client = new V4Client(server, name, 2, uid);
        client.connect();
        client.run(new Ops().reclaimComplete());
        return client;
    }

    void connect() {
        Reply id = sendBare(new Ops().exchangeId(verifier, name, 0));
        assertThat(id.status()).isEqualTo(Nfs4Status.OK);
        readExchangeId(id);
        Reply created = sendBare(new Ops().createSession(clientId, createSequence));
        assertThat(created.status()).isEqualTo(Nfs4Status.OK);
        readSession(created);
    }

    /** As {@link #mounted}, with a back channel that works. */
    static V4Client callable(V4Server server, String name, int uid) {
        V4Client client = mounted(server, name, uid);
        client.answerNull(client.nextCallback());
        return client;
    }

    /** The server's next call to this client. */
    CallbackSeen nextCallback() {
        byte[] message = connection.nextBackwardCall();
        return message == null ? null : new CallbackSeen(message);
    }

    private void answer(CallbackSeen callback, int... words) {
        try {
            connection.answerBackward(new CallWriter()
                    .words(callback.xid, 1, 0, 0, 0, 0)
                    .words(words)
                    .toBytes());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** True while the server waits for the answer; asked once. */
    boolean isAwaited(CallbackSeen callback) {
        return connection.getReplyQueue().get(callback.xid) != null;
    }

    void answerNull(CallbackSeen callback) {
        answer(callback);
    }

    /** CB_SEQUENCE and CB_RECALL or CB_RECALL_SLOT, both executed. */
    void answerRecall(CallbackSeen callback, int status) {
        ByteBuffer id = ByteBuffer.wrap(callback.sessionId);
        answer(
                callback,
                status,
                0,
                2,
                11,
                0,
                id.getInt(0),
                id.getInt(4),
                id.getInt(8),
                id.getInt(12),
                callback.seqid,
                callback.slot,
                15,
                15,
                callback.operation,
                status);
    }

    /** CB_SEQUENCE refused. */
    void answerSequence(CallbackSeen callback, int status) {
        answer(callback, status, 0, 1, 11, status);
    }

    /** A call of the server's, read word by word. */
    static final class CallbackSeen {
        static final int CB_RECALL_SLOT = 10;

        final int xid;
        final int program;
        final int procedure;
        final int flavor;
        int minorVersion;
        byte[] sessionId = new byte[16];
        int seqid;
        int slot;
        int operation;
        int highestSlot;
        final int[] stateid = new int[4];
        byte[] fileHandle = new byte[0];

        CallbackSeen(byte[] message) {
            ByteBuffer words = ByteBuffer.wrap(message);
            xid = words.getInt();
            assertThat(words.getInt()).as("a call").isZero();
            assertThat(words.getInt()).as("RPC version").isEqualTo(2);
            program = words.getInt();
            assertThat(words.getInt()).as("callback version").isEqualTo(1);
            procedure = words.getInt();
            flavor = words.getInt();
            int credentialBytes = words.getInt();
            words.position(words.position() + credentialBytes);
            assertThat(words.getLong()).as("verifier").isZero();
            if (procedure == 1) {
                assertThat(words.getInt()).as("tag").isZero();
                minorVersion = words.getInt();
                assertThat(words.getInt()).as("callback_ident").isZero();
                assertThat(words.getInt()).as("operations").isEqualTo(2);
                assertThat(words.getInt()).as("CB_SEQUENCE").isEqualTo(11);
                words.get(sessionId);
                seqid = words.getInt();
                slot = words.getInt();
                assertThat(words.getInt()).as("highest slot").isGreaterThanOrEqualTo(slot);
                assertThat(words.getInt()).as("cachethis").isZero();
                assertThat(words.getInt()).as("referring calls").isZero();
                operation = words.getInt();
                if (operation == CB_RECALL_SLOT) {
                    highestSlot = words.getInt();
                } else {
                    readRecall(words);
                }
            }
            assertThat(words.remaining()).as("rest").isLessThan(4);
        }

        private void readRecall(ByteBuffer words) {
            assertThat(operation).as("CB_RECALL").isEqualTo(4);
            for (int i = 0; i < 4; i++) {
                stateid[i] = words.getInt();
            }
            assertThat(words.getInt()).as("truncate").isZero();
            fileHandle = new byte[words.getInt()];
            words.get(fileHandle);
        }
    }

    /** The result of EXCHANGE_ID; its flags. */
    int readExchangeId(Reply reply) {
        reply.op(42);
        clientId = reply.hyper();
        createSequence = reply.word();
        return reply.word();
    }

    void readSession(Reply reply) {
        reply.op(43);
        session = ByteBuffer.allocate(16)
                .putLong(reply.hyper())
                .putLong(reply.hyper())
                .array();
        Arrays.fill(seqids, 0);
        createSequence++;
    }

    /** Without a SEQUENCE. */
    Reply sendBare(Ops ops) {
        return new Reply(server.send(connection, message("", minorVersion, ops)));
    }

    byte[] message(String tag, int minor, Ops ops) {
        CallWriter call = server.begin(uid).string(tag).words(minor, ops.count);
        ops.writers.forEach(w -> w.accept(call));
        return call.toBytes();
    }

    Ops sequence(int slot, int seqid, Ops ops) {
        Ops all = new Ops();
        all.add(53, c -> {
            ByteBuffer id = ByteBuffer.wrap(session);
            c.hyper(id.getLong(0)).hyper(id.getLong(8));
            c.words(seqid, slot, 0, cacheThis ? 1 : 0);
        });
        all.writers.addAll(ops.writers);
        all.count += ops.count;
        return all;
    }

    /** In slot 0, and past the result of SEQUENCE. */
    Reply send(Ops ops) {
        Reply reply = sendBare(sequence(0, ++seqids[0], ops));
        statusFlags = reply.skipSequence();
        return reply;
    }

    /** As {@link #send}; all operations have to be fine. */
    Reply run(Ops ops) {
        Reply reply = send(ops);
        assertThat(reply.status()).isEqualTo(Nfs4Status.OK);
        return reply;
    }

    Nfs4Status statusOf(Ops ops) {
        return send(ops).status();
    }

    /** Operations in the making. */
    static final class Ops {
        final List<Consumer<CallWriter>> writers = new ArrayList<>();
        int count;

        Ops add(int number, Consumer<CallWriter> arguments) {
            writers.add(c -> {
                c.words(number);
                arguments.accept(c);
            });
            count++;
            return this;
        }

        Ops op(int number, int... words) {
            return add(number, c -> c.words(words));
        }

        Ops exchangeId(long verifier, String owner, int flags) {
            return add(42, c -> c.hyper(verifier).string(owner).words(flags, 0, 0));
        }

        /** With a flag, a callback program, and its flavors. */
        Ops createSession(long clientId, int sequence, int flags, int program, int... flavors) {
            return add(43, c -> c.hyper(clientId)
                    .words(sequence, flags)
                    .words(0, 65536, 65536, 4096, 16, 8, 0)
                    .words(0, 4068, 4068, 0, 2, 16, 0)
                    .words(program)
                    .words(flavors));
        }

        Ops bind(byte[] session, int direction) {
            return add(41, c -> {
                ByteBuffer id = ByteBuffer.wrap(session);
                c.hyper(id.getLong(0)).hyper(id.getLong(8)).words(direction, 0);
            });
        }

        Ops createSession(long clientId, int sequence) {
            return createSession(clientId, sequence, 2 << 20, 8192, 16);
        }

        Ops createSession(long clientId, int sequence, int size, int cached, int slots) {
            return add(43, c -> c.hyper(clientId)
                    .words(sequence, 3)
                    .words(0, size, size, cached, 16, slots, 0)
                    .words(0, 4096, 4096, 0, 2, 16, 0)
                    .words(0x40000000, 1, 0));
        }

        Ops reclaimComplete() {
            return op(58, 0);
        }

        Ops root() {
            return op(24);
        }

        Ops data() {
            return root().lookup("data");
        }

        Ops lookup(String name) {
            return add(15, c -> c.string(name));
        }

        Ops putFh(byte[] handle) {
            return add(22, c -> c.opaque(handle));
        }

        Ops getFh() {
            return op(10);
        }

        Ops getAttr(int... words) {
            return add(9, c -> c.words(words.length).words(words));
        }

        /** UNCHECKED with mode 0644 and perhaps size 0, by name; access 1, 2 or 3. */
        Ops openCreate(String owner, String name, int access, int deny) {
            return add(18, c -> c.words(0, access, deny)
                    .hyper(0)
                    .string(owner)
                    .words(1, 0)
                    .words(2, 0, 1 << 1, 4, 0644)
                    .words(0)
                    .string(name));
        }

        Ops open(String owner, String name, int access, int deny) {
            return add(18, c -> c.words(0, access, deny)
                    .hyper(0)
                    .string(owner)
                    .words(0, 0)
                    .string(name));
        }

        Ops openPrevious(String owner, int access) {
            return add(18, c -> c.words(0, access, 0).hyper(0).string(owner).words(0, 1, 0));
        }

        Ops openDelegated(String owner, String name, int[] delegation) {
            return add(18, c -> c.words(0, 1, 0)
                    .hyper(0)
                    .string(owner)
                    .words(0, 2)
                    .words(delegation)
                    .string(name));
        }

        Ops openDelegatedFh(String owner, int[] delegation) {
            return add(
                    18, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 5).words(delegation));
        }

        Ops openPreviousDelegated(String owner) {
            return add(18, c -> c.words(0, 1, 0).hyper(0).string(owner).words(0, 1, 1));
        }

        Ops openFh(String owner, int access) {
            return add(18, c -> c.words(0, access, 0).hyper(0).string(owner).words(0, 4));
        }

        Ops stateid(int number, int[] stateid, int... more) {
            return add(number, c -> c.words(stateid).words(more));
        }

        Ops close(int[] stateid) {
            return add(4, c -> c.words(0).words(stateid));
        }

        Ops write(int[] stateid, long offset, int stable, String text) {
            return write(stateid, offset, stable, text.getBytes(StandardCharsets.UTF_8));
        }

        Ops write(int[] stateid, long offset, int stable, byte[] data) {
            return add(38, c -> c.words(stateid).hyper(offset).words(stable).opaque(data));
        }

        Ops read(int[] stateid, long offset, int count) {
            return add(25, c -> c.words(stateid).hyper(offset).words(count));
        }

        Ops lock(int type, boolean reclaim, long offset, long length, int[] openStateid, String owner) {
            return add(12, c -> c.words(type, reclaim ? 1 : 0)
                    .hyper(offset)
                    .hyper(length)
                    .words(1, 0)
                    .words(openStateid)
                    .words(0)
                    .hyper(0)
                    .string(owner));
        }

        Ops lockMore(int type, long offset, long length, int[] lockStateid) {
            return add(12, c -> c.words(type, 0)
                    .hyper(offset)
                    .hyper(length)
                    .words(0)
                    .words(lockStateid)
                    .words(0));
        }

        Ops unlock(int[] lockStateid, long offset, long length) {
            return add(14, c -> c.words(1, 0).words(lockStateid).hyper(offset).hyper(length));
        }

        Ops read68(int[] stateid) {
            return add(68, c -> c.words(stateid).hyper(0).words(50_000));
        }

        Ops named(int number, String... names) {
            return add(number, c -> {
                for (String name : names) {
                    c.string(name);
                }
            });
        }
    }

    /** A COMPOUND4res on its way. */
    static final class Reply extends ReplyReader {
        private final Nfs4Status status;
        private final int count;

        Reply(byte[] message) {
            super(message);
            assertThat(stat()).isEqualTo(SUCCESS);
            status = Reply.of(word());
            opaque(1024);
            count = word();
        }

        Nfs4Status status() {
            return status;
        }

        int count() {
            return count;
        }

        static Nfs4Status of(int code) {
            for (Nfs4Status status : Nfs4Status.values()) {
                if (status.code() == code) {
                    return status;
                }
            }
            throw new AssertionError("status " + code);
        }

        void op(int number) {
            op(number, Nfs4Status.OK);
        }

        void op(int number, Nfs4Status expected) {
            assertThat(word()).as("operation").isEqualTo(number);
            assertThat(of(word())).as("status of operation %d", number).isEqualTo(expected);
        }

        /** sr_status_flags; 0 if SEQUENCE failed. */
        int skipSequence() {
            if (count > 0 && word() == 53 && word() == 0) {
                words(8);
                return word();
            }
            return 0;
        }

        int[] words(int n) {
            int[] words = new int[n];
            for (int i = 0; i < n; i++) {
                words[i] = word();
            }
            return words;
        }

        int[] stateid() {
            return words(4);
        }

        byte[] getFh() {
            op(10);
            return opaque(128);
        }

        /** PUTROOTFH, LOOKUP data. */
        Reply afterData() {
            op(24);
            op(15);
            return this;
        }

        /** The stateid, past the whole of OPEN4resok. */
        int[] open() {
            op(18);
            int[] stateid = stateid();
            words(5);
            word();
            words(word());
            assertThat(word()).as("no delegation").isZero();
            return stateid;
        }

        /** Past OPEN4resok up to the delegation; its kind. */
        int openUpToDelegation() {
            op(18);
            stateid();
            words(5);
            word();
            words(word());
            return word();
        }

        /** The delegation's stateid; its recall flag and ACE follow. */
        int[] readDelegation() {
            assertThat(openUpToDelegation()).as("a read delegation").isEqualTo(1);
            return stateid();
        }

        void end() {
            assertThat(remaining()).as("bytes behind the last result").isZero();
        }
    }
}
