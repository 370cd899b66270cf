package org.warpnfs.server.kerberos;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.MessageProp;

/** A client of RPCSEC_GSS over TCP that shares no code with the server. It encodes word by word (RFC 2203). */
final class GssClient implements AutoCloseable {
    static final int NONE = 1;
    static final int INTEGRITY = 2;
    static final int PRIVACY = 3;
    private static final int DATA = 0;
    private static final int INIT = 1;
    static final int DESTROY = 3;
    private static final int NFS = 100_003;

    /** Carries calls and replies. */
    interface Way extends AutoCloseable {
        void send(byte[] call) throws IOException;

        ByteBuffer receive() throws IOException;

        /** Another connection to the same server. */
        Way another() throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Way way;
    private final GSSContext context;
    private byte[] handle = {};
    private int window;
    private int sequence;
    private int xid = 7000;

    /** The last denial, if {@link #call} threw. */
    static final class Denied extends IOException {
        private static final long serialVersionUID = 1L;
        private final int status;

        Denied(int status) {
            super("auth_stat " + status);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    GssClient(InetSocketAddress server, GSSContext context) throws IOException {
        this(new OverTcp(server), context);
    }

    private GssClient(Way way, GSSContext context) {
        this.way = way;
        this.context = context;
    }

    /** The same context on the connection of another client. */
    GssClient by(GssClient other) {
        return by(other.way);
    }

    /** The same context on another way. Closing this client closes that way alone. */
    GssClient by(Way other) {
        GssClient client = new GssClient(other, context);
        client.handle = handle;
        client.sequence = sequence + 100;
        return client;
    }

    /** Records over TCP (RFC 5531, section 11). */
    private record OverTcp(Socket socket) implements Way {
        OverTcp(InetSocketAddress server) throws IOException {
            this(new Socket(server.getAddress(), server.getPort()));
            socket.setSoTimeout(30_000);
        }

        @Override
        public void send(byte[] call) throws IOException {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(call.length | 1 << 31);
            out.write(call);
            out.flush();
        }

        @Override
        public ByteBuffer receive() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            int mark;
            do {
                mark = in.readInt();
                whole.write(in.readNBytes(mark & ~(1 << 31)));
            } while (mark >= 0);
            return ByteBuffer.wrap(whole.toByteArray());
        }

        @Override
        public Way another() throws IOException {
            return new OverTcp((InetSocketAddress) socket.getRemoteSocketAddress());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Another connection with the same context. */
    GssClient onAnotherConnection() throws IOException {
        return by(way.another());
    }

    /** Creates the context; returns gss_major. */
    int init(Subject user) throws IOException, GSSException {
        byte[] token;
        try {
            token = Subject.callAs(user, () -> context.initSecContext(new byte[0], 0, 0));
        } catch (CompletionException e) {
            if (e.getCause() instanceof GSSException gss) {
                throw gss;
            }
            throw e;
        }
        ByteBuffer call = header(NFS, 3, 0, INIT, 0, 0, new byte[0]);
        call.putInt(0).putInt(0);
        put(call, token);
        ByteBuffer reply = exchange(call);
        byte[] verifier = verifier(reply);
        expect(reply.getInt(), 0, "accept_stat");
        handle = opaque(reply);
        int major = reply.getInt();
        reply.getInt();
        window = reply.getInt();
        opaque(reply);
        if (major == 0) {
            verify(verifier, window);
        }
        return major;
    }

    int window() {
        return window;
    }

    void setSequence(int next) {
        sequence = next - 1;
    }

    /** Makes a call and returns its results. */
    ByteBuffer call(int program, int version, int procedure, int service, byte[] arguments)
            throws IOException, GSSException {
        ByteBuffer reply = exchange(encode(program, version, procedure, service, arguments));
        return results(reply, service);
    }

    /** Encodes a call of root with AUTH_SYS. */
    ByteBuffer encodeSys(int program, int version, int procedure, byte[] arguments) {
        ByteBuffer call = ByteBuffer.allocate(64 + arguments.length);
        call.putInt(++xid).putInt(0).putInt(2).putInt(program).putInt(version).putInt(procedure);
        call.putInt(1).putInt(20).putLong(0).putLong(0).putInt(0).putLong(0);
        return call.put(arguments);
    }

    /** Encodes the next call. */
    ByteBuffer encode(int program, int version, int procedure, int service, byte[] arguments) throws GSSException {
        sequence++;
        ByteBuffer call = header(program, version, procedure, DATA, sequence, service, handle);
        putMic(call);
        ByteBuffer body =
                ByteBuffer.allocate(4 + arguments.length).putInt(sequence).put(arguments);
        byte[] clear = body.array();
        switch (service) {
            case NONE -> call.put(arguments);
            case INTEGRITY -> {
                put(call, clear);
                put(call, context.getMIC(clear, 0, clear.length, new MessageProp(0, false)));
            }
            default -> put(call, context.wrap(clear, 0, clear.length, new MessageProp(0, true)));
        }
        return call;
    }

    byte[] handle() {
        return handle.clone();
    }

    /** A call of the server to this client, as it has verified it. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Callback(int xid, int procedure, int number, int service, byte[] arguments) {}

    /**
     * Receives a call of the server with RPCSEC_GSS, and verifies it with this client's context.
     *
     * @param named the handle that the client has given to the context
     */
    Callback receiveCallback(byte[] named) throws IOException, GSSException {
        ByteBuffer call = way.receive();
        int callXid = call.getInt();
        expect(call.getInt(), 0, "CALL");
        expect(call.getInt(), 2, "RPC version");
        call.getInt();
        expect(call.getInt(), 1, "version of the callback program");
        int procedure = call.getInt();
        expect(call.getInt(), 6, "flavor");
        call.getInt();
        expect(call.getInt(), 1, "RPCSEC_GSS version");
        expect(call.getInt(), DATA, "gss_proc");
        int number = call.getInt();
        int service = call.getInt();
        if (!Arrays.equals(opaque(call), named)) {
            throw new IOException("another handle");
        }
        byte[] covered = new byte[call.position()];
        call.get(0, covered);
        expect(call.getInt(), 6, "flavor of the verifier");
        byte[] mic = opaque(call);
        MessageProp properties = new MessageProp(0, false);
        context.verifyMIC(mic, 0, mic.length, covered, 0, covered.length, properties);
        if (service == NONE) {
            byte[] arguments = new byte[call.remaining()];
            call.get(arguments);
            return new Callback(callXid, procedure, number, service, arguments);
        }
        byte[] body = opaque(call);
        if (service == PRIVACY) {
            body = context.unwrap(body, 0, body.length, properties);
        } else {
            byte[] sum = opaque(call);
            context.verifyMIC(sum, 0, sum.length, body, 0, body.length, properties);
        }
        expect(ByteBuffer.wrap(body).getInt(), number, "number in the body");
        return new Callback(callXid, procedure, number, service, Arrays.copyOfRange(body, 4, body.length));
    }

    /** Answers a call of the server, with these numbers in the verifier and in the body. */
    void answer(Callback call, int verified, int inside, byte[] results) throws IOException, GSSException {
        ByteBuffer reply = ByteBuffer.allocate(1 << 16)
                .putInt(call.xid())
                .putInt(1)
                .putInt(0)
                .putInt(6);
        byte[] word = ByteBuffer.allocate(4).putInt(verified).array();
        put(reply, context.getMIC(word, 0, word.length, new MessageProp(0, false)));
        reply.putInt(0);
        byte[] body = ByteBuffer.allocate(4 + results.length)
                .putInt(inside)
                .put(results)
                .array();
        switch (call.service()) {
            case NONE -> reply.put(results);
            case INTEGRITY -> {
                put(reply, body);
                put(reply, context.getMIC(body, 0, body.length, new MessageProp(0, false)));
            }
            default -> put(reply, context.wrap(body, 0, body.length, new MessageProp(0, true)));
        }
        write(reply);
    }

    /** Denies a call of the server: the context is not known. */
    void refuse(Callback call) throws IOException {
        int authError = 1;
        int credProblem = 13;
        write(ByteBuffer.allocate(20)
                .putInt(call.xid())
                .putInt(1)
                .putInt(1)
                .putInt(authError)
                .putInt(credProblem));
    }

    /** Ends the context; returns accept_stat. */
    int destroy() throws IOException, GSSException {
        sequence++;
        ByteBuffer call = header(NFS, 3, 0, DESTROY, sequence, NONE, handle);
        putMic(call);
        ByteBuffer reply = exchange(call);
        verify(verifier(reply), sequence);
        return reply.getInt();
    }

    /** Sends a call that must not be answered, and then one that must. */
    void sendWithoutReply(ByteBuffer call) throws IOException {
        write(call);
    }

    ByteBuffer results(ByteBuffer reply, int service) throws IOException, GSSException {
        verify(verifier(reply), sequence);
        expect(reply.getInt(), 0, "accept_stat");
        if (service == NONE) {
            return reply.slice();
        }
        byte[] databody = opaque(reply);
        MessageProp properties = new MessageProp(0, false);
        byte[] clear = databody;
        if (service == INTEGRITY) {
            byte[] mic = opaque(reply);
            context.verifyMIC(mic, 0, mic.length, databody, 0, databody.length, properties);
        } else {
            clear = context.unwrap(databody, 0, databody.length, properties);
            if (!properties.getPrivacy()) {
                throw new IOException("a body in the clear");
            }
        }
        expect(reply.remaining(), 0, "bytes after the body");
        ByteBuffer results = ByteBuffer.wrap(clear);
        expect(results.getInt(), sequence, "number in the body");
        return results.slice();
    }

    ByteBuffer exchange(ByteBuffer call) throws IOException {
        write(call);
        return read();
    }

    private void write(ByteBuffer call) throws IOException {
        ByteBuffer record = call.duplicate().flip();
        byte[] bytes = new byte[record.remaining()];
        record.get(bytes);
        way.send(bytes);
    }

    ByteBuffer read() throws IOException {
        ByteBuffer reply = way.receive();
        expect(reply.getInt(), xid, "xid");
        expect(reply.getInt(), 1, "REPLY");
        if (reply.getInt() != 0) {
            expect(reply.getInt(), 1, "AUTH_ERROR");
            throw new Denied(reply.getInt());
        }
        return reply;
    }

    /** The verifier of an accepted reply; empty if it is AUTH_NONE. */
    static byte[] verifier(ByteBuffer reply) {
        reply.getInt();
        return opaque(reply);
    }

    private void verify(byte[] verifier, int number) throws GSSException {
        byte[] word = ByteBuffer.allocate(4).putInt(number).array();
        context.verifyMIC(verifier, 0, verifier.length, word, 0, word.length, new MessageProp(0, false));
    }

    private ByteBuffer header(
            int program, int version, int procedure, int gssProcedure, int number, int service, byte[] handleBytes) {
        ByteBuffer call = ByteBuffer.allocate(2 << 20);
        call.putInt(++xid).putInt(0).putInt(2).putInt(program).putInt(version).putInt(procedure);
        call.putInt(6).putInt(20 + (handleBytes.length + 3 & ~3));
        call.putInt(1).putInt(gssProcedure).putInt(number).putInt(service);
        put(call, handleBytes);
        return call;
    }

    /** The verifier: a checksum of all that is encoded so far. */
    private void putMic(ByteBuffer call) throws GSSException {
        byte[] covered = new byte[call.position()];
        call.get(0, covered);
        call.putInt(6);
        put(call, context.getMIC(covered, 0, covered.length, new MessageProp(0, false)));
    }

    private static void put(ByteBuffer call, byte[] opaque) {
        call.putInt(opaque.length).put(opaque).put(new byte[-opaque.length & 3]);
    }

    static byte[] opaque(ByteBuffer in) {
        byte[] value = new byte[in.getInt()];
        in.get(value);
        in.position(in.position() + (-value.length & 3));
        return value;
    }

    private static void expect(int actual, int expected, String what) throws IOException {
        if (actual != expected) {
            throw new IOException(what + " " + actual + ", expected " + expected);
        }
    }

    @Override
    public void close() throws IOException {
        way.close();
    }
}
