package org.warpnfs.nfs.mount;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.UnaryOperator;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.payload.PayloadPool;

/** {@code /srv} for every host and {@code /srv/team/private} for one: by NFSv3 and MOUNT nobody else gets there. */
class NestedMountsTest {
    private static final InetSocketAddress MEMBER = at("192.0.2.1");
    private static final InetSocketAddress STRANGER = at("192.0.2.2");
    private static final int LOOKUP = 3;
    private static final int RMDIR = 13;
    private static final int RENAME = 14;
    private static final int READDIRPLUS = 17;
    private static final int OK = 0;
    private static final int ACCES = 13;

    @TempDir
    Path srv;

    private LocalFileSystem outer;
    private LocalFileSystem inner;
    private ExportPolicy forMember;
    private Export above;
    private Export nested;
    private ExportTable exports;
    private NfsHandles handles;
    private Nfs3Program nfs;
    private MountProgram mount;
    private int xid;

    private static InetSocketAddress at(String host) {
        return new InetSocketAddress(InetAddresses.forString(host), 700);
    }

    @BeforeEach
    void start() throws Exception {
        Path secret = Files.createDirectories(srv.resolve("team/private/deep"));
        for (Path directory = secret; !directory.equals(srv.getParent()); directory = directory.getParent()) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        Files.createDirectory(srv.resolve("other"));
        outer = LocalFileSystem.open(srv, LocalOptions.DEFAULTS);
        inner = LocalFileSystem.open(srv.resolve("team/private"), LocalOptions.DEFAULTS);
        ExportOptions trusting = ExportOptions.DEFAULTS.withSquash(Squash.NONE);
        above = Export.of(PseudoPath.of("/srv"), outer, trusting, "outer");
        forMember = ExportPolicy.of(List.of(new ExportRule(HostPattern.of("192.0.2.1", HostNames.NONE), trusting)));
        nested = Export.of(PseudoPath.of("/srv/team/private"), inner, forMember, "inner");
        exports = ExportTable.of(List.of(above, nested));
        handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        mount = new MountProgram(exports, handles);
        nfs = new Nfs3Program(new Nfs3Server(
                exports,
                handles,
                new PayloadPool(4L << 20, 1 << 20),
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)));
    }

    @AfterEach
    void stop() throws Exception {
        outer.close();
        inner.close();
    }

    private ReplyReader send(
            RpcDispatchable program, InetSocketAddress from, int number, int procedure, UnaryOperator<CallWriter> args)
            throws Exception {
        CallWriter call = CallWriter.call(++xid, number, 3, procedure).authSys(0, 0);
        ReplyReader reply =
                new ReplyReader(ReplyKeeper.call(program, from, args.apply(call).toBytes()));
        assertThat(reply.stat()).isEqualTo(ReplyReader.SUCCESS);
        return reply;
    }

    private int mounted(InetSocketAddress from, String path) throws Exception {
        return send(mount, from, MountProgram.PROGRAM, 1, call -> call.string(path))
                .word();
    }

    private ReplyReader nfs(InetSocketAddress from, int procedure, UnaryOperator<CallWriter> args) throws Exception {
        return send(nfs, from, Nfs3Program.PROGRAM, procedure, args);
    }

    private byte[] handleOf(InetSocketAddress from, String path) throws Exception {
        ReplyReader reply = send(mount, from, MountProgram.PROGRAM, 1, call -> call.string(path));
        assertThat(reply.word()).as(path).isEqualTo(OK);
        return reply.opaque(64);
    }

    @Test
    void mount_belowAnExportWhoseDirectoryTheHostRenamed_isThatOfTheNestedExport() throws Exception {
        assertThat(mounted(STRANGER, "/srv/team/private")).isEqualTo(ACCES);
        assertThat(mounted(STRANGER, "/srv/team/private/deep")).isEqualTo(ACCES);

        Files.move(srv.resolve("team"), srv.resolve("x"));
        assertThat(mounted(STRANGER, "/srv/x")).isEqualTo(OK);
        assertThat(mounted(STRANGER, "/srv/x/private")).isEqualTo(ACCES);
        assertThat(mounted(STRANGER, "/srv/x/private/deep")).isEqualTo(ACCES);
        assertThat(handleOf(MEMBER, "/srv/x/private")).isEqualTo(handleOf(MEMBER, "/srv/team/private"));
    }

    @Test
    void walk_mountPointThatTheHostRenamed_leadsIntoTheNestedExportAlone() throws Exception {
        Files.move(srv.resolve("team/private"), srv.resolve("other/shown"));

        assertThat(mounted(STRANGER, "/srv/other/shown")).isEqualTo(ACCES);
        assertThat(handleOf(MEMBER, "/srv/other/shown")).isEqualTo(handleOf(MEMBER, "/srv/team/private"));
        byte[] other = handleOf(STRANGER, "/srv/other");
        assertThat(nfs(STRANGER, LOOKUP, call -> call.opaque(other).string("shown"))
                        .word())
                .isEqualTo(ACCES);
        assertThat(nfs(MEMBER, LOOKUP, call -> call.opaque(other).string("shown"))
                        .word())
                .isEqualTo(OK);
        assertThat(handlesListed(other)).as("of . and ..").isEqualTo(2);
    }

    @Test
    void lookup_ofANestedExportThatIsNotShown_leadsIntoItAllTheSame_sinceNothingElseIsThere() throws Exception {
        byte[] team = handleOf(MEMBER, "/srv/team");
        ReplyReader found = nfs(MEMBER, LOOKUP, call -> call.opaque(team).string("private"));
        assertThat(found.word()).isEqualTo(OK);
        assertThat(found.opaque(64)).isEqualTo(handleOf(MEMBER, "/srv/team/private"));

        Files.move(srv.resolve("team/private"), srv.resolve("other/shown"));
        byte[] other = handleOf(MEMBER, "/srv/other");
        found = nfs(MEMBER, LOOKUP, call -> call.opaque(other).string("shown"));
        assertThat(found.word()).isEqualTo(OK);
        assertThat(found.opaque(64)).isEqualTo(handleOf(MEMBER, "/srv/team/private"));
    }

    @Test
    void parent_ofADirectoryThatTheHostMovedIntoANestedExport_isThatExportsRoot() throws Exception {
        byte[] other = handleOf(STRANGER, "/srv/other");
        Files.move(srv.resolve("other"), srv.resolve("team/private/other"));

        assertThat(nfs(STRANGER, LOOKUP, call -> call.opaque(other).string(".."))
                        .word())
                .isEqualTo(ACCES);
        assertThat(handlesListed(other)).as("of . alone").isEqualTo(1);
        assertThat(exports.parentOf(Caller.ROOT, handles.decode(other))).isEqualTo(nested.root());
    }

    @Test
    void walk_innermostExportThatTheHostMovedIntoTheOutermost_leadsIntoTheInnermost() throws Exception {
        try (LocalFileSystem deep = LocalFileSystem.open(srv.resolve("team/private/deep"), LocalOptions.DEFAULTS)) {
            Export innermost = Export.of(PseudoPath.of("/srv/team/private/deep"), deep, forMember, "deep");
            exports.replace(List.of(above, nested, innermost));
            Files.move(srv.resolve("team/private/deep"), srv.resolve("other/deep"));

            assertThat(mounted(STRANGER, "/srv/other/deep")).isEqualTo(ACCES);
            assertThat(handleOf(MEMBER, "/srv/other/deep")).isEqualTo(handleOf(MEMBER, "/srv/team/private/deep"));
        }
    }

    /** Number of entries that a listing gives a handle of. */
    private int handlesListed(byte[] directory) throws Exception {
        ReplyReader reply = nfs(
                STRANGER,
                READDIRPLUS,
                call -> call.opaque(directory).hyper(0).hyper(0).words(4096, 8192));
        assertThat(reply.word()).isEqualTo(OK);
        skipAttributes(reply);
        reply.hyper();
        int handles = 0;
        while (reply.word() == 1) {
            reply.hyper();
            reply.string();
            reply.hyper();
            skipAttributes(reply);
            if (reply.word() == 1) {
                reply.opaque(64);
                handles++;
            }
        }
        return handles;
    }

    /** post_op_attr. */
    private static void skipAttributes(ReplyReader reply) {
        for (int words = reply.word() * 21; words > 0; words--) {
            reply.word();
        }
    }

    @Test
    void rename_ofADirectoryAboveAnExport_isAccesAndNothingMoves() throws Exception {
        byte[] root = handles.encode(above.root());
        assertThat(rename(root, "team", root, "x")).isEqualTo(ACCES);
        assertThat(rename(root, "other", root, "team")).isEqualTo(ACCES);
        assertThat(srv.resolve("team/private")).isDirectory();
        assertThat(srv.resolve("other")).isDirectory();
        assertThat(rename(root, "other", root, "another")).isEqualTo(OK);
        assertThat(nfs(STRANGER, RMDIR, call -> call.opaque(root).string("team"))
                        .word())
                .as("NOTEMPTY")
                .isEqualTo(66);
    }

    @Test
    void rename_ofADirectoryAboveAnExport_thatTheHostRenamed_isAccesToo() throws Exception {
        Files.move(srv.resolve("team"), srv.resolve("other/team2"));
        byte[] other = handleOf(STRANGER, "/srv/other");
        assertThat(rename(other, "team2", other, "x")).isEqualTo(ACCES);
        assertThat(srv.resolve("other/team2")).isDirectory();
    }

    private int rename(byte[] from, String name, byte[] to, String newName) throws Exception {
        return nfs(
                        STRANGER,
                        RENAME,
                        call -> call.opaque(from).string(name).opaque(to).string(newName))
                .word();
    }
}
