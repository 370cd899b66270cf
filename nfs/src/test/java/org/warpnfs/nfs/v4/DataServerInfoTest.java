package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What clients are told of data servers, and LAYOUTCOMMIT, which has nothing to tell. */
class DataServerInfoTest extends LayoutBench {
    private static final int FS_LAYOUT_TYPES = 62;

    @Test
    void getDeviceInfo_givesAddressesAndTheVersionOfADataServer() {
        V4Client client = client("a");
        Reply reply =
                client.run(new Ops().getDeviceInfo(one.id().high(), one.id().low(), 4096));
        reply.op(OpCode.GETDEVICEINFO);
        assertThat(reply.word()).isEqualTo(4);
        ByteBuffer body = ByteBuffer.wrap(reply.opaque(4096));
        assertThat(body.getInt()).as("addresses").isEqualTo(2);
        assertThat(new String(LayoutSeen.opaque(body), StandardCharsets.US_ASCII))
                .isEqualTo("rdma");
        assertThat(new String(LayoutSeen.opaque(body), StandardCharsets.US_ASCII))
                .isEqualTo("10.0.0.1.78.81");
        assertThat(new String(LayoutSeen.opaque(body), StandardCharsets.US_ASCII))
                .isEqualTo("tcp");
        assertThat(new String(LayoutSeen.opaque(body), StandardCharsets.US_ASCII))
                .isEqualTo("10.0.0.1.8.1");
        int[] versions = new int[6];
        body.asIntBuffer().get(versions);
        assertThat(versions)
                .as("one version: 3.0, the sizes, loosely coupled")
                .containsExactly(1, 3, 0, V4Server.MIB, V4Server.MIB, 0);
        assertThat(body.remaining()).isEqualTo(24);
        assertThat(reply.bitmap()).as("no notifications").isEmpty();
    }

    @Test
    void getDeviceInfo_withLittleRoom_saysHowMuchItNeeds() {
        V4Client client = client("a");

        Reply reply =
                client.send(new Ops().getDeviceInfo(one.id().high(), one.id().low(), 20));
        reply.op(OpCode.GETDEVICEINFO, Nfs4Status.TOOSMALL);
        int least = reply.word();

        assertThat(client.statusOf(
                        new Ops().getDeviceInfo(one.id().high(), one.id().low(), least)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().getDeviceInfo(1, 2, 4096))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void layoutCommit_changesNothing() {
        V4Client client = client("a");
        int[] layout = get(client, RW, client.create("f")).stateid();

        Reply reply = client.run(file().add(OpCode.LAYOUTCOMMIT, c -> c.hyper(0)
                        .hyper(-1)
                        .words(0)
                        .words(layout)
                        .words(1)
                        .hyper(99)
                        .words(0, 4, 0)))
                .afterFile();
        reply.op(OpCode.LAYOUTCOMMIT);
        assertThat(reply.word()).as("no new size").isZero();
        assertThat(client.statusOf(file().add(OpCode.LAYOUTSTATS, c -> c.hyper(0)
                        .hyper(-1)
                        .words(layout)
                        .hyper(1)
                        .hyper(2)
                        .hyper(3)
                        .hyper(4)
                        .hyper(one.id().high())
                        .hyper(one.id().low())
                        .words(4, 0))))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void fileSystem_withLayouts_saysSo() {
        V4Client client = client("a");
        Reply reply = client.run(new Ops().data().getAttrs(FS_LAYOUT_TYPES)).afterData();
        reply.getAttrs(FS_LAYOUT_TYPES);
        assertThat(reply.words(2)).containsExactly(1, 4);
    }

    @Test
    void server_withoutDataServers_knowsNoLayouts() {
        server.with(DataServers.NONE);
        V4Client client = client("a");
        int[] open = client.create("f");

        assertThat(client.statusOf(file().layoutGet(READ, open))).isEqualTo(Nfs4Status.NOTSUPP);
        Reply reply = client.run(new Ops().data().getAttrs(FS_LAYOUT_TYPES)).afterData();
        reply.op(OpCode.GETATTR);
        assertThat(reply.bitmap()).isEmpty();
    }
}
