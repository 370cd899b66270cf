package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.layout.DeviceId;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** How clients end layouts and report errors at data servers. */
class LayoutReturnTest extends LayoutBench {
    private static final int NXIO = 6;
    private static final int ACCES = 13;

    @Test
    void close_ofTheLastOpen_endsTheLayout() {
        V4Client client = client("a");
        int[] open = client.create("f");
        int[] again = client.open("p", "f", 1);
        LayoutSeen layout = get(client, RW, open);

        client.run(file().close(again));
        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.OK);
        client.run(file().close(open));

        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(file().layoutReturn(ANY, layout.stateid()))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void close_ofAFileThatIsDelegated_leavesTheLayoutUntilTheReturn() {
        server.program().setDelegations(DelegationPolicy.WRITE);
        V4Client client = client("a");
        Reply opened = client.run(new Ops().data().openCreate("o", "f", 3, 0)).afterData();
        int[] open = client.open("o", "f", 3);
        int[] delegation = opened.readWriteDelegation();
        LayoutSeen layout = get(client, RW, delegation);

        client.run(file().close(open));
        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.OK);

        client.run(file().delegReturn(delegation));
        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void layoutReturn_ofOneMode_leavesTheOther() {
        V4Client client = client("a");
        int[] open = client.create("f");
        LayoutSeen read = get(client, READ, open);
        LayoutSeen both = get(client, RW, read.stateid());

        Reply reply = client.run(file().layoutReturn(READ, both.stateid())).afterFile();
        reply.op(OpCode.LAYOUTRETURN);
        assertThat(reply.word()).as("something is left").isEqualTo(1);
        int[] left = reply.stateid();
        assertThat(left[0]).isEqualTo(3);

        reply = client.run(file().layoutReturn(ANY, left)).afterFile();
        reply.op(OpCode.LAYOUTRETURN);
        assertThat(reply.word()).as("nothing is left").isZero();
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    /** RFC 8881, section 18.44.3. */
    @Test
    void layoutReturn_setsTheCurrentStateid() {
        V4Client client = client("a");
        int[] open = client.create("f");
        LayoutSeen read = get(client, READ, open);
        LayoutSeen both = get(client, RW, read.stateid());

        assertThat(client.statusOf(file().layoutReturn(READ, both.stateid()).layoutGet(RW, Ops.CURRENT)))
                .as("something is left")
                .isEqualTo(Nfs4Status.OK);
        LayoutSeen last = get(client, RW, open);
        assertThat(client.statusOf(file().layoutGet(RW, last.stateid())
                        .layoutReturn(ANY, Ops.CURRENT)
                        .layoutReturn(ANY, Ops.CURRENT)))
                .as("nothing is left")
                .isEqualTo(Nfs4Status.BAD_STATEID);
        LayoutSeen again = get(client, RW, open);
        assertThat(client.statusOf(file().layoutReturn(ANY, again.stateid()).read(Ops.CURRENT, 0, 1)))
                .as("nor is it the anonymous stateid")
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void layoutReturn_ofAll_returnsEveryFile() {
        V4Client client = client("a");
        int[] open = client.create("f");
        get(client, RW, open);

        assertThat(client.statusOf(new Ops().op(OpCode.LAYOUTRETURN, 0, 4, ANY, 3)))
                .isEqualTo(Nfs4Status.OK);

        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layoutReturn_withAnError_isFollowedByALayoutWithoutThatDataServer() {
        V4Client client = client("a");
        int[] open = client.create("f");
        LayoutSeen first = get(client, RW, open);
        DeviceId failed = first.devices().getFirst();
        ByteBuffer report = ByteBuffer.allocate(72);
        report.putInt(1).putLong(0).putLong(-1);
        for (int word : first.stateid()) {
            report.putInt(word);
        }
        report.putInt(1)
                .putLong(failed.high())
                .putLong(failed.low())
                .putInt(NXIO)
                .putInt(38);
        report.putInt(0);

        client.run(file().layoutReturn(ANY, first.stateid(), Arrays.copyOf(report.array(), report.position())));
        LayoutSeen second = get(client, RW, open);
        assertThat(second.devices()).hasSize(1).doesNotContain(failed);
        assertThat(server.program().dataServerErrors()).isEqualTo(1);

        DeviceId last = second.devices().getFirst();
        client.run(file().layoutError(second.stateid(), last.high(), last.low(), NXIO));
        assertThat(client.statusOf(file().layoutGet(READ, second.stateid()))).isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);

        V4Client other = client("b");
        assertThat(get(other, READ, other.open("o", "f", 1)).devices()).hasSize(2);
        server.pass(Duration.ofSeconds(61));
        assertThat(get(client, READ, second.stateid()).devices()).hasSize(2);
    }

    @Test
    void layoutError_ofOneFile_leavesTheDataServersToOthers() {
        V4Client client = client("a");
        int[] open = client.create("f");
        int[] other = client.create("g");
        LayoutSeen layout = get(client, RW, open);
        DeviceId refused = layout.devices().getFirst();

        client.run(file().layoutError(layout.stateid(), refused.high(), refused.low(), ACCES));

        assertThat(client.statusOf(file().layoutGet(RW, layout.stateid()))).isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
        assertThat(client.statusOf(new Ops().data().lookup("g").layoutGet(RW, other)))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void layoutReturn_whoseReportIsNone_isBadxdr() {
        V4Client client = client("a");
        int[] layout = get(client, RW, client.create("f")).stateid();

        assertThat(client.statusOf(file().layoutReturn(ANY, layout, new byte[12])))
                .isEqualTo(Nfs4Status.BADXDR);
        assertThat(client.statusOf(file().layoutReturn(ANY, layout, new byte[] {0, 0, 1, 1, 0, 0, 0, 0})))
                .isEqualTo(Nfs4Status.BADXDR);
    }
}
