package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.testing.LongestFile;

/** What a reply says of a file that a change has changed before it failed: how the file is by then. */
class HalfDoneTest {
    private static final int WRITTEN = 4096;

    @TempDir
    Path directory;

    private LocalFileSystem local;
    private V3Server server;
    private byte[] file;
    private long longest;

    @BeforeEach
    void makeFile() throws Exception {
        longest = LongestFile.bytesIn(directory);
        Files.createFile(directory.resolve("f"));
        local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
        server = new V3Server(local);
        server.uid = (Integer) Files.getAttribute(directory, "unix:uid");
        file = server.handle(
                server.trusting,
                local.lookup(Caller.ROOT, local.root(), FileName.of("f")).handle());
    }

    @AfterEach
    void close() {
        local.close();
    }

    @Test
    void setAttr_modeIsSet_sizeIsRefused_hasTheNewMode() {
        V3Reply reply = server.call(
                V3Server.SETATTR,
                c -> c.opaque(file).words(1, 0612, 0, 0, 1).hyper(longest + 1).words(0, 0, 0));
        assertThat(reply.status()).isEqualTo(Nfs3Status.FBIG);
        V3Reply.Wcc wcc = reply.wcc();
        assertThat(wcc.before())
                .as("not compared with a state that nobody restored")
                .isNull();
        assertThat(wcc.after().size()).isZero();
        assertThat(wcc.after()).isEqualTo(server.attributes(file));
    }

    @Test
    void write_ofWhichAPartIsWritten_hasTheNewSize() {
        long offset = longest - WRITTEN;
        V3Reply reply = server.call(
                V3Server.WRITE,
                c -> c.opaque(file).hyper(offset).words(2 * WRITTEN, 2).opaque(new byte[2 * WRITTEN]));
        assertThat(reply.status()).isEqualTo(Nfs3Status.FBIG);
        V3Reply.Wcc wcc = reply.wcc();
        assertThat(wcc.before()).isNull();
        assertThat(wcc.after()).isEqualTo(server.attributes(file));
        assertThat(wcc.after().size()).isIn(0L, longest);
    }
}
