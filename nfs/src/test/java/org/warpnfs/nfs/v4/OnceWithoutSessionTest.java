package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** COMPOUNDs of NFSv4.0 that come twice, as they do after the loss of a connection. */
class OnceWithoutSessionTest {
    private static final int FILE_SYNC = 2;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private byte[] message(Ops ops) {
        return new V4Client(server, "c", 0, 0).message("tag", 0, ops);
    }

    private byte[] send(int host, int port, byte[] message) {
        return server.send(V4Server.newConnection(host, port), message);
    }

    private static Nfs4Status status(byte[] reply) {
        return new Reply(reply).status();
    }

    private static Ops write(byte[] file, String text) {
        return new Ops().putFh(file).write(Ops.ANONYMOUS, 0, FILE_SYNC, text);
    }

    private static Ops read(byte[] file) {
        return new Ops().putFh(file).read(Ops.ANONYMOUS, 0, 1000);
    }

    private String contents(byte[] file) {
        Reply reply = new Reply(send(3, 1, message(read(file))));
        reply.op(OpCode.PUTFH);
        reply.op(OpCode.READ);
        assertThat(reply.bool()).as("eof").isTrue();
        return new String(reply.opaque(1000), StandardCharsets.US_ASCII);
    }

    /** Changes, each with its result if it were performed a second time. */
    static Stream<Named<Change>> changes() {
        return Stream.of(
                Named.of("CREATE", new Change(new Ops().data().makeDirectory("d"), Nfs4Status.EXIST)),
                Named.of("REMOVE", new Change(new Ops().data().remove("f"), Nfs4Status.NOENT)),
                Named.of("RENAME", new Change(new Ops().data().saveFh().rename("f", "g"), Nfs4Status.NOENT)),
                Named.of(
                        "LINK",
                        new Change(new Ops().data().lookup("f").saveFh().data().link("h"), Nfs4Status.EXIST)));
    }

    record Change(Ops ops, Nfs4Status doneTwice) {}

    @ParameterizedTest
    @MethodSource("changes")
    void change_againFromAnotherPort_isAnsweredAsTheFirst(Change change) {
        server.newFile("f", "");
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
        byte[] file = server.newFile("f", "");
        byte[] early = message(write(file, "early"));

        byte[] first = send(1, 700, early);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);

        send(1, 700, message(write(file, "later")));
        assertThat(send(1, 701, early)).isEqualTo(first);
        assertThat(contents(file)).isEqualTo("later");
    }

    @Test
    void write_ofOtherDataUnderTheSameXid_isDone() {
        byte[] file = server.newFile("f", "");
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
        byte[] first = wire.message("tag", 0, new Ops().data().makeDirectory("d"));

        assertThat(status(send(1, 700, first))).isEqualTo(Nfs4Status.OK);

        byte[] otherTag = wire.message("gat", 0, new Ops().data().makeDirectory("d"));
        wire.uid = 1;
        byte[] otherUser = wire.message("tag", 0, new Ops().data().makeDirectory("d"));
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
        byte[] file = server.newFile("f", "one");
        byte[] read = message(read(file));

        byte[] first = send(1, 700, read);
        assertThat(server.replies.bytes()).isZero();

        send(1, 700, message(write(file, "two")));
        assertThat(send(1, 701, read)).as("as it is now").isNotEqualTo(first);

        long bytes = server.replies.bytes();
        assertThat(status(send(1, 700, message(new Ops().data().makeDirectory("d/e")))))
                .isEqualTo(Nfs4Status.BADCHAR);
        assertThat(server.replies.bytes())
                .as("a change that failed for good is")
                .isGreaterThan(bytes);

        bytes = server.replies.bytes();
        byte[] before = message(new Ops().data().lookup("none").remove("f"));
        assertThat(status(send(1, 700, before))).isEqualTo(Nfs4Status.NOENT);
        assertThat(server.replies.bytes()).as("one that was not reached is not").isEqualTo(bytes);
    }

    @Test
    void compound_inASession_isNotRememberedHere() {
        V4Client modern = V4Client.mounted(server, "modern", 0);

        modern.run(new Ops().data().makeDirectory("d"));

        assertThat(server.replies.bytes()).isZero();
    }

    @Test
    void changeWithData_again_hasItsDataAgainAndPinsNoPayload() {
        byte[] file = server.newFile("f", "");
        byte[] both = message(new Ops()
                .putFh(file)
                .write(Ops.ANONYMOUS, 0, FILE_SYNC, "x".repeat(1000))
                .read(Ops.ANONYMOUS, 0, 1000));

        byte[] first = send(1, 700, both);
        assertThat(status(first)).isEqualTo(Nfs4Status.OK);

        send(1, 700, message(write(file, "other")));
        assertThat(send(1, 701, both)).isEqualTo(first);
        assertThat(server.replies.bytes()).isGreaterThan(1000);
        assertThat(server.payloads.lentBytes()).isZero();
    }

    @Test
    void change_ofWhatAnotherRelies_isTriedLaterAndNotRemembered() {
        server.newFile("f", "text");
        V4Client holder = V4Client.callable(server, "holder", 0);
        int[] delegation = holder.delegation("f");

        byte[] remove = message(new Ops().data().remove("f"));
        assertThat(status(send(1, 700, remove))).isEqualTo(Nfs4Status.DELAY);
        assertThat(server.replies.bytes()).isZero();

        holder.run(new Ops().data().lookup("f").delegReturn(delegation));
        byte[] removed = send(1, 701, remove);
        assertThat(status(removed)).isEqualTo(Nfs4Status.OK);
        assertThat(send(1, 702, remove)).isEqualTo(removed);
    }

    @Test
    void compound_cutShort_isAnsweredTheSameAgain() {
        byte[] whole = message(new Ops().data().makeDirectory("d"));
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
        assertThat(client.statusOf(new Ops().putFh(open.handle()).lockTest(2, 0, 10, client.clientId, "other")))
                .as("locked again")
                .isEqualTo(Nfs4Status.OK);
    }
}
