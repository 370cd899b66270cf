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

/** Directories listed through READDIR. */
class ListingTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void directory_ofManyNames_isListedInPieces() {
        for (int i = 0; i < 300; i++) {
            server.newFile("name-" + "x".repeat(100) + i, 0644, new byte[0]);
        }
        List<String> names = new ArrayList<>();
        long cookie = 0;
        boolean eof = false;
        while (!eof) {
            long from = cookie;
            Reply reply = client.run(new Ops()
                    .data()
                    .add(OpCode.READDIR, c -> c.hyper(from).hyper(0).words(1000, 4096, 2, 1 << 20 | 1 << 11, 0)));
            reply.afterData().op(OpCode.READDIR);
            int start = reply.position();
            reply.hyper();
            while (reply.bool()) {
                cookie = reply.hyper();
                names.add(reply.string());
                assertThat(reply.words(4)).startsWith(1, 1 << 20 | 1 << 11, 12);
                reply.words(2);
            }
            eof = reply.bool();
            assertThat(reply.position() - start).isLessThanOrEqualTo(4096);
            reply.end();
        }
        assertThat(names).hasSize(300).doesNotHaveDuplicates();
        for (long bad : new long[] {1, 2}) {
            assertThat(client.statusOf(new Ops()
                            .data()
                            .add(OpCode.READDIR, c -> c.hyper(bad).hyper(0).words(100, 4096, 0))))
                    .isEqualTo(Nfs4Status.BAD_COOKIE);
        }
        assertThat(client.statusOf(new Ops()
                        .data()
                        .add(OpCode.READDIR, c -> c.hyper(0).hyper(0).words(0, 60, 0))))
                .isEqualTo(Nfs4Status.TOOSMALL);
    }

    /** A directory of its owner's that may be read but not searched, with one file. */
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
        Reply reply = client.run(new Ops().data().lookup("d").add(OpCode.READDIR, c -> c.hyper(0)
                .hyper(0)
                .words(1000, 4096, attributes.length)
                .words(attributes)));
        reply.afterData().op(OpCode.LOOKUP);
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
        // rdattr_error and mounted_on_fileid: what Linux asks for where it wants names alone.
        Reply reply = entryOfReadableOnly(1 << 11, 1 << (55 - 32));
        assertThat(reply.words(5)).containsExactly(2, 1 << 11, 1 << (55 - 32), 12, 0);
        assertThat(reply.hyper()).isEqualTo(fileId);
        assertThat(reply.bool()).as("another entry").isFalse();
        assertThat(reply.bool()).as("eof").isTrue();
    }

    @Test
    void readDir_attributesThatCannotBeHad_hasErrorAndWhatIsKnown() throws Exception {
        long fileId = readableOnly().fileId();
        // type, change, size, fsid, rdattr_error, filehandle, fileid and mode
        Reply reply = entryOfReadableOnly(1 << 1 | 1 << 3 | 1 << 4 | 1 << 8 | 1 << 11 | 1 << 19 | 1 << 20, 1 << 1);
        int bitmap = reply.words(2)[1];
        assertThat(bitmap | 1 << 1).isEqualTo(1 << 1 | 1 << 11 | 1 << 20);
        int length = reply.word();
        if ((bitmap & 1 << 1) != 0) {
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
        Reply reply = entryOfReadableOnly(1 << 4 | 1 << 20, 1 << 1);
        assertThat(reply.words(3)).containsExactly(1, 1 << 20, 8);
        assertThat(reply.hyper()).isEqualTo(fileId);
    }

    @Test
    void pseudoRoot_listsExportsByTheirRoots() {
        Reply reply = client.run(
                new Ops().root().add(OpCode.READDIR, c -> c.hyper(0).hyper(0).words(0, 4096, 2, 1 << 8, 1 << 23)));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.READDIR);
        reply.hyper();
        int entries = 0;
        while (reply.bool()) {
            reply.hyper();
            reply.string();
            assertThat(reply.words(3)).containsExactly(2, 1 << 8, 1 << 23);
            assertThat(reply.word()).isEqualTo(24);
            assertThat(reply.hyper())
                    .as("fsid of the export, not of the virtual directory")
                    .isNotZero();
            reply.words(4);
            entries++;
        }
        assertThat(entries).isEqualTo(3);
        assertThat(client.statusOf(new Ops().root().op(OpCode.LOOKUPP))).isEqualTo(Nfs4Status.NOENT);
        Reply up = client.run(
                new Ops().root().getFh().lookup("data").op(OpCode.LOOKUPP).getFh());
        up.op(OpCode.PUTROOTFH);
        byte[] root = up.getFh();
        up.op(OpCode.LOOKUP);
        up.op(OpCode.LOOKUPP);
        assertThat(up.getFh()).isEqualTo(root);
    }
}
