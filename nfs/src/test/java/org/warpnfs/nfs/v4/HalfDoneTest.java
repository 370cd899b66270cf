package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.nfs.testing.LongestFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What is reported of an operation that can do only a part of what it was asked for. */
class HalfDoneTest {
    private static final int PART = 4096;
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private long longest;
    private LocalFileSystem local;
    private V4Server server;
    private V4Client client;
    private int[] source;
    private int[] target;

    @BeforeEach
    void makeFiles() throws Exception {
        longest = LongestFile.bytesIn(directory);
        local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        server = V4Server.through(_ -> local);
        client = V4Client.mounted(server, "c", 0);
        source = client.create("f");
        target = client.create("g");
        client.run(file("f").write(source, 0, 2, "x".repeat(2 * PART)));
    }

    @AfterEach
    void close() {
        server.close();
        local.close();
    }

    private static Ops file(String name) {
        return new Ops().data().lookup(name);
    }

    private static Ops copy(int[] source, int[] target, long from, long to, long count) {
        return file("f").saveFh().data().lookup("g").add(OpCode.COPY, c -> c.words(source)
                .words(target)
                .hyper(from)
                .hyper(to)
                .hyper(count)
                .words(1, 1, 0));
    }

    private long sizeOf(String name) {
        return sizeOf(client, name);
    }

    private static long sizeOf(V4Client user, String name) {
        Reply reply = user.run(file(name).getAttrs(Fattr.SIZE)).afterFile();
        reply.getAttrs(Fattr.SIZE);
        return reply.hyper();
    }

    @Test
    void copy_beyondTheLongestFile_copiesNothing() {
        assertThat(client.statusOf(copy(source, target, 0, longest - PART, 2 * PART)))
                .isEqualTo(Nfs4Status.FBIG);
        assertThat(sizeOf("g")).isZero();
    }

    /** The backend copies a MiB at a time, and there is room for the first alone. */
    @Test
    void copy_ofWhichAPartFits_countsThatPart_andTheRestIsRefused() {
        int written = 3 * MIB;
        try (V4Server small = V4Server.through(_ -> new MemoryFileSystem(4 * MIB + MIB / 2, 100))) {
            V4Client user = V4Client.mounted(small, "c", 0);
            int[] from = user.create("f");
            int[] to = user.create("g");
            for (int offset = 0; offset < written; offset += MIB / 4) {
                user.run(file("f").write(from, offset, 2, new byte[MIB / 4]));
            }

            Reply copied = user.run(copy(from, to, 0, 0, written));

            copied.afterFile().op(OpCode.SAVEFH);
            copied.afterFile().op(OpCode.COPY);
            assertThat(copied.word()).as("no callback id").isZero();
            long count = copied.hyper();
            assertThat(count).isPositive().isLessThan(written);
            assertThat(sizeOf(user, "g")).isEqualTo(count);
            assertThat(user.statusOf(copy(from, to, count, count, written - count)))
                    .isEqualTo(Nfs4Status.NOSPC);
        }
    }

    @Test
    void write_ofWhichAPartFits_saysNothingOfThatPart() {
        Reply reply = client.send(file("g").write(target, longest - PART, 2, new byte[2 * PART]));
        assertThat(reply.status()).isEqualTo(Nfs4Status.FBIG);
        reply.afterFile().op(OpCode.WRITE, Nfs4Status.FBIG);
        reply.end();
        assertThat(sizeOf("g")).isIn(0L, longest);
    }

    @Test
    void allocate_beyondTheLongestFile_leavesTheSize() {
        Reply reply = client.send(file("g").allocate(target, longest - PART, 2 * PART));
        assertThat(reply.status()).isEqualTo(Nfs4Status.FBIG);
        reply.afterFile().op(OpCode.ALLOCATE, Nfs4Status.FBIG);
        reply.end();
        assertThat(sizeOf("g")).isZero();
    }
}
