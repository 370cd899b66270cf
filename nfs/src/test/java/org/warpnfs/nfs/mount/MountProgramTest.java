package org.warpnfs.nfs.mount;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.KeptHostNames;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.CapturedMessages;
import org.warpnfs.nfs.testing.CapturedMessages.Message;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.testing.ReplyReader;

class MountProgramTest {
    private static final int MNT = 1;
    private static final int DUMP = 2;
    private static final int UMNT = 3;
    private static final int UMNTALL = 4;
    private static final int EXPORT = 5;
    private static final int EXPORTALL = 6;
    private static final int PATHCONF = 7;

    private final FileSystem fs = new MemoryFileSystem(1 << 20, 100);
    private final Export srv = Export.of(PseudoPath.of("/srv"), fs, ExportOptions.DEFAULTS, "memory");
    private final Export home =
            Export.of(PseudoPath.of("/home/all"), new MemoryFileSystem(1 << 20, 100), ExportOptions.DEFAULTS, "memory");
    private final ExportTable exports = ExportTable.of(List.of(srv, home));
    private final NfsHandles handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    private final MountProgram program = new MountProgram(exports, handles);
    private FileHandle deep;

    @BeforeEach
    void makeTree() throws FsException {
        FileHandle top = directory(fs.root(), "top", 0755);
        deep = directory(top, "deep", 0700);
        directory(deep, "below", 0755);
        fs.create(
                Caller.ROOT,
                fs.root(),
                FileName.of("file"),
                new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)));
        fs.makeSymlink(
                Caller.ROOT,
                fs.root(),
                FileName.of("out"),
                "/etc".getBytes(StandardCharsets.US_ASCII),
                AttributeChanges.NONE);
    }

    private FileHandle directory(FileHandle in, String name, int permissions) throws FsException {
        return fs.makeDirectory(Caller.ROOT, in, FileName.of(name), AttributeChanges.ofPermissions(permissions))
                .handle();
    }

    private ReplyReader send(int lastOctet, byte[] message) {
        try {
            InetAddress client = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) lastOctet});
            return new ReplyReader(ReplyKeeper.call(program, new InetSocketAddress(client, 700), message));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static CallWriter call(int version, int procedure) {
        return CallWriter.call(1, MountProgram.PROGRAM, version, procedure).authSys(0, 0);
    }

    private ReplyReader mount(String path) {
        return send(1, call(3, MNT).string(path).toBytes());
    }

    private List<String> dump() {
        ReplyReader reply = send(1, call(3, DUMP).toBytes());
        List<String> mounts = new ArrayList<>();
        while (reply.bool()) {
            mounts.add(reply.string() + ":" + reply.string());
        }
        assertThat(reply.remaining()).isZero();
        return mounts;
    }

    private void assertMounts(String path, Location location) {
        ReplyReader reply = mount(path);
        assertThat(reply.stat()).isEqualTo(ReplyReader.SUCCESS);
        assertThat(reply.word()).as(path).isZero();
        assertThat(reply.opaque(64)).isEqualTo(handles.encode(location));
        assertThat(reply.word()).isEqualTo(2);
        assertThat(reply.word()).as("AUTH_SYS").isEqualTo(1);
        assertThat(reply.word()).as("AUTH_NONE").isZero();
        assertThat(reply.remaining()).isZero();
    }

    private void assertRefused(String path, MountStatus status) {
        ReplyReader reply = mount(path);
        assertThat(reply.word()).as(path).isEqualTo(status.code());
        assertThat(reply.remaining()).isZero();
    }

    @Test
    void mnt_exportOrDirectoryBelowOne_isItsHandle() {
        assertMounts("/srv", srv.root());
        assertMounts("//srv///", srv.root());
        assertMounts("/srv/.", srv.root());
        assertMounts("/home/all", home.root());
        assertMounts("/srv/top/deep", new Location(srv, deep));
    }

    @Test
    void mnt_pathsThatLeadElsewhere_areRefused() {
        assertRefused("/", MountStatus.NOENT);
        assertRefused("/home", MountStatus.NOENT);
        assertRefused("/srvx", MountStatus.NOENT);
        assertRefused("", MountStatus.NOENT);
        assertRefused("srv", MountStatus.NOENT);
        assertRefused("/srv/missing", MountStatus.NOENT);
        assertRefused("/srv/file", MountStatus.NOTDIR);
        assertRefused("/srv/file/x", MountStatus.NOTDIR);
        assertRefused("/srv/out", MountStatus.NOTDIR);
        assertRefused("/srv/../etc", MountStatus.INVAL);
        assertRefused("/srv/top/..", MountStatus.INVAL);
        assertRefused("/srv/a\0b", MountStatus.INVAL);
        assertRefused("/srv/" + "n".repeat(256), MountStatus.NAMETOOLONG);
        assertRefused("/srv/top/deep/below", MountStatus.ACCES);
        assertThat(dump()).isEmpty();
    }

    @Test
    void mnt_singleExportAtSlash_isMountedWithAnyPathBelow() {
        Export all = Export.of(PseudoPath.root(), fs, ExportOptions.DEFAULTS, "memory");
        ExportTable table = ExportTable.of(List.of(all));
        MountProgram single = new MountProgram(table, new NfsHandles(table, new byte[16]));
        // An empty path is what libnfs asks for if a file lies at the root: nfs://HOST/file.
        for (String path : new String[] {"/", "/top", "/top/deep", ""}) {
            try {
                byte[] reply = ReplyKeeper.call(
                        single,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                        call(3, MNT).string(path).toBytes());
                assertThat(new ReplyReader(reply).word()).isZero();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void mnt_pathBeyondTheLimit_isGarbage() {
        assertThat(mount("/".repeat(1025)).stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
        assertThat(mount("/".repeat(1024)).word()).isEqualTo(MountStatus.NOENT.code());
        assertThat(send(1, call(3, MNT).words(-1).toBytes()).stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
        assertThat(send(1, call(3, UMNT).words(8).toBytes()).stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
    }

    @Test
    void mnt_ofLinux_isAnsweredAsKnfsdDid() {
        List<Message> calls = CapturedMessages.calls(MountProgram.PROGRAM);
        assertThat(calls).hasSize(2);
        ReplyReader ping = send(1, calls.get(0).toBytes());
        assertThat(ping.stat()).isEqualTo(ReplyReader.SUCCESS);
        assertThat(ping.remaining()).isZero();
        ReplyReader reply = send(1, calls.get(1).toBytes());
        assertThat(reply.word()).isZero();
        assertThat(reply.opaque(64)).isEqualTo(handles.encode(srv.root()));
        byte[] whole = calls.get(1).toBytes();
        for (int length = whole.length - 8; length < whole.length; length++) {
            assertThat(send(1, Arrays.copyOf(whole, length)).stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void versions1And2_everythingButMnt_isServed(int version) {
        assertThat(send(1, call(version, MNT).string("/srv").toBytes()).word()).isEqualTo(MountStatus.ACCES.code());
        assertThat(send(1, call(version, EXPORT).toBytes()).bool()).isTrue();
        assertThat(send(1, call(version, DUMP).toBytes()).bool()).isFalse();
        assertThat(send(1, call(version, UMNT).string("/srv").toBytes()).stat()).isEqualTo(ReplyReader.SUCCESS);
        assertThat(send(1, call(version, 0).toBytes()).stat()).isEqualTo(ReplyReader.SUCCESS);
    }

    @Test
    void versions_others_areMismatches() {
        for (int version : new int[] {0, 4}) {
            ReplyReader other = send(1, call(version, 0).toBytes());
            assertThat(other.stat()).isEqualTo(ReplyReader.PROG_MISMATCH);
            assertThat(other.word()).isEqualTo(1);
            assertThat(other.word()).isEqualTo(3);
        }
    }

    @Test
    void procedures_ofVersion2_areItsAlone() {
        assertThat(send(1, call(2, EXPORTALL).toBytes()).bool()).isTrue();
        for (int version : new int[] {1, 3}) {
            assertThat(send(1, call(version, EXPORTALL).toBytes()).stat()).isEqualTo(ReplyReader.PROC_UNAVAIL);
            assertThat(send(1, call(version, PATHCONF).string("/srv").toBytes()).stat())
                    .isEqualTo(ReplyReader.PROC_UNAVAIL);
        }
        assertThat(send(1, call(2, 8).toBytes()).stat()).isEqualTo(ReplyReader.PROC_UNAVAIL);
    }

    @Test
    void pathconf_directory_isThatOfItsFileSystem_andNothingElsewhere() {
        ReplyReader reply = send(1, call(2, PATHCONF).string("/srv/top").toBytes());
        assertThat(reply.word()).isEqualTo(fs.limits().maxLinks());
        assertThat(reply.word()).isEqualTo(255);
        assertThat(reply.word()).isEqualTo(255);
        assertThat(reply.word()).isEqualTo(fs.limits().maxNameBytes());
        assertThat(reply.word()).isEqualTo(4096);
        assertThat(reply.remaining()).as("pipe_buf, vdisable, xxx, mask[2]").isEqualTo(5 * 4);
        ReplyReader nothing = send(1, call(2, PATHCONF).string("/nowhere").toBytes());
        assertThat(nothing.remaining()).isEqualTo(10 * 4);
        assertThat(nothing.word()).isZero();
        assertThat(send(1, call(2, PATHCONF).words(-1).toBytes()).stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
    }

    @Test
    void export_all_areListedForEveryone() {
        ReplyReader reply = send(1, call(3, EXPORT).toBytes());
        for (String path : new String[] {"/srv", "/home/all"}) {
            assertThat(reply.bool()).isTrue();
            assertThat(reply.string()).isEqualTo(path);
            assertThat(reply.bool()).as("groups").isFalse();
        }
        assertThat(reply.bool()).isFalse();
        assertThat(reply.remaining()).isZero();
    }

    @Test
    void dump_mountsAndUnmounts_areKept() {
        mount("/srv");
        mount("/srv");
        mount("/srv/top");
        send(2, call(3, MNT).string("/srv").toBytes());
        assertThat(dump()).containsExactly("127.0.0.1:/srv", "127.0.0.1:/srv/top", "127.0.0.2:/srv");
        send(1, call(3, UMNT).string("/srv").toBytes());
        assertThat(dump()).containsExactly("127.0.0.1:/srv/top", "127.0.0.2:/srv");
        send(1, call(1, UMNTALL).toBytes());
        assertThat(dump()).containsExactly("127.0.0.2:/srv");
    }

    @Test
    void dump_tooManyMounts_forgetsTheOldest() {
        MountTable table = new MountTable();
        for (int i = 0; i < 2 * MountTable.MAX_ENTRIES; i++) {
            table.add(new MountTable.Entry("client", "/" + i));
        }
        assertThat(table.entries()).hasSize(MountTable.MAX_ENTRIES);
        assertThat(table.entries().getLast().directory()).isEqualTo("/" + (2 * MountTable.MAX_ENTRIES - 1));
    }

    /** Any peer that reaches the port may send any number of paths of a kilobyte each. */
    @Test
    void mounts_many_areLoggedOnceForEachClientAndOutcome() {
        Logger logger = (Logger) LoggerFactory.getLogger(MountProgram.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        try {
            for (int i = 0; i < 50; i++) {
                assertMounts("/srv", new Location(srv, fs.root()));
                mount("/nowhere" + i);
                send(2, call(3, MNT).string("/nowhere").toBytes());
            }
        } finally {
            logger.setLevel(before);
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "127.0.0.1 mounts /srv (0 more like it)",
                        "127.0.0.1 may not mount /nowhere0: NOENT (0 more like it)",
                        "127.0.0.2 may not mount /nowhere: NOENT (0 more like it)");
    }

    /** Any peer can ask for a DUMP with forty bytes. The mounts of others must not make its reply arbitrarily long. */
    @Test
    void dump_ofManyLongPaths_isShortAndHasTheLatest() {
        String longest = "/".repeat(MountPath.MAX_LENGTH_BYTES - 3) + "srv";
        for (int i = 0; i + 4 <= MountPath.MAX_LENGTH_BYTES; i++) {
            assertMounts(longest.substring(longest.length() - 4 - i), new Location(srv, fs.root()));
        }
        ReplyReader reply = send(1, call(3, DUMP).toBytes());
        assertThat(reply.remaining()).isLessThanOrEqualTo(49 << 10);
        assertThat(dump()).hasSizeGreaterThan(30).contains("127.0.0.1:" + longest);
    }

    @Test
    void exportForSomeHosts_othersMayNotMountIt_andAllSeeForWhomItIs() throws Exception {
        ExportOptions options = ExportOptions.DEFAULTS.withFlavors(List.of(Flavor.SYS));
        Export some = Export.of(
                PseudoPath.of("/some"),
                fs,
                ExportPolicy.of(List.of(
                        new ExportRule(HostPattern.of("192.0.2.0/24", HostNames.NONE), options),
                        new ExportRule(HostPattern.of("192.0.2.7", HostNames.NONE), options.withPrivilegedPort(true)))),
                "memory");
        ExportTable table = ExportTable.of(List.of(some));
        MountProgram program = new MountProgram(table, new NfsHandles(table, new byte[16]));
        byte[] mount = call(3, MNT).string("/some").toBytes();
        ReplyReader served = new ReplyReader(ReplyKeeper.call(program, from("192.0.2.1", 40_000), mount));
        assertThat(served.word()).isZero();
        served.opaque(64);
        assertThat(served.word()).as("flavors").isEqualTo(1);
        assertThat(served.word()).as("AUTH_SYS").isEqualTo(1);
        assertThat(status(program, from("198.51.100.1", 900), mount)).isEqualTo(MountStatus.ACCES.code());
        assertThat(status(program, from("192.0.2.7", 40_000), mount)).isEqualTo(MountStatus.PERM.code());
        assertThat(status(program, from("192.0.2.7", 900), mount)).isZero();
        ReplyReader exports = new ReplyReader(ReplyKeeper.call(
                program, from("198.51.100.1", 900), call(3, EXPORT).toBytes()));
        assertThat(exports.bool()).isTrue();
        assertThat(exports.string()).isEqualTo("/some");
        for (String client : new String[] {"192.0.2.7", "192.0.2.0/24"}) {
            assertThat(exports.bool()).isTrue();
            assertThat(exports.string()).isEqualTo(client);
        }
        assertThat(exports.bool()).isFalse();
        assertThat(exports.bool()).isFalse();
    }

    /** Knows the one host, and no netgroup. */
    private static final HostNames RESOLVER = new HostNames() {
        @Override
        public Set<InetAddress> addressesOf(String name) {
            return Set.of();
        }

        @Override
        public List<String> namesOf(InetAddress address) {
            return List.of("node7.example.org");
        }

        @Override
        public boolean isInNetgroup(String netgroup, String host) {
            return false;
        }
    };

    /** A call over UDP. */
    private static final class RepeatedXdr extends Xdr implements CallLanes {
        private int left;

        RepeatedXdr(byte[] message) {
            super(message);
        }

        @Override
        public boolean isRepeated() {
            return true;
        }

        @Override
        public void leave() {
            left++;
        }

        @Override
        public ClientAddress client() {
            return ClientAddress.NONE;
        }

        @Override
        public Lane lane() {
            return Lane.LONG;
        }

        @Override
        public boolean mayWait() {
            return false;
        }

        @Override
        public void proceed(Lane lane, LaneTask rest) {
            throw new AssertionError("it has no need to");
        }

        @Override
        public Runnable onConnectionEnd(Runnable task) {
            throw new AssertionError("there is none");
        }
    }

    /** Otherwise a peer that forges addresses could make every thread of the lane wait. */
    @Test
    void mountOverUdp_whileAResolverFindsOutWhoCalls_isLeftToBeRepeated() throws Exception {
        HostNames names = new KeptHostNames(RESOLVER, _ -> {}, System::nanoTime);
        Export some = Export.of(
                PseudoPath.of("/some"),
                fs,
                ExportPolicy.of(
                        List.of(new ExportRule(HostPattern.of("*.example.org", names), ExportOptions.DEFAULTS))),
                "memory");
        ExportTable table = ExportTable.of(List.of(some));
        MountProgram program = new MountProgram(table, new NfsHandles(table, new byte[16]));
        byte[][] calls = {
            call(3, MNT).string("/some").toBytes(),
            call(2, PATHCONF).string("/some").toBytes()
        };
        for (byte[] message : calls) {
            RepeatedXdr xdr = new RepeatedXdr(message);
            xdr.beginDecoding();
            int xid = xdr.xdrDecodeInt();
            xdr.xdrDecodeInt();
            RpcCall call = new RpcCall(xid, xdr, new ReplyKeeper(from("192.0.2.7", 900)));
            call.accept();
            // A thread that waited for the resolver would wait for ten seconds.
            program.dispatchOncRpcCall(call);
            assertThat(xdr.left).isEqualTo(1);
        }
    }

    @Test
    void mount_whileAResolverFindsOutWhoCalls_waitsForIt() throws Exception {
        BlockingQueue<Runnable> questions = new LinkedBlockingQueue<>();
        HostNames names = new KeptHostNames(RESOLVER, questions::add, System::nanoTime);
        Export some = Export.of(
                PseudoPath.of("/some"),
                fs,
                ExportPolicy.of(
                        List.of(new ExportRule(HostPattern.of("*.example.org", names), ExportOptions.DEFAULTS))),
                "memory");
        ExportTable table = ExportTable.of(List.of(some));
        MountProgram program = new MountProgram(table, new NfsHandles(table, new byte[16]));
        byte[] mount = call(3, MNT).string("/some").toBytes();
        FutureTask<Integer> mounting = new FutureTask<>(() -> status(program, from("192.0.2.7", 900), mount));
        Thread.ofPlatform().start(mounting);
        questions.take().run();
        assertThat(mounting.get()).isZero();
        assertThat(program.laneOf(MNT, ByteBuffer.allocate(0), Lane.SHORT))
                .as("not among short calls")
                .isEqualTo(Lane.LONG);
        assertThat(program.laneOf(DUMP, ByteBuffer.allocate(0), Lane.SHORT)).isEqualTo(Lane.SHORT);
    }

    private static int status(MountProgram program, InetSocketAddress from, byte[] mount) throws Exception {
        return new ReplyReader(ReplyKeeper.call(program, from, mount)).word();
    }

    private static InetSocketAddress from(String address, int port) {
        return new InetSocketAddress(InetAddresses.forString(address), port);
    }
}
