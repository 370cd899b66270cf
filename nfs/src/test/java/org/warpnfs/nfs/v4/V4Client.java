package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A client that sends RFC 8881 word by word. */
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

    /** A client with a session, which has finished reclaiming although it had nothing to reclaim. */
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

    /** The same as {@link #mounted}, with a back channel that works. */
    static V4Client callable(V4Server server, String name, int uid) {
        V4Client client = mounted(server, name, uid);
        client.answerNull(client.nextCallback());
        return client;
    }

    /** A client with an id that no session has confirmed. */
    static V4Client identified(V4Server server, String name, int minorVersion) {
        V4Client client = new V4Client(server, name, minorVersion, 0);
        client.readExchangeId(client.sendBare(new Ops().exchangeId(client.verifier, name, 0)));
        return client;
    }

    /** Creates a session with this limit of requests and replies, and this one of kept replies. */
    void createSession(int bytes, int keptBytes) {
        readSession(sendBare(new Ops().createSession(clientId, createSequence, bytes, keptBytes, 4)));
    }

    /** Opens a file in /data for reading and writing, by the owner "o". Creates it if needed. Returns the stateid. */
    int[] create(String name) {
        return run(new Ops().data().openCreate("o", name, 3, 0)).afterData().open();
    }

    /** Opens an existing file in /data, denying nothing. */
    int[] open(String owner, String name, int access) {
        return run(new Ops().data().open(owner, name, access, 0)).afterData().open();
    }

    /** Opens an existing file in /data for reading, and gets a delegation. Returns its stateid. */
    int[] delegation(String name) {
        return run(new Ops().data().open("o", name, 1, 0)).afterData().readDelegation();
    }

    /** Opens an existing file in /data for both, and gets a write delegation. Returns its stateid. */
    int[] writeDelegation(String name) {
        return run(new Ops().data().open("o", name, 3, 0)).afterData().readWriteDelegation();
    }

    /** The result of TEST_STATEID for a stateid. */
    Nfs4Status tested(int[] stateid) {
        Reply reply = run(new Ops().testStateid(stateid));
        reply.op(OpCode.TEST_STATEID);
        assertThat(reply.word()).isEqualTo(1);
        return Reply.of(reply.word());
    }

    /** Replaces the lost connection by another one, which is not bound to the session. */
    void reconnect() {
        connection.end();
        server.program().connectionClosed(connection);
        connection = V4Server.newConnection();
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

    /** True while the server waits for the answer. May be called once. */
    boolean isAwaited(CallbackSeen callback) {
        return connection.getReplyQueue().get(callback.xid) != null;
    }

    void answerNull(CallbackSeen callback) {
        answer(callback);
    }

    /** Answers CB_SEQUENCE and CB_RECALL or CB_RECALL_SLOT, both executed. */
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

    /** Answers CB_SEQUENCE and CB_GETATTR of change, size and both times, in seconds. */
    void answerGetAttr(CallbackSeen callback, long change, long size, long accessed, long modified) {
        answerGetAttr(
                callback,
                3,
                0x18,
                0,
                0x300000,
                40,
                (int) (change >>> 32),
                (int) change,
                (int) (size >>> 32),
                (int) size,
                (int) (accessed >>> 32),
                (int) accessed,
                0,
                (int) (modified >>> 32),
                (int) modified,
                0);
    }

    /** Answers CB_SEQUENCE and CB_GETATTR of change and size. */
    void answerGetAttr(CallbackSeen callback, long change, long size) {
        answerGetAttr(callback, 1, 0x18, 16, (int) (change >>> 32), (int) change, (int) (size >>> 32), (int) size);
    }

    private void answerGetAttr(CallbackSeen callback, int... attributes) {
        ByteBuffer id = ByteBuffer.wrap(callback.sessionId);
        int[] head = {
            0,
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
            CallbackSeen.CB_GETATTR,
            0
        };
        int[] words = Arrays.copyOf(head, head.length + attributes.length);
        System.arraycopy(attributes, 0, words, head.length, attributes.length);
        answer(callback, words);
    }

    /** The server's next CB_RECALL to this client, after a CB_GETATTR that is answered too late. */
    CallbackSeen nextRecall() {
        CallbackSeen callback = nextCallback();
        if (callback != null && callback.operation == CallbackSeen.CB_GETATTR) {
            answerRecall(callback, Nfs4Status.DELAY.code());
            return nextCallback();
        }
        return callback;
    }

    /** Answers that CB_SEQUENCE is refused. */
    void answerSequence(CallbackSeen callback, int status) {
        answer(callback, status, 0, 1, 11, status);
    }

    /** Reads the result of EXCHANGE_ID and returns its flags. */
    int readExchangeId(Reply reply) {
        reply.op(OpCode.EXCHANGE_ID);
        clientId = reply.hyper();
        createSequence = reply.word();
        return reply.word();
    }

    void readSession(Reply reply) {
        reply.op(OpCode.CREATE_SESSION);
        session = ByteBuffer.allocate(16)
                .putLong(reply.hyper())
                .putLong(reply.hyper())
                .array();
        Arrays.fill(seqids, 0);
        createSequence++;
    }

    /** The status of operations without a SEQUENCE. */
    Nfs4Status statusBare(Ops ops) {
        return sendBare(ops).status();
    }

    /** Sends operations without a SEQUENCE. */
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
        all.add(OpCode.SEQUENCE, c -> c.bytes(session).words(seqid, slot, 0, cacheThis ? 1 : 0));
        all.writers.addAll(ops.writers);
        all.count += ops.count;
        return all;
    }

    /** Sends operations in slot 0, and skips the result of SEQUENCE. */
    Reply send(Ops ops) {
        Reply reply = sendBare(sequence(0, ++seqids[0], ops));
        statusFlags = reply.skipSequence();
        return reply;
    }

    /** Sends operations as {@link #send} does. All must be OK. */
    Reply run(Ops ops) {
        Reply reply = send(ops);
        assertThat(reply.status()).isEqualTo(Nfs4Status.OK);
        return reply;
    }

    Nfs4Status statusOf(Ops ops) {
        return send(ops).status();
    }
}
