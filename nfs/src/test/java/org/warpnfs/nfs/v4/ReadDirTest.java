package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** READDIR: its parts, its limits, and entries whose attributes are unavailable. */
class ReadDirTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private static Nfs4Status readDir(V4Client client, long cookie, int dirCount, int maxCount) {
        return client.statusOf(new Ops().data().readDir(cookie, dirCount, maxCount));
    }

    @Test
    void readDir_ofManyNames_listsThemInPieces() {
        for (int i = 0; i < 300; i++) {
            server.newFile("name-" + "x".repeat(100) + i, 0644, new byte[0]);
        }

        List<String> names = new ArrayList<>();
        long cookie = 0;
        boolean eof = false;
        while (!eof) {
            Reply reply = client.run(new Ops().data().readDir(cookie, 1000, 4096, Fattr.RDATTR_ERROR, Fattr.FILEID));
            reply.afterData().op(OpCode.READDIR);
            int start = reply.position();
            reply.hyper();
            while (reply.bool()) {
                cookie = reply.hyper();
                names.add(reply.string());
                assertThat(reply.attributes(Fattr.RDATTR_ERROR, Fattr.FILEID)).isEqualTo(12);
                assertThat(reply.word()).as("rdattr_error").isZero();
                reply.hyper();
            }
            eof = reply.bool();
            assertThat(reply.position() - start).isLessThanOrEqualTo(4096);
            reply.end();
        }

        assertThat(names).hasSize(300).doesNotHaveDuplicates();
    }

    @Test
    void readDir_cookieThatWasNeverGiven_isBadCookie() {
        assertThat(readDir(client, 1, 100, 4096)).isEqualTo(Nfs4Status.BAD_COOKIE);
        assertThat(readDir(client, 2, 100, 4096)).isEqualTo(Nfs4Status.BAD_COOKIE);
    }

    @Test
    void readDir_inLessThanOneEntryTakes_isTooSmall() {
        server.newFile("name-" + "x".repeat(100), 0644, new byte[0]);

        assertThat(readDir(client, 0, 0, 60)).isEqualTo(Nfs4Status.TOOSMALL);
    }

    /** A directory that its owner may read but not search, with one file. */
    private FileAttributes readableOnly() throws FsException {
        Caller owner = new Caller(1000, 100, List.of());
        FileHandle directory = server.fs
                .makeDirectory(owner, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0700))
                .handle();
        FileAttributes file = server.fs
                .create(
                        owner,
                        directory,
                        FileName.of("f"),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0600)))
                .node()
                .attributes();
        server.fs.setAttributes(owner, directory, AttributeChanges.ofPermissions(0400));
        return file;
    }

    /** READDIR of it, up to the only entry's attributes. */
    private Reply entryOfReadableOnly(int... attributes) {
        client.uid = 1000;
        Reply reply = client.run(new Ops().data().lookup("d").readDir(0, 1000, 4096, attributes));
        reply.afterFile();
        reply.op(OpCode.READDIR);
        reply.hyper();
        assertThat(reply.bool()).as("an entry").isTrue();
        reply.hyper();
        assertThat(reply.string()).isEqualTo("f");
        return reply;
    }

    @Test
    void readDir_directoryThatMayNotBeSearched_hasFileIdsAsLinuxAsksForThem() throws Exception {
        long fileId = readableOnly().fileId();
        // rdattr_error and mounted_on_fileid: what Linux asks for if it wants names alone.
        Reply reply = entryOfReadableOnly(Fattr.RDATTR_ERROR, Fattr.MOUNTED_ON_FILEID);

        assertThat(reply.attributes(Fattr.RDATTR_ERROR, Fattr.MOUNTED_ON_FILEID))
                .isEqualTo(12);
        assertThat(reply.word()).as("rdattr_error").isZero();
        assertThat(reply.hyper()).isEqualTo(fileId);
        assertThat(reply.bool()).as("another entry").isFalse();
        assertThat(reply.bool()).as("eof").isTrue();
    }

    @Test
    void readDir_attributesThatCannotBeHad_hasErrorAndWhatIsKnown() throws Exception {
        long fileId = readableOnly().fileId();

        Reply reply = entryOfReadableOnly(
                Fattr.TYPE,
                Fattr.CHANGE,
                Fattr.SIZE,
                Fattr.FSID,
                Fattr.RDATTR_ERROR,
                Fattr.FILEHANDLE,
                Fattr.FILEID,
                Fattr.MODE);

        int[] bitmap = reply.bitmap();
        assertThat(bitmap).hasSize(1);
        assertThat(bitmap[0] | 1 << Fattr.TYPE).isEqualTo(Fattr.mask(Fattr.TYPE, Fattr.RDATTR_ERROR, Fattr.FILEID)[0]);
        int length = reply.word();
        if ((bitmap[0] & 1 << Fattr.TYPE) != 0) {
            assertThat(reply.word()).as("a regular file").isEqualTo(1);
            length -= 4;
        }
        assertThat(length).isEqualTo(12);
        assertThat(reply.word()).isEqualTo(Nfs4Status.ACCESS.code());
        assertThat(reply.hyper()).isEqualTo(fileId);
    }

    @Test
    void readDir_attributesThatCannotBeHadAndNobodyAsksWhy_hasWhatIsKnown() throws Exception {
        long fileId = readableOnly().fileId();

        Reply reply = entryOfReadableOnly(Fattr.SIZE, Fattr.FILEID, Fattr.MODE);

        assertThat(reply.attributes(Fattr.FILEID)).isEqualTo(8);
        assertThat(reply.hyper()).isEqualTo(fileId);
    }

    @Test
    void readDir_ofThePseudoRoot_listsExportsByTheirRoots() {
        Reply reply = client.run(new Ops().root().readDir(0, 0, 4096, Fattr.FSID, Fattr.MOUNTED_ON_FILEID));

        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.READDIR);
        reply.hyper();
        int entries = 0;
        while (reply.bool()) {
            reply.hyper();
            reply.string();
            assertThat(reply.attributes(Fattr.FSID, Fattr.MOUNTED_ON_FILEID)).isEqualTo(24);
            assertThat(reply.hyper())
                    .as("fsid of the export, not of the virtual directory")
                    .isNotZero();
            reply.words(4);
            entries++;
        }
        assertThat(entries).isEqualTo(3);
    }
}
