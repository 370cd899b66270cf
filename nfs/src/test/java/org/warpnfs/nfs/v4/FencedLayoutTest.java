package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.fence.FenceView;
import org.warpnfs.nfs.fence.MemoryFences;
import org.warpnfs.nfs.fence.PublishedFences;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** A data server takes the layouts of a metadata server of its cluster, until they are revoked. */
class FencedLayoutTest extends LayoutBench {
    private static final int OK = 0;
    private static final int IO = 5;
    private static final int ACCES = 13;
    private static final int BADHANDLE = 10001;
    private static final int GETATTR = 1;
    private static final int READ3 = 6;
    private static final int WRITE3 = 7;
    private static final int COMMIT3 = 21;
    private static final Duration WINDOW = Duration.ofSeconds(3);

    private final MemoryFences store = new MemoryFences();
    private long epoch;
    private int processes;
    private int xid = 100;
    private FenceView view;
    private Nfs3Program dataServer;

    @BeforeEach
    void fence() {
        startMetadataServer();
        startDataServer();
    }

    private void startMetadataServer() {
        try {
            server.program()
                    .setFencing(PublishedFences.open(
                            store, "one", ++processes, () -> ++epoch, Runnable::run, () -> server.nowNanos));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void startDataServer() {
        startDataServer(new FenceView(store, () -> server.nowNanos));
    }

    private void startDataServer(FenceView itsView) {
        view = itsView;
        ExportTable exports = ExportTable.of(List.of(Export.of(
                PseudoPath.of("/data"),
                server.fs,
                ExportPolicy.everyone(ExportOptions.DEFAULTS.withSquash(Squash.NONE)),
                ExportTraits.DEFAULTS.withLayoutsOnly(true),
                "the same files")));
        dataServer = new Nfs3Program(new Nfs3Server(
                exports,
                new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII)),
                server.payloads,
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime),
                view));
    }

    /** The status of a call of this user at the data server, which has just read the fences. */
    private int call(LayoutSeen layout, byte[] handle, int procedure) {
        view.read();
        return callWithoutReading(layout, handle, procedure);
    }

    private int callWithoutReading(LayoutSeen layout, byte[] handle, int procedure) {
        CallWriter call = CallWriter.call(xid++, 100003, 3, procedure)
                .authSys(Integer.parseInt(layout.user()), Integer.parseInt(layout.group()))
                .opaque(handle);
        switch (procedure) {
            case WRITE3 -> call.hyper(0).words(5, 2).opaque("hello".getBytes(StandardCharsets.US_ASCII));
            case READ3, COMMIT3 -> call.hyper(0).words(5);
            default -> assertThat(procedure).isEqualTo(GETATTR);
        }
        try {
            return ByteBuffer.wrap(V4Server.newConnection().call(dataServer, call.toBytes()))
                    .getInt(24);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private int write(LayoutSeen layout) {
        return call(layout, layout.handle(), WRITE3);
    }

    private int read(LayoutSeen layout) {
        return call(layout, layout.handle(), READ3);
    }

    @Test
    void layoutToWrite_permitsReadWriteAndCommitAlone() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, RW, client.create("f"));

        assertThat(write(layout)).isEqualTo(OK);
        assertThat(read(layout)).isEqualTo(OK);
        assertThat(call(layout, layout.handle(), COMMIT3)).isEqualTo(OK);
        assertThat(call(layout, layout.handle(), GETATTR)).isEqualTo(BADHANDLE);
    }

    @Test
    void layoutToRead_doesNotPermitToWrite() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, READ, client.create("f"));

        assertThat(read(layout)).isEqualTo(OK);
        assertThat(write(layout)).isEqualTo(ACCES);
        assertThat(call(layout, layout.handle(), COMMIT3)).isEqualTo(ACCES);
    }

    @Test
    void handleOfTheFile_isRefusedWhereOnlyLayoutsAreTaken() {
        V4Client client = client("a");
        int[] open = client.create("f");
        Reply reply = client.run(file().getFh().layoutGet(RW, open)).afterFile();
        byte[] handle = reply.getFh();
        LayoutSeen layout = LayoutSeen.of(reply, RW);

        for (int procedure : new int[] {GETATTR, READ3, WRITE3, COMMIT3}) {
            assertThat(call(layout, handle, procedure))
                    .as("procedure %d", procedure)
                    .isEqualTo(ACCES);
        }
    }

    @Test
    void handle_withAnyBitChanged_isRefused() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, READ, client.create("f"));
        client.create("g");

        for (int bit = 0; bit < Byte.SIZE * layout.handle().length; bit++) {
            byte[] forged = layout.handle().clone();
            forged[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
            assertThat(call(layout, forged, READ3)).as("bit %d", bit).isIn(ACCES, BADHANDLE);
            assertThat(call(layout, forged, WRITE3)).as("bit %d", bit).isIn(ACCES, BADHANDLE);
        }
    }

    @Test
    void handleOfALayout_atTheMetadataServer_isBad() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, RW, client.create("f"));

        assertThat(client.statusOf(new Ops().putFh(layout.handle()))).isEqualTo(Nfs4Status.BADHANDLE);
    }

    @Test
    void handleOfALayout_atAServerWithoutACluster_isBad() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, RW, client.create("f"));
        startDataServer(FenceView.NONE);

        for (int procedure : new int[] {GETATTR, READ3, WRITE3, COMMIT3}) {
            assertThat(callWithoutReading(layout, layout.handle(), procedure))
                    .as("procedure %d", procedure)
                    .isEqualTo(BADHANDLE);
        }
    }

    @Test
    void revokedLayout_isRefused_andAnotherIsNot() {
        V4Client holder = client("a");
        LayoutSeen late = get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        int[] open = other.create("g");
        LayoutSeen good = LayoutSeen.of(
                other.run(new Ops().data().lookup("g").layoutGet(RW, open)).afterFile(), RW);
        assertThat(write(late)).isEqualTo(OK);
        revoke(holder, other);

        assertThat(write(late)).isEqualTo(ACCES);
        assertThat(read(late)).isEqualTo(ACCES);
        assertThat(write(good)).isEqualTo(OK);
        startDataServer();
        assertThat(write(late)).as("at a data server that starts").isEqualTo(ACCES);
        assertThat(write(good)).isEqualTo(OK);

        server.pass(Duration.ofSeconds(40));
        other.run(new Ops().root());
        LayoutSeen fresh = get(other, RW, other.open("o", "f", 3));
        assertThat(write(fresh)).as("another client's layout of the same file").isEqualTo(OK);
        assertThat(write(late)).isEqualTo(ACCES);
    }

    @Test
    void change_waitsUntilNoDataServerTakesTheRevokedLayout() {
        V4Client holder = client("a");
        LayoutSeen late = get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        assertThat(write(late)).isEqualTo(OK);
        store.isBroken = true;
        revoke(holder, other);
        Ops cut = file().setAttr(Fattr.size(0));

        assertThat(other.statusOf(cut)).as("nobody could be told").isEqualTo(Nfs4Status.DELAY);
        assertThat(callWithoutReading(late, late.handle(), WRITE3))
                .as("a data server that cannot read fences")
                .isEqualTo(IO);
        store.isBroken = false;
        server.pass(Duration.ofSeconds(1));
        assertThat(other.statusOf(cut)).as("just told").isEqualTo(Nfs4Status.DELAY);
        server.pass(WINDOW.minusMillis(1));
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.DELAY);
        server.pass(Duration.ofMillis(1));

        assertThat(write(late)).isEqualTo(ACCES);
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void layout_ofAClientThatIsGone_isRefusedBeforeAnotherOpensTheFile() {
        V4Client holder = client("a");
        Reply opened = holder.run(new Ops().data().openCreate("o", "f", 3, 3)).afterData();
        LayoutSeen late = get(holder, RW, opened.open());
        V4Client other = client("b");
        server.pass(V4Server.LEASE.plusSeconds(1));
        other.connect();
        other.run(new Ops().reclaimComplete());
        Ops open = new Ops().data().open("o", "f", 3, 3);

        assertThat(other.statusOf(open)).as("the data servers are being told").isEqualTo(Nfs4Status.DELAY);
        assertThat(write(late)).isEqualTo(ACCES);
        server.pass(WINDOW);

        assertThat(other.statusOf(open)).isEqualTo(Nfs4Status.OK);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layouts_ofAMetadataServerThatWasRestarted_areRefused() {
        V4Client client = client("a");
        LayoutSeen late = get(client, RW, client.create("f"));
        assertThat(write(late)).isEqualTo(OK);

        server.program().close();
        server.start();
        startMetadataServer();

        assertThat(write(late)).isEqualTo(ACCES);
        V4Client again = client("b");
        assertThat(write(get(again, RW, again.open("o", "f", 3)))).isEqualTo(OK);
    }

    @Test
    void layoutThatWasReturned_needsNoFence() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, RW, client.create("f"));
        long before = epoch;
        client.run(file().layoutReturn(ANY, layout.stateid()));

        V4Client other = client("b");

        assertThat(other.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
        assertThat(epoch).isEqualTo(before);
    }

    @Test
    void layouts_beforeAnythingIsRead_areRefused() {
        V4Client client = client("a");
        LayoutSeen layout = get(client, RW, client.create("f"));

        assertThat(callWithoutReading(layout, layout.handle(), WRITE3)).isEqualTo(IO);
        assertThat(callWithoutReading(layout, layout.handle(), READ3)).isEqualTo(IO);
        assertThat(client.statusOf(file().layoutError(
                                layout.stateid(), one.id().high(), one.id().low(), IO)))
                .as("the client says so")
                .isEqualTo(Nfs4Status.OK);
    }
}
