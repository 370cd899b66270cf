package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.nfs.v4.layout.DataServer;
import org.warpnfs.nfs.v4.layout.DataServerAddress;
import org.warpnfs.nfs.v4.layout.DataServerAddress.Transport;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * The errors of LAYOUTGET, LAYOUTRETURN, LAYOUTCOMMIT and GETDEVICEINFO (RFC 8881, sections 18.40 and 18.42 to 18.44).
 */
class LayoutErrorsTest {
    private static final int READ = 1;
    private static final int RW = 2;
    private static final int ANY = 3;
    private static final int FLEX_FILES = 4;
    private static final int NFSV4_1_FILES = 1;
    private static final int OF_FILE = 1;
    private static final int OF_FSID = 2;
    private static final int OF_ALL = 3;
    private static final int ROOM = 4096;
    private static final long WHOLE = -1;
    /** NFS4_MAXFILEOFF, which is one less than the largest number. */
    private static final long MAX_OFFSET = -2;

    private final DataServer one =
            new DataServer(List.of(new DataServerAddress(Transport.TCP, InetAddress.ofLiteral("10.0.0.1"), 2049)));
    private final V4Server server = V4Server.withLayouts(new DataServers(List.of(one), 1));

    /** What a client has: /data/f, open to read and write, and /data/r, likewise, with a layout of each. */
    private static final class Held {
        private final V4Client client;
        private final int[] open;
        private final int[] layout;
        private final int[] readLayout;
        private final DataServer device;

        Held(V4Client client, DataServer device) {
            this.client = client;
            this.device = device;
            open = client.create("f");
            int[] openToo = client.create("r");
            layout = layoutOf(client, "f", RW, open);
            readLayout = layoutOf(client, "r", READ, openToo);
        }

        V4Client client() {
            return client;
        }

        int[] open() {
            return open;
        }

        int[] layout() {
            return layout;
        }

        int[] readLayout() {
            return readLayout;
        }

        DataServer device() {
            return device;
        }
    }

    private interface Request {
        Ops of(Held held);
    }

    /** A request, and what RFC 8881 says that it ends with. */
    private record Row(String what, Nfs4Status status, Request request) {
        @Override
        public String toString() {
            return what + " is " + status;
        }
    }

    @BeforeEach
    void delegateNothing() {
        server.program().setDelegations(DelegationPolicy.NONE);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Held held() {
        return new Held(V4Client.callable(server, "a", 0), one);
    }

    private static int[] layoutOf(V4Client client, String name, int iomode, int[] open) {
        Reply reply = client.run(file(name).layoutGet(iomode, open)).afterFile();
        reply.op(OpCode.LAYOUTGET);
        reply.word();
        return reply.stateid();
    }

    private static Ops file(String name) {
        return new Ops().data().lookup(name);
    }

    private static Ops f() {
        return file("f");
    }

    private static Row row(String what, Nfs4Status status, Request request) {
        return new Row(what, status, request);
    }

    private static Row get(String what, Nfs4Status status, int type, int iomode, long offset, long length, long least) {
        return row("LAYOUTGET " + what, status, held -> f().layoutGet(
                        type, iomode, offset, length, least, held.open(), ROOM));
    }

    private static Ops commit(Ops file, long offset, long length, int reclaim, int[] stateid, long lastWritten) {
        return file.add(OpCode.LAYOUTCOMMIT, c -> c.hyper(offset)
                .hyper(length)
                .words(reclaim)
                .words(stateid)
                .words(1)
                .hyper(lastWritten)
                .words(0, FLEX_FILES, 0));
    }

    private static Row commit(String what, Nfs4Status status, long offset, long length, long lastWritten) {
        return row("LAYOUTCOMMIT " + what, status, held -> commit(f(), offset, length, 0, held.layout(), lastWritten));
    }

    private static Ops giveBack(Ops file, int reclaim, int type, int iomode, long offset, long length, int[] stateid) {
        return file.add(OpCode.LAYOUTRETURN, c -> c.words(reclaim, type, iomode, OF_FILE)
                .hyper(offset)
                .hyper(length)
                .words(stateid)
                .words(0));
    }

    private static Row giveBack(
            String what, Nfs4Status status, int reclaim, int type, int iomode, long offset, long length) {
        return row(
                "LAYOUTRETURN " + what,
                status,
                held -> giveBack(f(), reclaim, type, iomode, offset, length, held.layout()));
    }

    private static Ops bulk(Ops ops, int reclaim, int what) {
        return ops.op(OpCode.LAYOUTRETURN, reclaim, FLEX_FILES, ANY, what);
    }

    private static int[] withSeqid(int[] stateid, int seqid) {
        return new int[] {seqid, stateid[1], stateid[2], stateid[3]};
    }

    static Stream<Row> layoutGets() {
        return Stream.of(
                get("of another type", Nfs4Status.UNKNOWN_LAYOUTTYPE, NFSV4_1_FILES, READ, 0, WHOLE, 0),
                get("for any mode", Nfs4Status.BADIOMODE, FLEX_FILES, ANY, 0, WHOLE, 0),
                get("for no mode", Nfs4Status.BADIOMODE, FLEX_FILES, 0, 0, WHOLE, 0),
                get("of any length", Nfs4Status.OK, FLEX_FILES, READ, 0, 0, 0),
                get("of any length with a least one", Nfs4Status.INVAL, FLEX_FILES, READ, 0, 0, 1),
                get("of less than the least", Nfs4Status.INVAL, FLEX_FILES, READ, 0, 1, 2),
                get("beyond 2^64", Nfs4Status.INVAL, FLEX_FILES, READ, MAX_OFFSET, 5, 1),
                get("of a least beyond 2^64", Nfs4Status.INVAL, FLEX_FILES, READ, MAX_OFFSET, WHOLE, 5),
                get("of a byte behind the last offset", Nfs4Status.INVAL, FLEX_FILES, READ, -1, 1, 1),
                get("at the last offset", Nfs4Status.OK, FLEX_FILES, READ, MAX_OFFSET, 1, 1),
                row("LAYOUTGET with little room", Nfs4Status.TOOSMALL, held -> f().layoutGet(
                                FLEX_FILES, READ, 0, WHOLE, 0, held.open(), 50)),
                row("LAYOUTGET of a directory", Nfs4Status.WRONG_TYPE, held -> new Ops()
                        .data()
                        .layoutGet(READ, held.open())),
                row("LAYOUTGET with another file's stateid", Nfs4Status.BAD_STATEID, held -> file("r")
                        .layoutGet(READ, held.open())),
                row("LAYOUTGET with a special stateid", Nfs4Status.BAD_STATEID, held -> f().layoutGet(
                                READ, Ops.ANONYMOUS)),
                row("LAYOUTGET with a layout's seqid of the future", Nfs4Status.BAD_STATEID, held -> f().layoutGet(
                                READ, withSeqid(held.layout(), 9))),
                row("LAYOUTGET with a layout's seqid of 0", Nfs4Status.BAD_STATEID, held -> f().layoutGet(
                                READ, withSeqid(held.layout(), 0))),
                row("LAYOUTGET without a file", Nfs4Status.NOFILEHANDLE, held -> new Ops()
                        .layoutGet(READ, held.open())));
    }

    static Stream<Row> layoutCommits() {
        return Stream.of(
                commit("of what was written", Nfs4Status.OK, 0, 100, 99),
                commit("of the last byte of all", Nfs4Status.OK, MAX_OFFSET, WHOLE, MAX_OFFSET),
                commit("of a byte after the last", Nfs4Status.INVAL, 0, WHOLE, -1),
                commit("of a byte behind its range", Nfs4Status.INVAL, 0, 100, 100),
                commit("of a byte before its range", Nfs4Status.INVAL, 100, WHOLE, 99),
                commit("of nothing", Nfs4Status.INVAL, 0, 0, 0),
                row("LAYOUTCOMMIT of nothing, without a last byte", Nfs4Status.OK, held -> f().add(
                                OpCode.LAYOUTCOMMIT, c -> c.hyper(0)
                                        .hyper(0)
                                        .words(0)
                                        .words(held.layout())
                                        .words(0, 0, FLEX_FILES, 0))),
                commit("beyond 2^64", Nfs4Status.INVAL, MAX_OFFSET, 5, MAX_OFFSET),
                row(
                        "LAYOUTCOMMIT with a layout to read",
                        Nfs4Status.BADIOMODE,
                        held -> commit(file("r"), 0, WHOLE, 0, held.readLayout(), 0)),
                row(
                        "LAYOUTCOMMIT with another file's layout",
                        Nfs4Status.BADLAYOUT,
                        held -> commit(file("r"), 0, WHOLE, 0, held.layout(), 0)),
                row(
                        "LAYOUTCOMMIT with the stateid of an open",
                        Nfs4Status.BADLAYOUT,
                        held -> commit(f(), 0, WHOLE, 0, held.open(), 0)),
                row(
                        "LAYOUTCOMMIT with a layout's seqid of the future",
                        Nfs4Status.BADLAYOUT,
                        held -> commit(f(), 0, WHOLE, 0, withSeqid(held.layout(), 9), 0)),
                row(
                        "LAYOUTCOMMIT that reclaims after the grace period",
                        Nfs4Status.NO_GRACE,
                        held -> commit(f(), 0, WHOLE, 1, held.layout(), 0)),
                row(
                        "LAYOUTCOMMIT without a file",
                        Nfs4Status.NOFILEHANDLE,
                        held -> commit(new Ops(), 0, WHOLE, 0, held.layout(), 0)));
    }

    static Stream<Row> layoutReturns() {
        return Stream.of(
                giveBack("of the file", Nfs4Status.OK, 0, FLEX_FILES, ANY, 0, WHOLE),
                giveBack("of a part", Nfs4Status.OK, 0, FLEX_FILES, RW, 5, 5),
                giveBack("of nothing", Nfs4Status.OK, 0, FLEX_FILES, ANY, 0, 0),
                giveBack("of a byte behind the last", Nfs4Status.INVAL, 0, FLEX_FILES, ANY, -1, 1),
                giveBack("beyond 2^64", Nfs4Status.INVAL, 0, FLEX_FILES, ANY, MAX_OFFSET, 5),
                giveBack("of another type", Nfs4Status.UNKNOWN_LAYOUTTYPE, 0, NFSV4_1_FILES, ANY, 0, WHOLE),
                giveBack("for no mode", Nfs4Status.BADXDR, 0, FLEX_FILES, 0, 0, WHOLE),
                giveBack("for more modes than there are", Nfs4Status.BADXDR, 0, FLEX_FILES, 4, 0, WHOLE),
                giveBack("after the grace period", Nfs4Status.NO_GRACE, 1, FLEX_FILES, ANY, 0, WHOLE),
                row("LAYOUTRETURN with another file's layout", Nfs4Status.BAD_STATEID, held -> file("r")
                        .layoutReturn(ANY, held.layout())),
                row("LAYOUTRETURN with a seqid of 0", Nfs4Status.BAD_STATEID, held -> f().layoutReturn(
                                ANY, withSeqid(held.layout(), 0))),
                row("LAYOUTRETURN without a file", Nfs4Status.NOFILEHANDLE, held -> new Ops()
                        .layoutReturn(ANY, held.layout())),
                row("LAYOUTRETURN of a file system", Nfs4Status.OK, held -> bulk(f(), 0, OF_FSID)),
                row("LAYOUTRETURN of a file system that reclaims", Nfs4Status.INVAL, held -> bulk(f(), 1, OF_FSID)),
                row(
                        "LAYOUTRETURN of a file system without a file",
                        Nfs4Status.NOFILEHANDLE,
                        held -> bulk(new Ops(), 0, OF_FSID)),
                row("LAYOUTRETURN of all", Nfs4Status.OK, held -> bulk(new Ops(), 0, OF_ALL)),
                row("LAYOUTRETURN of all that reclaims", Nfs4Status.INVAL, held -> bulk(new Ops(), 1, OF_ALL)),
                row("LAYOUTRETURN of something else", Nfs4Status.BADXDR, held -> bulk(f(), 0, 4)));
    }

    static Stream<Row> getDeviceInfos() {
        return Stream.of(
                row(
                        "GETDEVICEINFO",
                        Nfs4Status.OK,
                        held -> device(held.device().id().low(), held, FLEX_FILES, ROOM)),
                row(
                        "GETDEVICEINFO for notifications alone",
                        Nfs4Status.OK,
                        held -> device(held.device().id().low(), held, FLEX_FILES, 0)),
                row("GETDEVICEINFO of another", Nfs4Status.NOENT, held -> device(7, held, FLEX_FILES, ROOM)),
                row(
                        "GETDEVICEINFO of another for notifications alone",
                        Nfs4Status.NOENT,
                        held -> device(7, held, FLEX_FILES, 0)),
                row(
                        "GETDEVICEINFO of another type",
                        Nfs4Status.UNKNOWN_LAYOUTTYPE,
                        held -> device(held.device().id().low(), held, NFSV4_1_FILES, ROOM)),
                row(
                        "GETDEVICEINFO with little room",
                        Nfs4Status.TOOSMALL,
                        held -> device(held.device().id().low(), held, FLEX_FILES, 20)));
    }

    private static Ops device(long low, Held held, int type, int room) {
        return new Ops()
                .add(
                        OpCode.GETDEVICEINFO,
                        c -> c.hyper(held.device().id().high()).hyper(low).words(type, room, 0));
    }

    @ParameterizedTest
    @MethodSource({"layoutGets", "layoutCommits", "layoutReturns", "getDeviceInfos"})
    void request_endsAsTheRfcSays(Row row) {
        Held held = held();

        assertThat(held.client().statusOf(row.request().of(held))).isEqualTo(row.status());
    }

    @Test
    void layoutGet_inTheGracePeriod_isGrace(@TempDir Path state) {
        try (V4Server restarting = V4Server.withLayouts(state, new DataServers(List.of(one), 1))) {
            V4Client.callable(restarting, "a", 0).create("f");
            V4Client.callable(restarting, "b", 0).create("g");
            restarting.program().close();
            restarting.start();
            V4Client again = V4Client.callable(restarting, "a", 0);

            assertThat(again.statusOf(f().layoutGet(READ, Ops.ANONYMOUS))).isEqualTo(Nfs4Status.GRACE);

            restarting.pass(V4Server.LEASE.plusSeconds(1));
            V4Client later = V4Client.callable(restarting, "c", 0);
            assertThat(later.statusOf(f().layoutGet(READ, Ops.ANONYMOUS))).isEqualTo(Nfs4Status.BAD_STATEID);
        }
    }
}
