package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.nlm.PeerCall;

class PeerProgramsTest {
    private static final int PROGRAM = 100021;
    private static final int LAST_FRAGMENT = 1 << 31;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private ServerSocket portmapper;
    private ServerSocket program;
    private PeerPrograms peers;

    @BeforeEach
    void open() throws IOException {
        portmapper = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.2"));
        program = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.2"));
        peers = new PeerPrograms(portmapper.getLocalPort());
        opened.addAll(List.of(peers, portmapper, program));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** Answers each call with these words after the header, on connections of one call each. */
    private static void answer(ServerSocket server, List<int[]> calls, int... result) {
        Thread.ofPlatform().daemon().start(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    byte[] call = in.readNBytes(in.readInt() & ~LAST_FRAGMENT);
                    ByteBuffer words = ByteBuffer.wrap(call);
                    int[] heard = new int[call.length / 4];
                    words.asIntBuffer().get(heard);
                    synchronized (calls) {
                        calls.add(heard);
                    }
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    ByteBuffer reply = ByteBuffer.allocate(4 + 24 + 4 * result.length)
                            .putInt(LAST_FRAGMENT | (24 + 4 * result.length))
                            .putInt(heard[0])
                            .putInt(1)
                            .putInt(0)
                            .putInt(0)
                            .putInt(0)
                            .putInt(0);
                    for (int word : result) {
                        reply.putInt(word);
                    }
                    out.write(reply.array());
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    private static PeerCall call(String host) throws IOException {
        return new PeerCall(
                InetAddress.getByName(host), null, false, PROGRAM, 4, 5, PeerCall.Arguments.of(new byte[] {0, 0, 0, 7
                }));
    }

    private static ByteBuffer get(CompletionStage<ByteBuffer> answer) throws Exception {
        return answer.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void call_programRegistered_isAnsweredFromThatPort() throws Exception {
        List<int[]> asked = new ArrayList<>();
        List<int[]> called = new ArrayList<>();
        answer(portmapper, asked, program.getLocalPort());
        answer(program, called, 42, 43);

        ByteBuffer result = get(peers.call(call("127.0.0.2")));

        assertThat(result.remaining()).isEqualTo(8);
        assertThat(result.getInt()).isEqualTo(42);
        assertThat(asked.getFirst())
                .as("GETPORT of the version over TCP")
                .endsWith(100000, 2, 3, 0, 0, 0, 0, PROGRAM, 4, 6, 0);
        assertThat(called.getFirst()).endsWith(2, PROGRAM, 4, 5, 0, 0, 0, 0, 7);
    }

    @Test
    void call_programNotRegistered_fails() {
        answer(portmapper, new ArrayList<>(), 0);

        assertThatThrownBy(() -> get(peers.call(call("127.0.0.2"))))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("not registered");
    }

    @Test
    void call_portBeyondAll_fails() {
        answer(portmapper, new ArrayList<>(), 1 << 20);

        assertThatThrownBy(() -> get(peers.call(call("127.0.0.2")))).hasMessageContaining("not registered");
    }

    /** The silent client has far more calls waiting than there are threads. */
    @Test
    void call_clientDoesNotAnswer_othersAreCalled() throws Exception {
        try (ServerSocket silent = new ServerSocket()) {
            silent.bind(new InetSocketAddress("127.0.0.3", portmapper.getLocalPort()));
            answer(portmapper, new ArrayList<>(), program.getLocalPort());
            answer(program, new ArrayList<>(), 42);
            List<CompletionStage<ByteBuffer>> waiting = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                waiting.add(peers.call(call("127.0.0.3")));
            }

            assertThat(get(peers.call(call("127.0.0.2"))).getInt()).isEqualTo(42);

            assertThat(waiting.getLast().toCompletableFuture().isDone()).isFalse();
            for (int i = 0; i < 300; i++) {
                waiting.add(peers.call(call("127.0.0.3")));
            }
            assertThat(waiting.getLast().toCompletableFuture().isCompletedExceptionally())
                    .as("beyond the limit of one client")
                    .isTrue();
        }
    }

    /** Anybody can ask for answers in the name of hosts that say nothing. */
    @Test
    void answers_toManyHostsThatAreSilent_makeNoCallWait() throws Exception {
        List<CompletionStage<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            ServerSocket silent = new ServerSocket();
            opened.add(silent);
            silent.bind(new InetSocketAddress("127.0.1." + i, portmapper.getLocalPort()));
            answers.add(peers.answer(call("127.0.1." + i)));
        }
        answer(portmapper, new ArrayList<>(), program.getLocalPort());
        answer(program, new ArrayList<>(), 42);

        assertThat(get(peers.call(call("127.0.0.2"))).getInt()).isEqualTo(42);

        assertThat(answers).noneMatch(answer -> answer.toCompletableFuture().isDone());
    }

    @Test
    void after_closed_neverRuns() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        peers.after(0, ran::countDown);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();

        peers.close();
        peers.after(0, () -> {
            throw new AssertionError("it runs after the end");
        });
        assertThatThrownBy(() -> get(peers.call(call("127.0.0.2")))).hasMessageContaining("the server ends");
    }
}
