package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.limits.ClientAddress;

@Timeout(60)
class HandshakeThreadsTest {
    private static ClientAddress client(int host) {
        return ClientAddress.of(InetAddresses.forString("192.0.2." + host));
    }

    @Test
    void clients_takeTurns() throws Exception {
        try (HandshakeThreads threads = new HandshakeThreads(1)) {
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch go = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(7);
            Executor greedy = threads.of(client(1));
            greedy.execute(() -> {
                awaitQuietly(go);
                done.countDown();
            });
            for (int n = 0; n < 5; n++) {
                greedy.execute(() -> {
                    order.add("greedy");
                    done.countDown();
                });
            }
            threads.of(client(2)).execute(() -> {
                order.add("other");
                done.countDown();
            });
            go.countDown();
            done.await();
            assertThat(order).hasSize(6);
            assertThat(order.indexOf("other")).isLessThanOrEqualTo(1);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void task_thatThrows_leavesTheThreadToOthers() throws Exception {
        try (HandshakeThreads threads = new HandshakeThreads(1)) {
            CountDownLatch done = new CountDownLatch(1);
            threads.of(client(1)).execute(() -> {
                throw new IllegalStateException("a bad engine");
            });
            threads.of(client(1)).execute(done::countDown);
            done.await();
        }
    }

    @Test
    void closed_refuses() {
        HandshakeThreads threads = new HandshakeThreads(1);
        threads.close();
        assertThatThrownBy(() -> threads.of(client(1)).execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class);
    }
}
