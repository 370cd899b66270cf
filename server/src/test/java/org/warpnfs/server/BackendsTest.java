package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;

/** Directories that are exported twice or lie within each other, and the backends that serve them. */
class BackendsTest {
    @TempDir
    Path temporary;

    private ServerConfig config(Path... directories) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<ExportSpec> exports = new ArrayList<>();
        for (int i = 0; i < directories.length; i++) {
            exports.add(ExportSpec.parse(directories[i] + ":/" + i + ",no_root_squash"));
        }
        return new ServerConfig(
                exports,
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                temporary.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT);
    }

    private static FileHandle find(FileSystem fs, String... path) throws Exception {
        FileHandle at = fs.root();
        for (String name : path) {
            at = fs.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    @Test
    void directory_exportedTwiceAndByALink_isOneFileSystem() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), directory);
        ServerConfig config = config(directory, directory, link, directory.resolve("../files"));
        try (StateDirectory state = StateDirectory.open(temporary.resolve("state"));
                Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), state, null)) {
            List<Export> exports = backends.open().exports();
            assertThat(exports).hasSize(4);
            FileSystem first = exports.getFirst().fileSystem();
            assertThat(exports)
                    .allSatisfy(export -> assertThat(export.fileSystem()).isSameAs(first));
        }
    }

    @Test
    void directory_withinAnother_hasTheSameFilesUnderOneIdentity() throws Exception {
        Path outer = Files.createDirectory(temporary.resolve("files"));
        Path inner = Files.createDirectory(outer.resolve("inner"));
        Files.writeString(inner.resolve("f"), "contents");
        ServerConfig config = config(outer, inner);
        try (StateDirectory state = StateDirectory.open(temporary.resolve("state"));
                Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), state, null)) {
            List<Export> exports = backends.open().exports();
            FileSystem above = exports.getFirst().fileSystem();
            FileSystem below = exports.getLast().fileSystem();
            assertThat(above).isNotSameAs(below);
            assertThat(above.identity(find(above, "inner", "f"))).isEqualTo(below.identity(find(below, "f")));
            assertThat(above.identity(find(above, "inner"))).isNotEqualTo(below.identity(find(below, "f")));
        }
    }
}
