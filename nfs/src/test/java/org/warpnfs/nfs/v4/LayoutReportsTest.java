package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.layout.DeviceUse;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Reports about layouts that are not true: of files and clients that have no such layout, and of claimed lengths. */
class LayoutReportsTest {
    private static final int RW = 2;
    private static final int NXIO = 6;

    private final DataServer one =
            new DataServer(List.of(new DataServerAddress(Transport.TCP, InetAddress.ofLiteral("10.0.0.1"), 2049)));
    private final V4Server server = V4Server.withLayouts(new DataServers(List.of(one), 1));

    @BeforeEach
    void delegateNothing() {
        server.program().setDelegations(DelegationPolicy.NONE);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file(String name) {
        return new Ops().data().lookup(name);
    }

    private static int[] layout(V4Client client, String name) {
        Reply reply = client.run(file(name).layoutGet(RW, client.create(name))).afterFile();
        reply.op(OpCode.LAYOUTGET);
        reply.word();
        return reply.stateid();
    }

    private Ops error(Ops file, int[] stateid) {
        return file.layoutError(stateid, one.id().high(), one.id().low(), NXIO);
    }

    private static Ops commit(Ops file, long offset, int[] stateid) {
        return file.add(OpCode.LAYOUTCOMMIT, c -> c.hyper(offset)
                .hyper(-1)
                .words(0)
                .words(stateid)
                .words(1)
                .hyper(-2)
                .words(0, 4, 0));
    }

    private Ops stats(Ops file, int[] stateid, long bytes, int bodyBytes) {
        return file.add(OpCode.LAYOUTSTATS, c -> c.hyper(-1)
                .hyper(-1)
                .words(stateid)
                .hyper(-1)
                .hyper(bytes)
                .hyper(-1)
                .hyper(bytes)
                .hyper(one.id().high())
                .hyper(one.id().low())
                .words(4, bodyBytes));
    }

    @Test
    void report_withALayoutOfAnotherFile_isBadStateid() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");
        client.create("g");

        assertThat(client.statusOf(error(file("g"), layout))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(commit(file("g"), 0, layout))).isEqualTo(Nfs4Status.BADLAYOUT);
        assertThat(client.statusOf(stats(file("g"), layout, 1, 0))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(file("g").layoutReturn(RW, layout))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().dataServerErrors()).isZero();
        assertThat(server.program().layoutCounts().held()).isEqualTo(1);
    }

    @Test
    void report_withALayoutOfAnotherClient_isBadStateid() {
        int[] layout = layout(V4Client.callable(server, "a", 0), "f");
        V4Client other = V4Client.callable(server, "b", 0);

        assertThat(other.statusOf(error(file("f"), layout))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(other.statusOf(commit(file("f"), 0, layout))).isEqualTo(Nfs4Status.BADLAYOUT);
        assertThat(other.statusOf(stats(file("f"), layout, 1, 0))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(other.statusOf(file("f").layoutReturn(RW, layout))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().dataServerErrors()).isZero();
        assertThat(server.program().layoutCounts().held()).isEqualTo(1);
    }

    @Test
    void report_atTheEndOfAllOffsets_isTaken() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");

        assertThat(client.statusOf(commit(file("f"), -2, layout))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(stats(file("f"), layout, -1, 0))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void report_whoseLengthsAreMoreThanItHas_isBadxdr() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");

        assertThat(client.statusOf(stats(file("f"), layout, 1, -1))).isEqualTo(Nfs4Status.BADXDR);
        for (int count : new int[] {1, 257, -1}) {
            assertThat(client.statusOf(file("f")
                            .add(
                                    OpCode.LAYOUTERROR,
                                    c -> c.hyper(0).hyper(-1).words(layout).words(count))))
                    .as("%d errors", count)
                    .isEqualTo(Nfs4Status.BADXDR);
        }
        assertThat(server.program().dataServerErrors()).isZero();
    }

    /** Linux says all that it has moved since it has the layout, each time. */
    @Test
    void stats_thatGrow_countWhatIsNew() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");

        client.run(stats(file("f"), layout, 100, 0));
        client.run(stats(file("f"), layout, 250, 0));

        assertThat(counts().use().readBytes()).isEqualTo(250);
        assertThat(counts().use().writtenBytes()).isEqualTo(250);

        client.run(stats(file("f"), layout, 30, 0));
        assertThat(counts().use().readBytes()).as("it has begun anew").isEqualTo(280);
        client.run(file("f").layoutReturn(RW, layout));
        client.run(stats(file("f"), layout(client, "f"), 40, 0));
        assertThat(counts().use().readBytes()).as("with another layout").isEqualTo(320);
        assertThat(counts().name()).isEqualTo("10.0.0.1:2049");
    }

    @Test
    void report_ofMoreThanAnyoneCanMove_countsAsALimit() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");

        client.run(stats(file("f"), layout, -1, 0));

        assertThat(counts().use().reads()).isEqualTo(1L << 50);
        assertThat(counts().use().readBytes()).isEqualTo(1L << 50);
    }

    @Test
    void report_ofADeviceThatDoesNotExist_countsNowhere() {
        V4Client client = V4Client.callable(server, "a", 0);
        int[] layout = layout(client, "f");

        client.run(file("f").add(OpCode.LAYOUTSTATS, c -> c.hyper(0)
                .hyper(-1)
                .words(layout)
                .hyper(1)
                .hyper(2)
                .hyper(3)
                .hyper(4)
                .hyper(5)
                .hyper(6)
                .words(4, 0)));
        client.run(file("f").layoutError(layout, 5, 6, NXIO));
        client.run(error(file("f"), layout));

        assertThat(server.program().dataServerCounts())
                .containsExactly(new DataServerCounts("10.0.0.1:2049", DeviceUse.NONE, 1));
    }

    private DataServerCounts counts() {
        return server.program().dataServerCounts().getFirst();
    }
}
