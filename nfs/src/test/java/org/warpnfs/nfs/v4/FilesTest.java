package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Data and names of files through the operations on them. */
class FilesTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private int[] create(String name) {
        return client.run(new Ops().data().openCreate("o", name, 3, 0))
                .afterData()
                .open();
    }

    @Test
    void file_writtenCommittedAndRead_hasTheSameBytes() {
        int[] stateid = create("f");
        Reply written = client.run(
                new Ops().data().lookup("f").write(stateid, 0, 0, "hello world").op(OpCode.COMMIT, 0, 0, 0));
        written.afterData().op(OpCode.LOOKUP);
        written.op(OpCode.WRITE);
        assertThat(written.word()).isEqualTo(11);
        written.word();
        long verifier = written.hyper();
        written.op(OpCode.COMMIT);
        assertThat(written.hyper()).as("COMMIT's verifier").isEqualTo(verifier);
        Reply read = client.run(new Ops().data().lookup("f").read(stateid, 6, 100));
        read.afterData().op(OpCode.LOOKUP);
        read.op(OpCode.READ);
        assertThat(read.bool()).as("eof").isTrue();
        assertThat(read.opaque(100)).isEqualTo("world".getBytes(StandardCharsets.US_ASCII));
        read.end();
    }

    @Test
    void read_atAndBeyondTheEnd_isShortNotAnError() {
        int[] stateid = create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 0, 2, "abc"));
        for (long offset : new long[] {3, 4, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            Reply read = client.run(new Ops().data().lookup("f").read(stateid, offset, 4096));
            read.afterData().op(OpCode.LOOKUP);
            read.op(OpCode.READ);
            assertThat(read.bool()).as("eof at %d", offset).isTrue();
            assertThat(read.opaque(0)).isEmpty();
        }
        Reply nothing = client.run(new Ops().data().lookup("f").read(stateid, 0, 0));
        nothing.afterData().op(OpCode.LOOKUP);
        nothing.op(OpCode.READ);
        assertThat(nothing.bool()).isFalse();
        Reply exact = client.run(new Ops().data().lookup("f").read(stateid, 0, 3));
        exact.afterData().op(OpCode.LOOKUP);
        exact.op(OpCode.READ);
        assertThat(exact.bool()).isTrue();
    }

    @Test
    void write_beyondWhatAFileCanBe_isTooBig() {
        int[] stateid = create("f");
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, Long.MAX_VALUE, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, -1, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
    }

    @Test
    void names_madeMovedLinkedAndRemoved() {
        Ops mkdir =
                new Ops().data().add(OpCode.CREATE, c -> c.words(2).string("d").words(2, 0, 1 << 1, 4, 0755));
        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.EXIST);
        String text = "t".repeat(4000);
        client.run(new Ops()
                .data()
                .add(OpCode.CREATE, c -> c.words(5).string(text).string("s").words(0, 0)));
        Reply link = client.run(new Ops().data().lookup("s").op(OpCode.READLINK));
        link.afterData().op(OpCode.LOOKUP);
        link.op(OpCode.READLINK);
        assertThat(link.string()).isEqualTo(text);
        client.run(new Ops()
                .data()
                .add(OpCode.CREATE, c -> c.words(7).string("fifo").words(0, 0)));
        client.run(new Ops()
                .data()
                .add(OpCode.CREATE, c -> c.words(4, 1, 3).string("null").words(0, 0)));
        assertThat(client.statusOf(new Ops()
                        .data()
                        .add(OpCode.CREATE, c -> c.words(1).string("reg").words(0, 0))))
                .isEqualTo(Nfs4Status.BADTYPE);
        create("f");
        client.run(new Ops().data().lookup("f").op(OpCode.SAVEFH).data().named(OpCode.LINK, "g"));
        client.run(new Ops().data().op(OpCode.SAVEFH).data().lookup("d").named(OpCode.RENAME, "g", "h"));
        assertThat(client.statusOf(new Ops().data().lookup("d").lookup("h"))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().named(OpCode.REMOVE, "d"))).isEqualTo(Nfs4Status.NOTEMPTY);
        client.run(new Ops().data().lookup("d").named(OpCode.REMOVE, "h"));
        client.run(new Ops().data().named(OpCode.REMOVE, "d"));
        assertThat(client.statusOf(
                        new Ops().data().op(OpCode.SAVEFH).root().lookup("ro").named(OpCode.RENAME, "f", "x")))
                .isEqualTo(Nfs4Status.XDEV);
        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .op(OpCode.SAVEFH)
                        .root()
                        .lookup("squash")
                        .named(OpCode.LINK, "x")))
                .isEqualTo(Nfs4Status.XDEV);
        assertThat(client.statusOf(new Ops().root().lookup("ro").named(OpCode.REMOVE, "f")))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().data().lookup("s").lookup("x"))).isEqualTo(Nfs4Status.SYMLINK);
        assertThat(client.statusOf(new Ops().data().lookup("f").lookup("x"))).isEqualTo(Nfs4Status.NOTDIR);
    }

    @Test
    void sparseFile_isSoughtCopiedAndReadPlus() {
        int[] stateid = create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 100_000, 2, "data"));
        Reply seek = client.run(new Ops().data().lookup("f").add(OpCode.SEEK, c -> c.words(stateid)
                .hyper(0)
                .words(0)));
        seek.afterData().op(OpCode.LOOKUP);
        seek.op(OpCode.SEEK);
        assertThat(seek.bool()).isFalse();
        assertThat(seek.hyper()).isBetween(1L, 100_000L);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.SEEK, c -> c.words(stateid)
                        .hyper(200_000)
                        .words(0))))
                .isEqualTo(Nfs4Status.NXIO);
        Reply hole = client.run(new Ops().data().lookup("f").readPlus(stateid));
        hole.afterData().op(OpCode.LOOKUP);
        hole.op(OpCode.READ_PLUS);
        hole.bool();
        assertThat(hole.words(2)).containsExactly(1, 1);
        int[] target = create("g");
        Reply copied = client.run(new Ops()
                .data()
                .lookup("f")
                .op(OpCode.SAVEFH)
                .data()
                .lookup("g")
                .add(OpCode.COPY, c -> c.words(stateid)
                        .words(target)
                        .hyper(0)
                        .hyper(0)
                        .hyper(0)
                        .words(1, 1, 0)));
        copied.afterData().op(OpCode.LOOKUP);
        copied.op(OpCode.SAVEFH);
        copied.afterData().op(OpCode.LOOKUP);
        copied.op(OpCode.COPY);
        assertThat(copied.word()).isZero();
        assertThat(copied.hyper()).isEqualTo(100_004);
        client.run(new Ops().data().lookup("f").add(OpCode.DEALLOCATE, c -> c.words(stateid)
                .hyper(0)
                .hyper(-1)));
        client.run(new Ops().data().lookup("f").add(OpCode.ALLOCATE, c -> c.words(stateid)
                .hyper(0)
                .hyper(200_000)));
    }

    /** Memory is taken before it is known whether the READ may be done at all. */
    @Test
    void read_thatFails_givesItsMemoryBack() {
        assertThat(client.statusOf(new Ops().data().read(new int[4], 0, 4096))).isEqualTo(Nfs4Status.ISDIR);
        assertThat(server.payloads.lentBytes()).isZero();
    }
}
