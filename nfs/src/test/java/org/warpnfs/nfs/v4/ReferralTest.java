package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** {@code refer=} and {@code replicas=}: other places of a file system (RFC 7530, section 8, RFC 8881, section 11). */
class ReferralTest {
    private static final int SIZE = 1 << 4;
    private static final int FSID = 1 << 8;
    private static final int RDATTR_ERROR = 1 << 11;
    private static final int FS_LOCATIONS = 1 << 24;
    private static final int MOUNTED_ON_FILEID = 1 << 23;

    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem nothing = new MemoryFileSystem(1 << 20, 100);
    private Export away;
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() throws Exception {
        files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        files.makeDirectory(Caller.ROOT, files.root(), FileName.of("away"), AttributeChanges.ofPermissions(0777));
        away = export(
                "/data/away",
                nothing,
                new FsLocations(
                        true,
                        List.of(place("/vol/a", "one.example.org", "192.0.2.2"), place("/", "three.example.org"))));
        server = V4Server.of(ExportTable.of(List.of(
                export("/data", files, FsLocations.NONE),
                away,
                export("/twice", files, new FsLocations(false, List.of(place("/copy", "two.example.org")))))));
        client = V4Client.mounted(server, "client", 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static FsLocations.Place place(String path, String... hosts) {
        return new FsLocations.Place(List.of(hosts), PseudoPath.of(path));
    }

    private static Export export(String path, MemoryFileSystem files, FsLocations locations) {
        return Export.of(
                PseudoPath.of(path),
                files,
                ExportPolicy.everyone(ExportOptions.DEFAULTS.withSquash(Squash.NONE)),
                ExportTraits.DEFAULTS.withLocations(locations),
                "memory");
    }

    private Reply away(Ops ops) {
        Reply reply = client.run(ops);
        reply.afterFile();
        return reply;
    }

    private static void assertLocationsOfAway(Reply reply) {
        // fs_root, then two fs_location4 (RFC 8881, section 11.16), word by word.
        assertThat(reply.word()).isEqualTo(2);
        assertThat(List.of(reply.string(), reply.string())).containsExactly("data", "away");
        assertThat(reply.words(2)).containsExactly(2, 2);
        assertThat(List.of(reply.string(), reply.string())).containsExactly("one.example.org", "192.0.2.2");
        assertThat(reply.word()).isEqualTo(2);
        assertThat(List.of(reply.string(), reply.string())).containsExactly("vol", "a");
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("three.example.org");
        assertThat(reply.word()).isZero();
    }

    @Test
    void lookup_ofAReferral_isDoneAndGetFhIsMoved() {
        Reply reply = client.send(new Ops().data().lookup("away").getFh());

        assertThat(reply.status()).isEqualTo(Nfs4Status.MOVED);
        reply.afterFile();
        reply.op(OpCode.GETFH, Nfs4Status.MOVED);
    }

    @Test
    void getAttr_asLinuxAsksForAReferral_saysWhereItIs() {
        Reply reply = away(new Ops().data().lookup("away").getAttr(FSID | FS_LOCATIONS, MOUNTED_ON_FILEID));

        reply.op(OpCode.GETATTR);
        assertThat(reply.words(3)).containsExactly(2, FSID | FS_LOCATIONS, MOUNTED_ON_FILEID);
        reply.words(1);
        assertThat(reply.hyper()).isEqualTo(Integer.toUnsignedLong(away.key()));
        reply.hyper();
        assertLocationsOfAway(reply);
        reply.hyper();
        reply.end();
    }

    @Test
    void getAttr_ofWhatIsElsewhere_isMovedOrLeftOutWithTheReason() {
        assertThat(client.statusOf(new Ops().data().lookup("away").getAttr(SIZE | FSID)))
                .isEqualTo(Nfs4Status.MOVED);
        assertThat(client.statusOf(new Ops().data().lookup("away").getAttr(FSID)))
                .isEqualTo(Nfs4Status.OK);

        Reply reply = away(new Ops().data().lookup("away").getAttr(SIZE | RDATTR_ERROR));
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(4)).containsExactly(1, RDATTR_ERROR, 4, 10019);
        reply.end();

        Reply nothingMissing = away(new Ops().data().lookup("away").getAttr(RDATTR_ERROR));
        nothingMissing.op(OpCode.GETATTR);
        assertThat(nothingMissing.words(4)).containsExactly(1, RDATTR_ERROR, 4, 0);
    }

    @Test
    void handleOfAReferral_anyUseOfIt_isMoved() {
        byte[] handle = server.handles.encode(away.root());

        assertThat(client.statusOf(new Ops().putFh(handle))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().putFh(handle).add(OpCode.ACCESS, c -> c.words(0x3f))))
                .as("ACCESS")
                .isEqualTo(Nfs4Status.MOVED);
        assertThat(client.statusOf(new Ops().putFh(handle).lookup("x"))).isEqualTo(Nfs4Status.MOVED);
        assertThat(client.statusOf(new Ops().putFh(handle).openCreate("o", "f", 3, 0)))
                .isEqualTo(Nfs4Status.MOVED);
        assertThat(client.statusOf(new Ops().putFh(handle).saveFh()))
                .as("SAVEFH")
                .isEqualTo(Nfs4Status.MOVED);
        assertThat(client.statusOf(new Ops().putFh(handle).root()))
                .as("PUTROOTFH")
                .isEqualTo(Nfs4Status.OK);
    }

    private static Ops list(int word0, int word1) {
        return new Ops()
                .data()
                .add(OpCode.READDIR, c -> c.hyper(0).hyper(0).words(4096, 8192).words(2, word0, word1));
    }

    @Test
    void listing_withAReferral_saysOfItWhatGetAttrSays() {
        assertThat(client.statusOf(list(SIZE, 0))).isEqualTo(Nfs4Status.MOVED);

        Reply reply = client.run(list(SIZE | FSID | RDATTR_ERROR, MOUNTED_ON_FILEID));
        reply.afterData().op(OpCode.READDIR);
        reply.hyper();
        assertThat(reply.word()).isEqualTo(1);
        reply.hyper();
        assertThat(reply.string()).isEqualTo("away");
        assertThat(reply.words(3)).containsExactly(2, FSID | RDATTR_ERROR, MOUNTED_ON_FILEID);
        reply.words(1);
        assertThat(reply.hyper()).isEqualTo(Integer.toUnsignedLong(away.key()));
        reply.hyper();
        assertThat(reply.word()).isEqualTo(10019);
        reply.hyper();
        assertThat(reply.words(2)).as("no more, eof").containsExactly(0, 1);
    }

    @Test
    void secInfo_ofAReferral_isAnswered() {
        assertThat(client.statusOf(new Ops().data().add(OpCode.SECINFO, c -> c.string("away"))))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void replicas_areToldAndTheFilesAreHere() {
        Reply reply = client.run(new Ops().root().lookup("twice").getAttr(FS_LOCATIONS));

        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.LOOKUP);
        reply.op(OpCode.GETATTR);
        reply.words(3);
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("twice");
        assertThat(reply.words(2)).containsExactly(1, 1);
        assertThat(reply.string()).isEqualTo("two.example.org");
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("copy");
        reply.end();
        assertThat(client.statusOf(new Ops().root().lookup("twice").getFh())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void exportWithout_hasNeitherRootNorLocations() {
        Reply reply = client.run(new Ops().data().getAttr(FS_LOCATIONS));

        reply.afterData().op(OpCode.GETATTR);
        assertThat(reply.words(5)).containsExactly(1, FS_LOCATIONS, 8, 0, 0);
    }
}
