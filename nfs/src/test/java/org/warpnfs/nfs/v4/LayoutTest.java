package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.layout.DeviceId;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Layouts of flexible files: what a client is told, who gets one, and how they end. */
class LayoutTest {
    private static final int READ = 1;
    private static final int RW = 2;
    private static final int ANY = 3;
    private static final int NXIO = 6;
    private static final int ACCES = 13;
    private static final int NOMATCHING_LAYOUT = 10060;
    private static final int RECALLABLE_STATE_REVOKED = 0x40;
    private static final int FS_LAYOUT_TYPES = 62;

    private final DataServer one = server("10.0.0.1", 2049);
    private final DataServer two = server("10.0.0.2", 2049);
    private final V4Server server = V4Server.withLayouts(new DataServers(List.of(one, two), 2));

    private static DataServer server(String host, int port) {
        InetAddress address = InetAddress.ofLiteral(host);
        return new DataServer(List.of(
                new DataServerAddress(Transport.RDMA, address, 20049),
                new DataServerAddress(Transport.TCP, address, port)));
    }

    @BeforeEach
    void delegateNothing() {
        server.program().setDelegations(DelegationPolicy.NONE);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    /** A layout as a client reads it. */
    private static final class Seen {
        private final int[] stateid;
        private final List<DeviceId> devices;
        private final byte[] handle;
        private final String user;
        private final String group;

        Seen(int[] stateid, List<DeviceId> devices, byte[] handle, String user, String group) {
            this.stateid = stateid;
            this.devices = devices;
            this.handle = handle;
            this.user = user;
            this.group = group;
        }

        int[] stateid() {
            return stateid;
        }

        List<DeviceId> devices() {
            return devices;
        }

        byte[] handle() {
            return handle;
        }

        String user() {
            return user;
        }

        String group() {
            return group;
        }
    }

    private static Seen layout(Reply reply, int iomode) {
        reply.op(OpCode.LAYOUTGET);
        assertThat(reply.word()).as("return on close").isEqualTo(1);
        int[] stateid = reply.stateid();
        assertThat(reply.words(6)).as("one of the whole file").containsExactly(1, 0, 0, -1, -1, iomode);
        assertThat(reply.word()).as("LAYOUT4_FLEX_FILES").isEqualTo(4);
        ByteBuffer body = ByteBuffer.wrap(reply.opaque(4096));
        assertThat(body.getLong()).as("stripe unit").isZero();
        int mirrors = body.getInt();
        List<DeviceId> devices = new ArrayList<>();
        byte[] handle = {};
        String user = "";
        String group = "";
        for (int i = 0; i < mirrors; i++) {
            assertThat(body.getInt()).as("data servers of a mirror").isEqualTo(1);
            devices.add(new DeviceId(body.getLong(), body.getLong()));
            assertThat(body.getInt()).as("efficiency").isEqualTo(mirrors - i);
            assertThat(body.getLong()).as("anonymous stateid").isZero();
            assertThat(body.getLong()).as("anonymous stateid").isZero();
            assertThat(body.getInt()).as("handles").isEqualTo(1);
            handle = opaque(body);
            user = new String(opaque(body), StandardCharsets.US_ASCII);
            group = new String(opaque(body), StandardCharsets.US_ASCII);
        }
        assertThat(body.getInt()).as("FF_FLAGS_NO_LAYOUTCOMMIT").isEqualTo(1);
        assertThat(body.getInt()).as("statistics hint").isZero();
        assertThat(body.hasRemaining()).isFalse();
        return new Seen(stateid, devices, handle, user, group);
    }

    private static byte[] opaque(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        from.position(from.position() + (-bytes.length & 3));
        return bytes;
    }

    private Seen get(V4Client client, int iomode, int[] stateid) {
        return layout(client.run(file().layoutGet(iomode, stateid)).afterFile(), iomode);
    }

    private V4Client client(String name) {
        return V4Client.callable(server, name, 0);
    }

    @Test
    void layoutGet_toRead_namesEachDataServerWithTheHandleOfTheFile() {
        V4Client client = client("a");
        int[] open = client.create("f");

        Reply reply = client.run(file().getFh().layoutGet(READ, open)).afterFile();
        byte[] handle = reply.getFh();
        Seen seen = layout(reply, READ);

        assertThat(seen.devices()).containsExactlyInAnyOrder(one.id(), two.id());
        assertThat(seen.handle()).isEqualTo(handle);
        assertThat(seen.user()).isEqualTo("0");
        assertThat(seen.group()).isEqualTo("100");
        assertThat(seen.stateid()[0]).as("the first seqid").isEqualTo(1);
        assertThat(server.program().layoutCounts()).isEqualTo(new LayoutCounts(1, 1, 0, 0));
    }

    @Test
    void layoutGet_toWriteToo_namesOneDataServerUnderTheSameStateid() {
        V4Client client = client("a");
        int[] open = client.create("f");
        Seen read = get(client, READ, open);

        Seen both = get(client, RW, read.stateid());

        assertThat(both.devices()).containsExactly(read.devices().getFirst());
        assertThat(both.stateid()).containsExactly(2, read.stateid()[1], read.stateid()[2], read.stateid()[3]);
        assertThat(client.tested(both.stateid())).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().freeStateid(both.stateid()))).isEqualTo(Nfs4Status.LOCKS_HELD);
    }

    @Test
    void layoutGet_withTheCurrentStateid_isOfTheOpenBeforeIt() {
        V4Client client = client("a");
        client.create("f");

        Reply reply = client.run(new Ops().data().open("p", "f", 1, 0).layoutGet(READ, Ops.CURRENT))
                .afterData();
        reply.open();

        assertThat(layout(reply, READ).stateid()[0]).isEqualTo(1);
    }

    @Test
    void layoutGet_toWriteOfAnOpenToRead_isOpenmode() {
        V4Client client = client("a");
        client.create("f");
        V4Client reader = client("b");
        int[] open = reader.open("o", "f", 1);

        assertThat(reader.statusOf(file().layoutGet(RW, open))).isEqualTo(Nfs4Status.OPENMODE);
        Seen read = get(reader, READ, open);
        assertThat(reader.statusOf(file().layoutGet(RW, read.stateid()))).isEqualTo(Nfs4Status.OPENMODE);
        assertThat(reader.statusOf(file().read(read.stateid(), 0, 1))).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void layoutGet_ofWhatDoesNotExist_isRefused() {
        V4Client client = client("a");
        int[] open = client.create("f");

        assertThat(client.statusOf(file().layoutGet(1, READ, 0, -1, 0, open, 4096)))
                .isEqualTo(Nfs4Status.UNKNOWN_LAYOUTTYPE);
        assertThat(client.statusOf(file().layoutGet(4, ANY, 0, -1, 0, open, 4096)))
                .isEqualTo(Nfs4Status.BADIOMODE);
        assertThat(client.statusOf(file().layoutGet(4, READ, 0, 0, 0, open, 4096)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(file().layoutGet(4, READ, 0, 1, 2, open, 4096)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(file().layoutGet(4, READ, -2, 5, 5, open, 4096)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(file().layoutGet(4, READ, 0, -1, 0, open, 100)))
                .isEqualTo(Nfs4Status.TOOSMALL);
        assertThat(client.statusOf(file().layoutGet(READ, Ops.ANONYMOUS))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layoutGet_ofACallerWithoutACallbackPath_isUnavailable() {
        V4Client client = V4Client.mounted(server, "a", 0);
        int[] open = client.create("f");

        assertThat(client.statusOf(file().layoutGet(READ, open))).isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
    }

    @Test
    void layoutGet_ofAMemberOfASupplementaryGroup_isForThatGroup() {
        V4Client client = client("a");
        client.create("f");
        client.run(file().setAttr(Fattr.group("200")));
        client.run(file().setAttr(Fattr.mode(0060)));
        server.groups = new int[] {300, 200};
        V4Client other = V4Client.callable(server, "b", 1000);
        int[] open = other.open("o", "f", 3);

        Seen seen = get(other, RW, open);

        assertThat(seen.user()).isEqualTo("1000");
        assertThat(seen.group()).isEqualTo("200");

        server.groups = new int[] {};
        assertThat(other.statusOf(file().layoutGet(RW, seen.stateid())))
                .as("the data servers would refuse it")
                .isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
    }

    @Test
    void close_ofTheLastOpen_endsTheLayout() {
        V4Client client = client("a");
        int[] open = client.create("f");
        int[] again = client.open("p", "f", 1);
        Seen layout = get(client, RW, open);

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
        Seen layout = get(client, RW, delegation);

        client.run(file().close(open));
        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.OK);

        client.run(file().delegReturn(delegation));
        assertThat(client.tested(layout.stateid())).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void layoutReturn_ofOneMode_leavesTheOther() {
        V4Client client = client("a");
        int[] open = client.create("f");
        Seen read = get(client, READ, open);
        Seen both = get(client, RW, read.stateid());

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
        Seen first = get(client, RW, open);
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
        Seen second = get(client, RW, open);
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
        Seen layout = get(client, RW, open);
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

    @Test
    void setAttr_ofTheSizeByAnother_recallsTheLayoutAndWaits() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        Reply reply = holder.run(file().getFh().layoutGet(RW, open)).afterFile();
        byte[] handle = reply.getFh();
        Seen layout = layout(reply, RW);
        V4Client other = client("b");
        Ops cut = file().setAttr(Fattr.size(0));

        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.DELAY);
        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.operation).isEqualTo(CallbackSeen.CB_LAYOUTRECALL);
        assertThat(recall.fileHandle).isEqualTo(handle);
        assertThat(recall.stateid)
                .as("one more than the client has seen")
                .containsExactly(2, layout.stateid()[1], layout.stateid()[2], layout.stateid()[3]);
        holder.answerRecall(recall, 0);
        assertThat(holder.statusOf(file().layoutGet(RW, layout.stateid()))).isEqualTo(Nfs4Status.RECALLCONFLICT);

        holder.run(file().layoutReturn(ANY, recall.stateid));
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(file().layoutGet(RW, open)))
                .as("others go first for a while")
                .isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
        server.pass(Duration.ofSeconds(31));
        assertThat(holder.statusOf(file().layoutGet(RW, open))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void change_byTheHolder_recallsNothing() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));

        assertThat(holder.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
        assertThat(holder.nextCallback()).isNull();
    }

    @Test
    void recall_ofALayoutThatTheClientLacks_isOver() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        Ops remove = new Ops().data().remove("f");
        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.DELAY);

        holder.answerRecall(holder.nextCallback(), NOMATCHING_LAYOUT);

        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_thatIsNotHeeded_revokesTheLayout() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        Seen layout = get(holder, RW, open);
        V4Client other = client("b");
        Ops cut = file().setAttr(Fattr.size(0));
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 2; i++) {
            server.pass(V4Server.LEASE.dividedBy(2).plusSeconds(1));
            holder.run(new Ops().root());
            other.run(new Ops().root());
        }

        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.OK);
        assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
        assertThat(holder.statusOf(new Ops().freeStateid(layout.stateid()))).isEqualTo(Nfs4Status.OK);
        holder.run(new Ops().root());
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
        assertThat(server.program().layoutCounts()).isEqualTo(new LayoutCounts(0, 1, 1, 1));
    }

    /** Linux drops its layouts when it sees the flag, and never frees their stateids. */
    @Test
    void revokedLayout_whoseClientWasToldForALease_isForgottenThoughTheFileStaysOpen() {
        V4Client holder = client("a");
        Seen layout = get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        revoke(holder, other);
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
        for (int i = 0; i < 3; i++) {
            assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.DELEG_REVOKED);
            assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
            server.pass(V4Server.LEASE.dividedBy(3).plusSeconds(1));
            other.run(new Ops().root());
        }

        holder.run(new Ops().root());
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
        assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layoutReturn_ofAll_endsRevokedLayoutsToo() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        revoke(holder, client("b"));

        holder.run(new Ops().op(OpCode.LAYOUTRETURN, 0, 4, ANY, 3));
        holder.run(new Ops().root());

        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
    }

    /** {@code other} cuts the file, and the holder answers the recall but does not return its layout. */
    private void revoke(V4Client holder, V4Client other) {
        Ops cut = file().setAttr(Fattr.size(0));
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 2; i++) {
            server.pass(V4Server.LEASE.dividedBy(2).plusSeconds(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
        }
    }

    @Test
    void layouts_areListedWithWhatTheyAreForAndWhereTheyStand() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        get(holder, RW, get(holder, READ, open).stateid());

        StateRow.LayoutRow row = onlyLayout();
        assertThat(row.client()).isEqualTo(StateQuery.hex(holder.clientId));
        assertThat(List.of(row.iomode(), row.phase())).containsExactly("both", "held");

        client("b").statusOf(file().setAttr(Fattr.size(0)));
        assertThat(onlyLayout().phase()).isEqualTo("recalled");
    }

    private StateRow.LayoutRow onlyLayout() {
        List<StateRow.LayoutRow> rows =
                server.program().administration().layouts(StateQuery.first(10)).rows();
        assertThat(rows).hasSize(1);
        return rows.getFirst();
    }

    @Test
    void layouts_ofAClientWhoseLeaseHasRunOut_endWithIt() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        server.pass(V4Server.LEASE.plusSeconds(1));
        other.connect();
        other.run(new Ops().reclaimComplete());

        assertThat(other.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void getDeviceInfo_givesAddressesAndTheVersionOfADataServer() {
        V4Client client = client("a");
        Reply reply =
                client.run(new Ops().getDeviceInfo(one.id().high(), one.id().low(), 4096));
        reply.op(OpCode.GETDEVICEINFO);
        assertThat(reply.word()).isEqualTo(4);
        ByteBuffer body = ByteBuffer.wrap(reply.opaque(4096));
        assertThat(body.getInt()).as("addresses").isEqualTo(2);
        assertThat(new String(opaque(body), StandardCharsets.US_ASCII)).isEqualTo("rdma");
        assertThat(new String(opaque(body), StandardCharsets.US_ASCII)).isEqualTo("10.0.0.1.78.81");
        assertThat(new String(opaque(body), StandardCharsets.US_ASCII)).isEqualTo("tcp");
        assertThat(new String(opaque(body), StandardCharsets.US_ASCII)).isEqualTo("10.0.0.1.8.1");
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

    /** What a layout says is all that a client needs at another server with the same key. */
    @Test
    void layout_atADataServer_writesTheFileThatTheMetadataServerSees() throws Exception {
        ExportTable exports = ExportTable.of(List.of(Export.of(
                PseudoPath.of("/data"), server.fs, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "the same files")));
        Nfs3Program dataServer = new Nfs3Program(
                exports,
                new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII)),
                server.payloads,
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime),
                CallRecorder.NONE);
        V4Client client = V4Client.callable(server, "a", 1000);
        int[] open = client.create("f");
        Seen layout = get(client, RW, open);
        byte[] write = CallWriter.call(9, 100003, 3, 7)
                .authSys(Integer.parseInt(layout.user()), Integer.parseInt(layout.group()))
                .opaque(layout.handle())
                .hyper(0)
                .words(5, 2)
                .opaque("hello".getBytes(StandardCharsets.US_ASCII))
                .toBytes();

        ByteBuffer reply = ByteBuffer.wrap(V4Server.newConnection().call(dataServer, write));
        assertThat(reply.getInt(24)).as("NFS3_OK").isZero();

        Reply attributes = client.run(file().getAttrs(Attributes.SIZE)).afterFile();
        attributes.getAttrs(Attributes.SIZE);
        assertThat(attributes.hyper()).isEqualTo(5);
        Reply read = client.run(file().read(open, 0, 10)).afterFile();
        read.op(OpCode.READ);
        assertThat(read.word()).as("eof").isEqualTo(1);
        assertThat(new String(read.opaque(10), StandardCharsets.US_ASCII)).isEqualTo("hello");
    }
}
