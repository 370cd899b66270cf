package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** COMPOUNDs of NFSv4.0 that come twice, as they do when a connection is lost. */
class OnceWithoutSessionTest {
    private static final int[] ANONYMOUS = new int[4];
    private static final int FILE_SYNC = 2;

    private V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private static ReplyKeeper connection(int host, int port) {
        try {
            return new ReplyKeeper(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), port));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private byte[] message(Ops ops) {
        return new V4Client(server, "c", 0, 0).message("tag", 0, ops);
    }

    private byte[] send(int host, int port, byte[] message) {
        return server.send(connection(host, port), message);
    }

    private static Nfs4Status status(byte[] reply) {
        return new Reply(reply).status();
    }

    private byte[] newFile(String name, String contents) {
        return server.handles.encode(new Location(
                server.exports.byPath(PseudoPath.of("/data")),
                server.newFile(name, 0666, contents.getBytes(StandardCharsets.US_ASCII))));
    }

    private static Ops makeDirectory(String name) {
        return new Ops().data().add(OpCode.CREATE, c -> c.words(2).string(name).words(0, 0));
    }

    private static Ops write(byte[] file, String text) {
        return new Ops().putFh(file).write(ANONYMOUS, 0, FILE_SYNC, text);
    }

    private static Ops read(byte[] file) {
        return new Ops().putFh(file).read(ANONYMOUS, 0, 1000);
    }

    private String contents(byte[] file) {
        Reply reply = new Reply(send(3, 1, message(read(file))));
        reply.op(OpCode.PUTFH);
        reply.op(OpCode.READ);
        assertThat(reply.bool()).as("eof").isTrue();
        return new String(reply.opaque(1000), StandardCharsets.US_ASCII);
    }

    /** Each with what it comes to when it is done a second time. */
    static Stream<Named<Change>> changes() {
        return Stream.of(
                Named.of("CREATE", new Change(makeDirectory("d"), Nfs4Status.EXIST)),
                Named.of("REMOVE", new Change(new Ops().data().named(OpCode.REMOVE, "f"), Nfs4Status.NOENT)),
                Named.of(
                        "RENAME",
                        new Change(
                                new Ops().data().op(OpCode.SAVEFH).named(OpCode.RENAME, "f", "g"), Nfs4Status.NOENT)),
                Named.of(
                        "LINK",
                        new Change(
                                new Ops()
                                        .data()
                                        .lookup("f")
                                        .op(OpCode.SAVEFH)
                                        .data()
                                        .named(OpCode.LINK, "h"),
                                Nfs4Status.EXIST)));
    }

    record Change(Ops ops, Nfs4Status doneTwice) {}

    @ParameterizedTest
    @MethodSource("changes")
    void change_againFromAnotherPort_isAnsweredAsTheFirst(Change change) {
        newFile("f", "");
        byte[] message = message(change.ops());
        byte[] first = send(1, 700, message);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);
        assertThat(send(1, 701, message)).isEqualTo(first);
        assertThat(status(send(2, 700, message))).as("another client's").isEqualTo(change.doneTwice());
        byte[] nextXid = message(change.ops());
        assertThat(status(send(1, 701, nextXid))).as("another call").isEqualTo(change.doneTwice());
        assertThat(status(send(1, 702, nextXid)))
                .as("and what it came to is remembered")
                .isEqualTo(change.doneTwice());
    }

    @Test
    void write_againAfterAnother_doesNotUndoIt() {
        byte[] file = newFile("f", "");
        byte[] early = message(write(file, "early"));
        byte[] first = send(1, 700, early);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);
        send(1, 700, message(write(file, "later")));
        assertThat(send(1, 701, early)).isEqualTo(first);
        assertThat(contents(file)).isEqualTo("later");
    }

    @Test
    void write_ofOtherDataUnderTheSameXid_isDone() {
        byte[] file = newFile("f", "");
        byte[] one = message(write(file, "one  "));
        byte[] other = message(write(file, "other"));
        System.arraycopy(one, 0, other, 0, Integer.BYTES);
        send(1, 700, one);
        send(1, 701, other);
        assertThat(contents(file)).isEqualTo("other");
    }

    @Test
    void compound_underTheSameXid_differingAnywhere_isAnother() {
        V4Client wire = new V4Client(server, "c", 0, 0);
        byte[] first = wire.message("tag", 0, makeDirectory("d"));
        assertThat(status(send(1, 700, first))).isEqualTo(Nfs4Status.OK);
        byte[] otherTag = wire.message("gat", 0, makeDirectory("d"));
        wire.uid = 1;
        byte[] otherUser = wire.message("tag", 0, makeDirectory("d"));
        for (byte[] other : List.of(otherTag, otherUser)) {
            System.arraycopy(first, 0, other, 0, Integer.BYTES);
            assertThat(status(send(1, 700, other))).isEqualTo(Nfs4Status.EXIST);
        }
    }

    @Test
    void open_againAfterItsOwnerWentOn_isAnsweredAsTheFirst() {
        V40Client client = V40Client.mounted(server, "c");
        byte[] open = message(client.openCreate(5, "o", "f", 3, 0).getFh());
        byte[] opened = server.send(open);
        Reply reply = new Reply(opened);
        int[] stateid = reply.afterData().open();
        byte[] handle = reply.getFh();
        int[] confirmed =
                V40Client.stateidOf(client.run(V40Client.openConfirm(handle, stateid, 6)), OpCode.OPEN_CONFIRM);
        assertThat(server.send(open)).isEqualTo(opened);
        byte[] close = message(V40Client.close(handle, 7, confirmed));
        byte[] closed = server.send(close);
        assertThat(status(closed)).isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().opens()).isZero();
        assertThat(server.send(close)).isEqualTo(closed);
        assertThat(server.send(open)).isEqualTo(opened);
        assertThat(server.program().counts().opens()).as("opened again").isZero();
    }

    @Test
    void setClientid_again_isAnsweredAsTheFirst() {
        byte[] setClientid = message(new V40Client(server, "c").setClientid(1));
        byte[] first = send(1, 700, setClientid);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);
        assertThat(send(1, 701, setClientid)).isEqualTo(first);
    }

    @Test
    void compound_thatChangesNothing_isNotRemembered() {
        byte[] file = newFile("f", "one");
        byte[] read = message(read(file));
        byte[] first = send(1, 700, read);
        assertThat(server.replies.bytes()).isZero();
        send(1, 700, message(write(file, "two")));
        assertThat(send(1, 701, read)).as("as it is now").isNotEqualTo(first);
        long bytes = server.replies.bytes();
        assertThat(status(send(1, 700, message(makeDirectory("d/e"))))).isEqualTo(Nfs4Status.BADCHAR);
        assertThat(server.replies.bytes())
                .as("a change that failed for good is")
                .isGreaterThan(bytes);
        bytes = server.replies.bytes();
        byte[] before = message(new Ops().data().lookup("none").named(OpCode.REMOVE, "f"));
        assertThat(status(send(1, 700, before))).isEqualTo(Nfs4Status.NOENT);
        assertThat(server.replies.bytes()).as("one that was not reached is not").isEqualTo(bytes);
    }

    @Test
    void compound_inASession_isNotRememberedHere() {
        V4Client modern = V4Client.mounted(server, "modern", 0);
        modern.run(makeDirectory("d"));
        assertThat(server.replies.bytes()).isZero();
    }

    @Test
    void changeWithData_again_hasItsDataAgainAndPinsNoPayload() {
        byte[] file = newFile("f", "");
        byte[] both = message(new Ops()
                .putFh(file)
                .write(ANONYMOUS, 0, FILE_SYNC, "x".repeat(1000))
                .read(ANONYMOUS, 0, 1000));
        byte[] first = send(1, 700, both);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);
        send(1, 700, message(write(file, "other")));
        assertThat(send(1, 701, both)).isEqualTo(first);
        assertThat(server.replies.bytes()).isGreaterThan(1000);
        assertThat(server.payloads.lentBytes()).isZero();
    }

    @Test
    void change_ofWhatAnotherRelies_isTriedLaterAndNotRemembered() {
        newFile("f", "text");
        V4Client holder = V4Client.callable(server, "holder", 0);
        int[] delegation =
                holder.run(new Ops().data().open("o", "f", 1, 0)).afterData().readDelegation();
        byte[] remove = message(new Ops().data().named(OpCode.REMOVE, "f"));
        assertThat(status(send(1, 700, remove))).isEqualTo(Nfs4Status.DELAY);
        assertThat(server.replies.bytes()).isZero();
        holder.run(new Ops().data().lookup("f").stateid(OpCode.DELEGRETURN, delegation));
        byte[] removed = send(1, 701, remove);
        assertThat(status(removed)).isEqualTo(Nfs4Status.OK);
        assertThat(send(1, 702, remove)).isEqualTo(removed);
    }

    /** Files behind a door, at which whoever comes first by a method waits. */
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
            connections.add(connection(1, 700 + i));
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
        List<byte[]> replies = repeatedWhileItRuns(door, message(makeDirectory("d")), 9);
        assertThat(status(replies.getFirst())).isEqualTo(Nfs4Status.OK);
        assertThat(replies.subList(1, 9)).allSatisfy(reply -> assertThat(reply).isEqualTo(replies.getFirst()));
        assertThat(door.times).hasValue(1);
    }

    @Test
    void read_repeatedWhileItRuns_isDoneForEach() throws Exception {
        Door door = new Door("open");
        serve(door);
        byte[] file = newFile("f", "contents");
        List<byte[]> replies = repeatedWhileItRuns(door, message(read(file)), 2);
        assertThat(status(replies.getFirst())).isEqualTo(Nfs4Status.OK);
        assertThat(replies).allSatisfy(reply -> assertThat(reply).isEqualTo(replies.getFirst()));
        assertThat(door.times).hasValue(3);
        assertThat(server.replies.bytes()).isZero();
    }

    @Test
    void compound_cutShort_isAnsweredTheSameAgain() {
        byte[] whole = message(makeDirectory("d"));
        byte[] cut = Arrays.copyOf(whole, whole.length - 4 * 4);
        byte[] first = send(1, 700, cut);
        assertThat(status(first)).isEqualTo(Nfs4Status.BADXDR);
        assertThat(send(1, 701, cut)).isEqualTo(first);
    }

    @Test
    void lock_againAfterItWasGivenBack_isAnsweredAsTheFirstAndNotTaken() {
        V40Client client = V40Client.mounted(server, "c");
        Opened open = client.opened("o", "f", 3);
        byte[] lock = message(client.lockNew(open.handle(), client.openSeqid, open.stateid(), 1, "l", 0, 10));
        byte[] locked = server.send(lock);
        assertThat(status(locked)).isEqualTo(Nfs4Status.OK);
        Reply reply = new Reply(locked);
        int[] stateid = V40Client.stateidOf(reply, OpCode.LOCK);
        client.run(V40Client.unlock(open.handle(), stateid, 2, 0, 10));
        assertThat(server.send(lock)).isEqualTo(locked);
        assertThat(client.statusOf(new Ops().putFh(open.handle()).add(OpCode.LOCKT, c -> c.words(2)
                        .hyper(0)
                        .hyper(10)
                        .hyper(client.clientId)
                        .string("other"))))
                .as("locked again")
                .isEqualTo(Nfs4Status.OK);
    }
}
