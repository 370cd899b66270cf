package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Programs misuse a transport. They get an exception, and nothing hangs. */
@Timeout(60)
class MisuseTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 0, 0);

    @Test
    void connect_completingToAClosedQueue_isRefusedAtOnce() {
        try (IwarpTransport transport = new IwarpTransport()) {
            CompletionQueue queue = transport.createCompletionQueue(1, () -> {});
            queue.close();
            assertThatThrownBy(() -> transport
                            .connector()
                            .connect(
                                    ANY_PORT, OPTIONS.completingTo(queue), new QuietHandler(new CompletableFuture<>())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void connect_nameThatDoesNotResolve_handlerHearsWhy() throws Exception {
        CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
        try (IwarpTransport transport = new IwarpTransport()) {
            transport
                    .connector()
                    .connect(
                            InetSocketAddress.createUnresolved("no-such-host.invalid", 1),
                            OPTIONS,
                            new QuietHandler(ended));
            assertThat(ended.get().cause()).isEqualTo(Cause.CONNECTION_LOST);
            assertThat(ended.get().detail()).contains("no-such-host.invalid");
        }
    }

    /** If close() waited for the end of its own thread, it would take ten seconds. */
    @Test
    @Timeout(9)
    void close_onAThreadOfItsOwn_returnsAndAllHandlersHearOfIt() throws Exception {
        CompletableFuture<DisconnectReason> accepted = new CompletableFuture<>();
        CompletableFuture<DisconnectReason> connected = new CompletableFuture<>();
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener =
                    transport.listen(ANY_PORT, request -> request.accept(OPTIONS, new QuietHandler(accepted)));
            Runnable close = transport::close;
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(connected) {
                @Override
                public void established(QueuePair queuePair) {
                    close.run();
                }
            });
            // Each connection ends either by itself or because the other end closed first.
            assertThat(List.of(connected.get().cause(), accepted.get().cause()))
                    .isSubsetOf(Cause.LOCAL_CLOSE, Cause.PEER_CLOSE, Cause.CONNECTION_LOST);
        }
    }

    @Test
    void call_onAnotherThreadThanTheOwners_isRefusedAndTheConnectionLives() throws Exception {
        CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
        CompletableFuture<QueuePair> established = new CompletableFuture<>();
        CompletableFuture<MemoryRegion> registered = new CompletableFuture<>();
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(
                    ANY_PORT, request -> request.accept(OPTIONS, new QuietHandler(new CompletableFuture<>())));
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(ended) {
                @Override
                public void established(QueuePair queuePair) {
                    registered.complete(queuePair.register(ByteBuffer.allocate(8), Set.of(AccessRight.REMOTE_READ)));
                    established.complete(queuePair);
                }
            });
            QueuePair queuePair = established.get();
            MemoryRegion region = registered.get();
            List<ThrowingCallable> calls = List.of(
                    () -> queuePair.postReceive(1, ByteBuffer.allocate(8)),
                    () -> queuePair.post(WorkRequest.Send.of(1)),
                    queuePair::flush,
                    () -> queuePair.register(ByteBuffer.allocate(8), Set.of(AccessRight.REMOTE_READ)),
                    queuePair::disconnect,
                    () -> queuePair.abort("not from here"),
                    region::invalidate);
            for (ThrowingCallable call : calls) {
                assertThatThrownBy(call).isInstanceOf(IllegalStateException.class);
            }
            assertThat(region.valid()).isTrue();
            assertThat(ended).isNotDone();
            queuePair.execute(queuePair::disconnect);
            assertThat(ended.get().cause()).isEqualTo(Cause.LOCAL_CLOSE);
        }
    }
}
