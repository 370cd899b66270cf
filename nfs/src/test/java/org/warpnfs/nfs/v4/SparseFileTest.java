package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Operations of NFSv4.2 on a file with a hole and some data: SEEK, READ_PLUS, COPY, ALLOCATE and DEALLOCATE. */
class SparseFileTest {
    private static final int DATA = 0;
    private static final int HOLE_SEGMENT = 1;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);
    private int[] stateid;

    @BeforeEach
    void writeFarAway() {
        stateid = client.create("f");
        client.run(file().write(stateid, 100_000, 2, "data"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    @Test
    void seek_fromTheHole_findsTheData() {
        Reply seek = client.run(file().seek(stateid, 0, DATA));

        seek.afterFile().op(OpCode.SEEK);
        assertThat(seek.bool()).as("eof").isFalse();
        assertThat(seek.hyper()).isBetween(1L, 100_000L);
    }

    @Test
    void seek_beyondTheEnd_isNxio() {
        assertThat(client.statusOf(file().seek(stateid, 200_000, DATA))).isEqualTo(Nfs4Status.NXIO);
    }

    @Test
    void readPlus_fromTheHole_tellsOfIt() {
        Reply hole = client.run(file().readPlus(stateid));

        hole.afterFile().op(OpCode.READ_PLUS);
        hole.bool();
        assertThat(hole.words(2)).as("one segment, which is a hole").containsExactly(1, HOLE_SEGMENT);
    }

    @Test
    void copy_ofAll_copiesHoleAndData() {
        int[] target = client.create("g");

        Reply copied = client.run(file().saveFh().data().lookup("g").copy(stateid, target, 0));

        copied.afterFile().op(OpCode.SAVEFH);
        copied.afterFile().op(OpCode.COPY);
        assertThat(copied.word()).as("no callback id").isZero();
        assertThat(copied.hyper()).isEqualTo(100_004);
    }

    @Test
    void deallocateAndAllocate_beyondTheEnd_areDone() {
        assertThat(client.statusOf(file().deallocate(stateid, 0, -1))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(file().allocate(stateid, 0, 200_000))).isEqualTo(Nfs4Status.OK);
    }
}
