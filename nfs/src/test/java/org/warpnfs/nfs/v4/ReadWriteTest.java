package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** READ, WRITE and COMMIT. */
class ReadWriteTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private Reply read(int[] stateid, long offset, int count) {
        Reply read = client.run(new Ops().data().lookup("f").read(stateid, offset, count));
        read.afterFile().op(OpCode.READ);
        return read;
    }

    @Test
    void commit_afterAWrite_hasItsVerifier() {
        int[] stateid = client.create("f");

        Reply written = client.run(
                new Ops().data().lookup("f").write(stateid, 0, 0, "hello world").commit());

        written.afterFile().op(OpCode.WRITE);
        assertThat(written.word()).isEqualTo(11);
        written.word();
        long verifier = written.hyper();
        written.op(OpCode.COMMIT);
        assertThat(written.hyper()).as("COMMIT's verifier").isEqualTo(verifier);
    }

    @Test
    void read_ofWhatWasWritten_hasTheSameBytes() {
        int[] stateid = client.create("f");
        client.run(
                new Ops().data().lookup("f").write(stateid, 0, 0, "hello world").commit());

        Reply read = read(stateid, 6, 100);

        assertThat(read.bool()).as("eof").isTrue();
        assertThat(read.opaque(100)).isEqualTo("world".getBytes(StandardCharsets.US_ASCII));
        read.end();
    }

    @Test
    void read_atAndBeyondTheEnd_isShortNotAnError() {
        int[] stateid = client.create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 0, 2, "abc"));

        for (long offset : new long[] {3, 4, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            Reply read = read(stateid, offset, 4096);

            assertThat(read.bool()).as("eof at %d", offset).isTrue();
            assertThat(read.opaque(0)).isEmpty();
        }
    }

    @Test
    void read_upToTheEnd_saysSo() {
        int[] stateid = client.create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 0, 2, "abc"));

        assertThat(read(stateid, 0, 0).bool()).as("eof behind no bytes").isFalse();
        assertThat(read(stateid, 0, 3).bool()).as("eof behind all bytes").isTrue();
    }

    @Test
    void write_beyondWhatAFileCanBe_isTooBig() {
        int[] stateid = client.create("f");

        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, Long.MAX_VALUE, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, -1, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
    }

    /** Memory is taken before it is known whether the READ is permitted. */
    @Test
    void read_thatFails_givesItsMemoryBack() {
        assertThat(client.statusOf(new Ops().data().read(Ops.ANONYMOUS, 0, 4096)))
                .isEqualTo(Nfs4Status.ISDIR);

        assertThat(server.payloads.lentBytes()).isZero();
    }

    @Test
    void io_inMinorVersion0_worksWithAndWithoutAState() {
        V40Client old = V40Client.mounted(server, "old");
        Opened open = old.opened("o", "f", 3);

        old.run(new Ops().putFh(open.handle()).write(open.stateid(), 0, 2, "hello"));
        old.run(new Ops().putFh(open.handle()).write(Ops.ANONYMOUS, 5, 2, " world"));
        Reply read = old.run(new Ops().putFh(open.handle()).read(open.stateid(), 0, 100));
        read.op(OpCode.PUTFH);
        read.op(OpCode.READ);

        assertThat(read.bool()).as("eof").isTrue();
        assertThat(new String(read.opaque(100), StandardCharsets.UTF_8)).isEqualTo("hello world");
        old.run(new Ops().putFh(open.handle()).setAttr(open.stateid(), Fattr.size(5)));
    }

    @Test
    void stateid_ofAnotherMinorVersion_isBad() {
        V40Client old = V40Client.mounted(server, "old");
        Opened open = old.opened("o", "f", 3);
        int[] itsOpen = client.create("f");

        assertThat(client.statusOf(new Ops().putFh(open.handle()).read(open.stateid(), 0, 1)))
                .as("a state of NFSv4.0 in a session")
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(old.statusOf(new Ops().putFh(open.handle()).read(itsOpen, 0, 1)))
                .as("a state of a session in NFSv4.0")
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(old.statusOf(V40Client.close(open.handle(), 1, itsOpen))).isEqualTo(Nfs4Status.BAD_STATEID);
    }
}
