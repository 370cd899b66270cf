package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** COMPOUNDs of NFSv4.0 that are repeated before the first of them has been answered. */
class RepeatedWhileItRunsTest {
    private V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private byte[] message(Ops ops) {
        return new V4Client(server, "c", 0, 0).message("tag", 0, ops);
    }

    private static Nfs4Status status(byte[] reply) {
        return new Reply(reply).status();
    }

    private static Ops read(byte[] file) {
        return new Ops().putFh(file).read(Ops.ANONYMOUS, 0, 1000);
    }

    /** A file system in which the first caller of a chosen method waits. */
    private static final class Door {
        private final String method;
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch opened = new CountDownLatch(1);
        private final AtomicInteger times = new AtomicInteger();

        Door(String method) {
            this.method = method;
        }

        FileSystem before(FileSystem files) {
            return (FileSystem) Proxy.newProxyInstance(
                    FileSystem.class.getClassLoader(), new Class<?>[] {FileSystem.class}, (_, called, arguments) -> {
                        if (called.getName().equals(method)) {
                            times.incrementAndGet();
                            arrived.countDown();
                            opened.await();
                        }
                        try {
                            return called.invoke(files, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    private List<byte[]> repeatedWhileItRuns(Door door, byte[] message, int repetitions) throws Exception {
        List<ReplyKeeper> connections = new ArrayList<>();
        for (int i = 0; i <= repetitions; i++) {
            connections.add(V4Server.newConnection(1, 700 + i));
        }
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Callable<byte[]> call = () -> connections.getFirst().call(server.program(), message);
            Future<byte[]> first = threads.submit(call);
            door.arrived.await();
            for (ReplyKeeper connection : connections.subList(1, Math.min(9, connections.size()))) {
                assertThat(connection.call(server.program(), message))
                        .as("not yet")
                        .isNull();
            }
            for (ReplyKeeper connection : connections.subList(Math.min(9, connections.size()), connections.size())) {
                Reply refused = new Reply(connection.call(server.program(), message));
                assertThat(refused.status()).isEqualTo(Nfs4Status.DELAY);
                assertThat(refused.count()).isZero();
            }
            door.opened.countDown();
            first.get();
        }
        assertThat(server.payloads.lentBytes()).isZero();
        return connections.stream().map(ReplyKeeper::reply).toList();
    }

    private void serve(Door door) {
        server.close();
        server = V4Server.through(door::before);
    }

    @Test
    void change_repeatedWhileItRuns_isDoneOnceAndAnsweredToAll() throws Exception {
        Door door = new Door("makeDirectory");
        serve(door);
        List<byte[]> replies =
                repeatedWhileItRuns(door, message(new Ops().data().makeDirectory("d")), 9);

        assertThat(status(replies.getFirst())).isEqualTo(Nfs4Status.OK);
        assertThat(replies.subList(1, 9)).allSatisfy(reply -> assertThat(reply).isEqualTo(replies.getFirst()));
        assertThat(door.times).hasValue(1);
    }

    @Test
    void read_repeatedWhileItRuns_isDoneForEach() throws Exception {
        Door door = new Door("open");
        serve(door);
        byte[] file = server.newFile("f", "contents");

        List<byte[]> replies = repeatedWhileItRuns(door, message(read(file)), 2);

        assertThat(status(replies.getFirst())).isEqualTo(Nfs4Status.OK);
        assertThat(replies).allSatisfy(reply -> assertThat(reply).isEqualTo(replies.getFirst()));
        assertThat(door.times).hasValue(3);
        assertThat(server.replies.bytes()).isZero();
    }
}
