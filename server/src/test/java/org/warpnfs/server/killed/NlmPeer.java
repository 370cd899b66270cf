package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.warpnfs.server.NfsCall;

/**
 * An NFSv3 client with an address of its own that locks a file (NLM version 4) and is told of restarts: it answers as
 * the portmapper and the status monitor of its host (X/Open XNFS, chapters 10 and 11).
 */
final class NlmPeer implements AutoCloseable {
    static final int GRANTED = 0;
    static final int DENIED = 1;
    static final int IN_GRACE = 4;

    private static final int NLM = 100_021;
    private static final int NLM_LOCK = 2;
    private static final int NLM_UNLOCK = 4;
    private static final int NSM = 100_024;
    private static final int SM_NOTIFY = 6;
    private static final int PORTMAPPER = 100_000;
    private static final int PORTMAPPER_PORT = 111;
    private static final int CREATE = 8;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int LONGEST_CALL_BYTES = 1 << 16;
    private static final int SECONDS = 60;
    /** Words of a call before its arguments: to the procedure, and AUTH_NONE twice. */
    private static final int PROGRAM_AT = 12;

    private static final int PROCEDURE_AT = 20;

    private final InetAddress address;
    private final ServerSocket portmapper;
    private final ServerSocket monitor;
    private int notices;

    private NlmPeer(InetAddress address) throws IOException {
        this.address = address;
        this.portmapper = new ServerSocket(PORTMAPPER_PORT, 10, address);
        this.monitor = new ServerSocket(0, 10, address);
        serve(portmapper);
        serve(monitor);
    }

    /** Nothing if this process may not have the portmapper's port. */
    static Optional<NlmPeer> at(String address) throws IOException {
        try {
            return Optional.of(new NlmPeer(InetAddress.getByName(address)));
        } catch (BindException e) {
            System.out.println("no client with locks of NLM: " + address + ":" + PORTMAPPER_PORT + ": " + e);
            return Optional.empty();
        }
    }

    private void serve(ServerSocket server) {
        Thread.ofPlatform().daemon().name("nlm-peer").start(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    answer(socket);
                } catch (IOException e) {
                    // The caller has gone: it may have been killed.
                }
            }
        });
    }

    private void answer(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        ByteBuffer call = record(in);
        int program = call.getInt(PROGRAM_AT);
        byte[] reply = new byte[program == PORTMAPPER ? 28 : 24];
        ByteBuffer.wrap(reply).putInt(call.getInt(0)).putInt(1);
        if (program == PORTMAPPER) {
            ByteBuffer.wrap(reply).putInt(24, monitor.getLocalPort());
        } else if (program == NSM && call.getInt(PROCEDURE_AT) == SM_NOTIFY) {
            synchronized (this) {
                notices++;
                notifyAll();
            }
        }
        send(out, reply);
    }

    private static ByteBuffer record(DataInputStream in) throws IOException {
        int length = in.readInt() & ~LAST_FRAGMENT;
        if (length > LONGEST_CALL_BYTES) {
            throw new IOException("a message of " + length + " bytes");
        }
        byte[] message = new byte[length];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    private static void send(DataOutputStream out, byte[] message) throws IOException {
        out.writeInt(LAST_FRAGMENT | message.length);
        out.write(message);
    }

    private ByteBuffer answerOf(NfsCall call, InetSocketAddress server) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(address, 0));
            socket.connect(server);
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
            byte[] bytes = new byte[(int) call.message().lengthBytes()];
            call.message().flatten().get(bytes);
            send(new DataOutputStream(socket.getOutputStream()), bytes);
            return NfsCall.results(record(new DataInputStream(socket.getInputStream())));
        }
    }

    /** The handle of a new file in the root. */
    byte[] create(ServerProcess server, String name) throws IOException {
        ByteBuffer mounted =
                answerOf(NfsCall.of(Link.nextXid(), NfsCall.MOUNT, 3, 1, 0).string("/"), server.tcp());
        assertThat(mounted.getInt()).as("MNT").isZero();
        NfsCall create = NfsCall.of(Link.nextXid(), NfsCall.NFS, 3, CREATE, 0)
                .opaque(NfsCall.opaque(mounted))
                .string(name);
        // UNCHECKED, with mode 0666 alone
        create.word(0).word(1).word(0666).word(0).word(0).word(0).word(0).word(0);
        ByteBuffer created = answerOf(create, server.tcp());
        assertThat(created.getInt()).as("CREATE").isZero();
        assertThat(created.getInt()).as("a handle follows").isEqualTo(1);
        return NfsCall.opaque(created);
    }

    /** Asks for an exclusive lock of the whole file without waiting. Returns nlm4_stats. */
    int lock(ServerProcess server, byte[] file, boolean reclaim) throws IOException {
        NfsCall call = begin(NLM_LOCK).word(0).word(1);
        return status(of(call, file).word(reclaim ? 1 : 0).word(1), server);
    }

    void unlock(ServerProcess server, byte[] file) throws IOException {
        assertThat(status(of(begin(NLM_UNLOCK), file), server)).as("UNLOCK").isZero();
    }

    private static NfsCall begin(int procedure) {
        return NfsCall.of(Link.nextXid(), NLM, 4, procedure, 0).string("cookie");
    }

    private NfsCall of(NfsCall call, byte[] file) {
        String name = address.getHostAddress();
        return call.string(name).opaque(file).string("owner").word(7).hyper(0).hyper(0);
    }

    private int status(NfsCall call, ServerProcess server) throws IOException {
        ByteBuffer results = answerOf(call, server.tcp());
        assertThat(NfsCall.string(results)).isEqualTo("cookie");
        return results.getInt();
    }

    synchronized int notices() {
        return notices;
    }

    /** Returns once it has been told of a restart since it had been told so often. */
    synchronized void awaitNotice(int before) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (notices == before) {
            assertThat(System.nanoTime() - endNanos)
                    .as("time without SM_NOTIFY")
                    .isNegative();
            wait(100);
        }
    }

    @Override
    public void close() throws IOException {
        portmapper.close();
        monitor.close();
    }
}
