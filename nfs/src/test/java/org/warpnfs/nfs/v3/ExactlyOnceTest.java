package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;

/**
 * Calls that come twice, as they do after the loss of a connection, and changes that have to wait for a client of
 * another version.
 */
class ExactlyOnceTest {
    private static final int SETATTR = 2;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int REMOVE = 12;
    private static final int RENAME = 14;
    private static final int LINK = 15;
    private static final int FILE_SYNC = 2;

    private static InetSocketAddress client(int host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] write(V3Server server, byte[] file, String text) {
        return server.begin(WRITE)
                .opaque(file)
                .hyper(0)
                .words(text.length(), FILE_SYNC)
                .string(text)
                .toBytes();
    }

    private static String contents(V3Server server, byte[] file) {
        V3Reply reply = server.call(6, c -> c.opaque(file).hyper(0).words(100));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOp();
        reply.word();
        reply.word();
        return reply.string();
    }

    @Test
    void remove_againFromAnotherPort_isAnsweredAsTheFirst() {
        V3Server server = new V3Server();
        server.file("f", 0600, "");
        byte[] remove = server.begin(REMOVE).opaque(server.root()).string("f").toBytes();
        byte[] first = server.send(client(1, 700), remove);
        assertThat(new V3Reply(first).status()).isEqualTo(Nfs3Status.OK);
        assertThat(server.send(client(1, 701), remove)).isEqualTo(first);
        assertThat(new V3Reply(server.send(client(2, 700), remove)).status()).isEqualTo(Nfs3Status.NOENT);
    }

    @Test
    void write_againAfterAnother_doesNotUndoIt() {
        V3Server server = new V3Server();
        byte[] file = server.file("f", 0600, "");
        byte[] early = write(server, file, "early");
        byte[] first = server.send(client(1, 700), early);
        server.send(client(1, 700), write(server, file, "later"));
        assertThat(server.send(client(1, 701), early)).isEqualTo(first);
        assertThat(contents(server, file)).isEqualTo("later");
    }

    @Test
    void write_ofOtherDataUnderTheSameXid_isDone() {
        V3Server server = new V3Server();
        byte[] file = server.file("f", 0600, "");
        byte[] one = write(server, file, "one  ");
        byte[] other = write(server, file, "other");
        System.arraycopy(one, 0, other, 0, Integer.BYTES);
        server.send(client(1, 700), one);
        server.send(client(1, 701), other);
        assertThat(contents(server, file)).isEqualTo("other");
    }

    @Test
    void call_repeatedWhileItRuns_isDoneOnceAndAnsweredTwice() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicInteger times = new AtomicInteger();
        V3Server server = new V3Server(new MemoryFileSystem(1 << 20, 100), _ -> {
            times.incrementAndGet();
            running.countDown();
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return () -> {};
        });
        server.file("f", 0600, "");
        byte[] remove = server.begin(REMOVE).opaque(server.root()).string("f").toBytes();
        ReplyKeeper lost = new ReplyKeeper(client(1, 700));
        ReplyKeeper next = new ReplyKeeper(client(1, 701));
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Callable<byte[]> call = () -> lost.call(server.program, remove);
            Future<byte[]> first = threads.submit(call);
            running.await();
            assertThat(next.call(server.program, remove)).as("not yet").isNull();
            mayGoOn.countDown();
            assertThat(new V3Reply(first.get()).status()).isEqualTo(Nfs3Status.OK);
            assertThat(next.reply()).isEqualTo(first.get());
        }
        assertThat(times).hasValue(1);
    }

    @Test
    void change_ofAFileThatIsRelianceOfAnother_isTriedLaterAndNotRemembered() {
        AtomicInteger asked = new AtomicInteger();
        List<FileChanges.Change> open = new ArrayList<>();
        V3Server server = new V3Server(new MemoryFileSystem(1 << 20, 100), _ -> {
            if (asked.getAndIncrement() % 2 == 0) {
                throw FsException.of(FsError.TRY_LATER);
            }
            FileChanges.Change[] change = new FileChanges.Change[1];
            change[0] = () -> open.remove(change[0]);
            open.add(change[0]);
            return change[0];
        });
        byte[] file = server.file("f", 0600, "text");
        byte[] root = server.root();
        later(server, SETATTR, c -> c.opaque(file).words(1, 0600, 0, 0, 0, 0, 0, 0));
        later(server, WRITE, c -> c.opaque(file).hyper(0).words(1, FILE_SYNC).string("x"));
        later(server, CREATE, c -> c.opaque(root).string("f").words(0, 0, 0, 0, 1, 0, 0, 0, 0));
        later(server, LINK, c -> c.opaque(file).opaque(root).string("g"));
        asked.set(0);
        later(server, REMOVE, c -> c.opaque(root).string("g"));
        later(server, RENAME, c -> c.opaque(root).string("f").opaque(root).string("h"));
        assertThat(open).as("every change was closed").isEmpty();
    }

    private static void later(V3Server server, int procedure, UnaryOperator<CallWriter> arguments) {
        byte[] call = arguments.apply(server.begin(procedure)).toBytes();
        assertThat(new V3Reply(server.send(call)).status())
                .as("procedure %d", procedure)
                .isEqualTo(Nfs3Status.JUKEBOX);
        assertThat(new V3Reply(server.send(call)).status())
                .as("procedure %d", procedure)
                .isEqualTo(Nfs3Status.OK);
    }
}
