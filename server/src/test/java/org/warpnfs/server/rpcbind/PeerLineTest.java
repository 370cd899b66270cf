package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.nlm.PeerCall;

class PeerLineTest {
    private final Set<InetAddress> silent = ConcurrentHashMap.newKeySet();
    private final CountDownLatch speak = new CountDownLatch(1);
    private final PeerLine line = new PeerLine("test-", 4, 40, 3, this::exchange);

    @AfterEach
    void close() {
        speak.countDown();
        line.close();
    }

    private ByteBuffer exchange(PeerCall call) throws IOException {
        try {
            if (silent.contains(call.host())) {
                speak.await();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return ByteBuffer.allocate(0);
    }

    private CompletableFuture<ByteBuffer> call(String host) {
        return future(line.call(new PeerCall(
                InetAddress.ofLiteral(host), null, false, 100021, 4, 5, PeerCall.Arguments.of(new byte[0]))));
    }

    private static CompletableFuture<ByteBuffer> future(CompletionStage<ByteBuffer> stage) {
        return stage.toCompletableFuture();
    }

    private CompletableFuture<ByteBuffer> callSilent(String host) {
        silent.add(InetAddress.ofLiteral(host));
        return call(host);
    }

    @Test
    void hostsOfOneNetwork_thatAnswerNothing_holdHalfOfTheThreads() throws Exception {
        List<CompletableFuture<ByteBuffer>> waiting = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            waiting.add(callSilent("2001:db8::" + i));
        }

        assertThat(call("2001:db8:1::1").get(30, TimeUnit.SECONDS).remaining()).isZero();
        assertThat(call("192.0.2.1").get(30, TimeUnit.SECONDS).remaining()).isZero();

        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        speak.countDown();
        for (CompletableFuture<ByteBuffer> each : waiting) {
            assertThat(each.get(30, TimeUnit.SECONDS).remaining()).isZero();
        }
    }

    @Test
    void hosts_howeverMany_haveNoMoreCallsThanThereMayBe() throws Exception {
        List<CompletableFuture<ByteBuffer>> waiting = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            waiting.add(callSilent("192.0.2." + i));
        }
        assertThat(call("192.0.2.41")).isCompletedExceptionally();
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        assertThat(line.count()).isEqualTo(40);

        speak.countDown();
        for (CompletableFuture<ByteBuffer> each : waiting) {
            assertThat(each.get(30, TimeUnit.SECONDS).remaining()).isZero();
        }
        assertThat(call("192.0.2.41").get(30, TimeUnit.SECONDS).remaining()).isZero();
    }

    @Test
    void host_hasOneCallAtATime_andFewThatWait() throws Exception {
        List<CompletableFuture<ByteBuffer>> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            waiting.add(callSilent("192.0.2.1"));
        }
        assertThat(call("192.0.2.1")).isCompletedExceptionally();

        for (int i = 2; i <= 10; i++) {
            assertThat(call("192.0.2." + i).get(30, TimeUnit.SECONDS).remaining())
                    .as("three threads are left")
                    .isZero();
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }
}
