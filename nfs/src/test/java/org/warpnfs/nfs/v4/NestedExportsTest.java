package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * An export on a directory of another one: clients see the export there, and cannot get at the directory underneath.
 */
class NestedExportsTest {

    private final MemoryFileSystem outer = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem inner = new MemoryFileSystem(1 << 20, 100);
    private FileNode underneath;
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() throws Exception {
        outer.setAttributes(Caller.ROOT, outer.root(), AttributeChanges.ofPermissions(0777));
        underneath = outer.makeDirectory(
                Caller.ROOT, outer.root(), FileName.of("mnt"), AttributeChanges.ofPermissions(0777));
        inner.makeDirectory(Caller.ROOT, inner.root(), FileName.of("in"), AttributeChanges.ofPermissions(0777));
        server = V4Server.of(ExportTable.of(List.of(export("/data", outer), export("/data/mnt", inner))));
        client = V4Client.mounted(server, "client", 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Export export(String path, FileSystem files) {
        return Export.of(PseudoPath.of(path), files, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "memory");
    }

    private boolean isUnderneath() {
        try {
            return outer.lookup(Caller.ROOT, outer.root(), FileName.of("mnt"))
                    .handle()
                    .equals(underneath.handle());
        } catch (FsException e) {
            return false;
        }
    }

    @Test
    void remove_mountPoint_isFileOpenAndNothingIsRemoved() {
        assertThat(client.statusOf(new Ops().data().remove("mnt"))).isEqualTo(Nfs4Status.FILE_OPEN);
        assertThat(isUnderneath()).isTrue();
    }

    @Test
    void rename_ofAndOntoAMountPoint_isFileOpenAndNothingMoves() {
        client.create("f");

        assertThat(rename("mnt", "moved")).isEqualTo(Nfs4Status.FILE_OPEN);
        assertThat(rename("f", "mnt")).isEqualTo(Nfs4Status.FILE_OPEN);
        assertThat(isUnderneath()).isTrue();
        assertThat(rename("f", "g")).isEqualTo(Nfs4Status.OK);
    }

    private Nfs4Status rename(String from, String to) {
        return client.statusOf(new Ops().data().saveFh().rename(from, to));
    }

    /** An export two levels below another one. */
    private void nestDeeper() throws Exception {
        stop();
        FileNode team = outer.makeDirectory(
                Caller.ROOT, outer.root(), FileName.of("team"), AttributeChanges.ofPermissions(0777));
        outer.makeDirectory(Caller.ROOT, team.handle(), FileName.of("private"), AttributeChanges.ofPermissions(0777));
        server = V4Server.of(ExportTable.of(List.of(export("/data", outer), export("/data/team/private", inner))));
        client = V4Client.mounted(server, "client", 0);
    }

    @Test
    void rename_ofAndOntoADirectoryAboveAnExport_isFileOpenAndNothingMoves() throws Exception {
        nestDeeper();
        client.create("f");

        assertThat(rename("team", "moved")).isEqualTo(Nfs4Status.FILE_OPEN);
        assertThat(rename("mnt", "team")).isEqualTo(Nfs4Status.FILE_OPEN);
        assertThat(client.statusOf(
                        new Ops().data().lookup("team").lookup("private").lookup("in")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(rename("mnt", "moved")).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().remove("team"))).isEqualTo(Nfs4Status.NOTEMPTY);
    }

    /** The host may rename what clients may not: the export is found where its directory is. */
    @Test
    void walk_mountPointThatTheHostRenamed_leadsIntoTheNestedExport(@TempDir Path base) throws Exception {
        stop();
        Path moved = base.resolve("other/shown");
        Files.createDirectories(base.resolve("mnt/in"));
        Files.createDirectory(base.resolve("other"));
        try (LocalFileSystem above = LocalFileSystem.open(base, LocalOptions.DEFAULTS);
                LocalFileSystem below = LocalFileSystem.open(base.resolve("mnt"), LocalOptions.DEFAULTS)) {
            server = V4Server.of(ExportTable.of(List.of(export("/data", above), export("/data/mnt", below))));
            client = V4Client.mounted(server, "client", 0);
            long[] nested = fsid(2, new Ops().data().lookup("mnt"));
            Files.move(base.resolve("mnt"), moved);

            assertThat(fsid(3, new Ops().data().lookup("other").lookup("shown")))
                    .isEqualTo(nested);
            assertThat(fsid(4, new Ops().data().lookup("other").lookup("shown").lookup("in")))
                    .isEqualTo(nested);
            Reply reply = client.run(new Ops().data().lookup("other").readDir(0, 4096, 8192, Fattr.FSID));
            reply.afterData().op(OpCode.LOOKUP);
            reply.op(OpCode.READDIR);
            reply.hyper();
            assertThat(reply.word()).isEqualTo(1);
            reply.hyper();
            assertThat(reply.string()).isEqualTo("shown");
            reply.words(3);
            assertThat(new long[] {reply.hyper(), reply.hyper()}).isEqualTo(nested);
            stop();
        }
    }

    @Test
    void open_mountPoint_isADirectory() {
        assertThat(client.statusOf(new Ops().data().open("o", "mnt", 1, 0))).isEqualTo(Nfs4Status.ISDIR);
        assertThat(client.statusOf(new Ops().data().openCreate("o", "mnt", 3, 0)))
                .isEqualTo(Nfs4Status.ISDIR);
    }

    @Test
    void create_onTheNameOfAMountPoint_exists() {
        assertThat(client.statusOf(new Ops().data().makeDirectory("mnt"))).isEqualTo(Nfs4Status.EXIST);
    }

    @Test
    void lookup_mountPoint_isAnotherFileSystemMountedOnTheDirectoryUnderneath() {
        long[] above = fsid(1, new Ops().data());

        long[] below = fsid(2, new Ops().data().lookup("mnt"));
        assertThat(below).isNotEqualTo(above);
        assertThat(fsid(3, new Ops().data().lookup("mnt").lookup("in"))).isEqualTo(below);

        Reply reply = client.run(new Ops().data().lookup("mnt").getAttrs(Fattr.FILEID, Fattr.MOUNTED_ON_FILEID));
        reply.afterFile();
        reply.op(OpCode.GETATTR);
        reply.words(4);
        assertThat(List.of(reply.hyper(), reply.hyper()))
                .containsExactly(
                        attributes(inner).fileId(), underneath.attributes().fileId());
    }

    private static FileAttributes attributes(MemoryFileSystem files) {
        try {
            return files.attributes(files.root());
        } catch (FsException e) {
            throw new AssertionError(e);
        }
    }

    private long[] fsid(int depth, Ops ops) {
        Reply reply = client.run(ops.getAttrs(Fattr.FSID));
        for (int lookups = 0; lookups <= depth; lookups++) {
            reply.op(lookups == 0 ? OpCode.PUTROOTFH : OpCode.LOOKUP);
        }
        reply.op(OpCode.GETATTR);
        reply.words(3);
        return new long[] {reply.hyper(), reply.hyper()};
    }

    @Test
    void listing_ofTheDirectoryAbove_hasTheRootThatStandsThere() {
        Reply reply =
                client.run(new Ops().data().readDir(0, 4096, 8192, Fattr.FSID, Fattr.FILEID, Fattr.MOUNTED_ON_FILEID));
        reply.afterData().op(OpCode.READDIR);
        reply.hyper();

        Map<String, List<Long>> entries = new LinkedHashMap<>();
        while (reply.word() == 1) {
            reply.hyper();
            String name = reply.string();
            reply.words(4);
            reply.hyper();
            entries.put(name, List.of(reply.hyper(), reply.hyper(), reply.hyper()));
        }
        assertThat(entries.get("mnt"))
                .endsWith(attributes(inner).fileId(), underneath.attributes().fileId());
    }
}
