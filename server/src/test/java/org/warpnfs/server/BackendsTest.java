package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
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
        String[] exports = new String[directories.length];
        for (int i = 0; i < directories.length; i++) {
            exports[i] = directories[i] + ":/" + i + ",no_root_squash";
        }
        return config(exports);
    }

    private ServerConfig config(String... words) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<ExportSpec> exports = new ArrayList<>();
        for (String word : words) {
            exports.add(ExportSpec.parse(word));
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

    private static long owner(Export export, String name) throws Exception {
        Caller user = new Caller(1000, 1000, List.of());
        AttributeChanges open = AttributeChanges.ofPermissions(0777);
        FileSystem files = export.fileSystem();
        files.setAttributes(Caller.ROOT, files.root(), open);
        return files.makeDirectory(user, files.root(), FileName.of(name), open)
                .attributes()
                .uid();
    }

    @Test
    void identity_isThatOfTheExport() throws Exception {
        boolean actsAsCallers = LocalFileSystem.canActAsCallers();
        long server = ((Integer) Files.getAttribute(temporary, "unix:uid")).longValue();
        Path mapped = Files.createDirectory(temporary.resolve("mapped"));
        Path one = Files.createDirectory(temporary.resolve("one"));
        ServerConfig config = config(mapped + ":/0,identity=mapped", one + ":/1,identity=one,no_root_squash");
        try (StateDirectory state = StateDirectory.open(temporary.resolve("state"));
                Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), state, null)) {
            List<Export> exports = backends.open().exports();

            assertThat(owner(exports.getFirst(), "d")).isEqualTo(1000);
            assertThat(Files.getAttribute(mapped.resolve("d"), "unix:uid")).isEqualTo((int) server);

            ExportOptions options =
                    exports.getLast().policy().rules().getFirst().options();
            assertThat(options.squash()).isEqualTo(Squash.ALL);
            // A server that can act as its callers acts as the anonymous user; another has its own user alone.
            assertThat(options.anonUid()).isEqualTo(actsAsCallers ? ExportOptions.NOBODY : server);
            assertThat(owner(exports.getLast(), "d")).isEqualTo(actsAsCallers ? 1000 : server);
        }
    }

    @Test
    void identity_twoOfOneDirectory_isAMistake() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("files"));
        ServerConfig config = config(directory + ":/0,identity=mapped", directory + ":/1,identity=one");
        try (StateDirectory state = StateDirectory.open(temporary.resolve("state"));
                Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), state, null)) {
            assertThatThrownBy(backends::open)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("is served with another identity= already");
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
