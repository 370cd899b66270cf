package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.idmap.Accounts;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.idmap.UnknownName;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/** The server reads its exports again while it runs. */
@Timeout(300)
class ReloadTest {
    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void makeTree() throws Exception {
        for (String name : new String[] {"a", "b", "c"}) {
            Files.createDirectory(temporary.resolve(name));
        }
        file = temporary.resolve("exports");
    }

    private List<ExportSpec> exports(String... lines) throws Exception {
        Files.writeString(file, String.join("\n", lines).replace("/", temporary + "/") + "\n");
        return ExportsFiles.read(List.of(file), HostNames.NONE);
    }

    private ServerConfig config(List<ExportSpec> exports) {
        return config(exports, Duration.ofSeconds(5));
    }

    private ServerConfig config(List<ExportSpec> exports, Duration drain) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
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
                drain,
                IdentityChoices.DEFAULT);
    }

    private String path(String name) {
        return temporary.resolve(name).toString();
    }

    @Test
    void reload_otherLines_changeWhatIsServedAndSayIt() throws Exception {
        try (WarpServer server = WarpServer.start(config(exports("/a *(insecure)", "/b *(insecure)")))) {
            try (MountClient client = new MountClient(server.tcpAddress())) {
                assertThat(client.mount(path("a"))).isZero();
                byte[] handle = client.lastHandle();
                assertThat(client.getattr(handle)).isZero();
                assertThat(server.reload(exports("/a *(insecure)", "/b *(insecure,rw)", "/c *(insecure)")))
                        .containsExactly(
                                "export " + path("b") + " changed: other clients or options",
                                "export " + path("c") + " added: " + path("c"));
                assertThat(client.getattr(handle)).as("of what stays").isZero();
                assertThat(client.mount(path("c"))).isZero();
                assertThat(server.reload(exports("/c *(insecure)")))
                        .containsExactly(
                                "export " + path("a") + " withdrawn: " + path("a"),
                                "export " + path("b") + " withdrawn: " + path("b"));
                assertThat(client.getattr(handle)).as("STALE").isEqualTo(70);
                assertThat(client.mount(path("a"))).as("NOENT").isEqualTo(2);
                assertThat(server.reload(exports("/a *(insecure)", "/c *(insecure)")))
                        .hasSize(1);
                assertThat(client.getattr(handle)).as("it is back").isZero();
            }
        }
    }

    @Test
    void reload_hostIsNotMeantAnyMore_itsHandlesAreRefused() throws Exception {
        try (WarpServer server = WarpServer.start(config(exports("/a *(insecure)")));
                MountClient client = new MountClient(server.tcpAddress())) {
            assertThat(client.mount(path("a"))).isZero();
            byte[] handle = client.lastHandle();
            assertThat(server.reload(exports("/a 192.0.2.1(insecure)"))).hasSize(1);
            assertThat(client.getattr(handle)).as("ACCES").isEqualTo(13);
            assertThat(client.mount(path("a"))).as("ACCES").isEqualTo(13);
            assertThat(server.reload(exports("/a *(insecure)"))).hasSize(1);
            assertThat(client.getattr(handle)).isZero();
        }
    }

    @Test
    void close_whileAReloadHangs_ends() throws Exception {
        List<ExportSpec> specs = exports("/a *(insecure)");
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch given = new CountDownLatch(1);
        List<ExportSpec> slow = new AbstractList<>() {
            @Override
            public ExportSpec get(int index) {
                hangs.countDown();
                try {
                    given.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return specs.get(index);
            }

            @Override
            public int size() {
                return specs.size();
            }
        };
        WarpServer server = WarpServer.start(config(specs, Duration.ofMillis(100)));
        Thread reload = Thread.ofPlatform().daemon().start(() -> {
            try {
                server.reload(slow);
            } catch (ConfigException e) {
                throw new AssertionError(e);
            }
        });
        try {
            hangs.await();
            server.close();
            assertThat(reload.isAlive()).isTrue();
            assertThatThrownBy(() -> new MountClient(server.tcpAddress())).isInstanceOf(IOException.class);
        } finally {
            given.countDown();
            reload.join();
        }
        server.close();
    }

    @Test
    void reload_mistake_changesNothing() throws Exception {
        try (WarpServer server = WarpServer.start(config(exports("/a *(insecure)")));
                MountClient client = new MountClient(server.tcpAddress())) {
            assertThatThrownBy(() -> server.reload(exports("/b *(insecure)", "/missing *(insecure)")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("exports:2")
                    .hasMessageContaining("missing");
            assertThat(client.mount(path("a"))).isZero();
            assertThat(client.mount(path("b"))).as("NOENT").isEqualTo(2);
        }
    }

    private static IdentityChoices mapped(String name, long id) {
        StaticNames map = new StaticNames(Map.of(name, new StaticNames.Local.Id(id)), Map.of());
        return new IdentityChoices(false, new MappedNames.Choices(null, map, false));
    }

    private static long idOf(WarpServer server, String name) throws Exception {
        return server.identities()
                .owners()
                .forOneCall()
                .idOf(Accounts.Kind.USER, name.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void reload_otherNamesOfOwners_countFromThenOn_allOrNone() throws Exception {
        List<ExportSpec> exports = exports("/a *(insecure)");
        try (WarpServer server = WarpServer.start(config(exports))) {
            assertThatThrownBy(() -> idOf(server, "alice@example.org")).isInstanceOf(UnknownName.class);
            assertThat(server.reload(exports, mapped("alice@example.org", 7)))
                    .containsExactly("names of owners changed: 1 users and 0 groups are mapped");
            assertThat(idOf(server, "alice@example.org")).isEqualTo(7);
            assertThat(server.reload(exports, mapped("alice@example.org", 7))).isEmpty();
            assertThatThrownBy(() -> server.reload(exports("/missing *(insecure)"), mapped("alice@example.org", 8)))
                    .isInstanceOf(ConfigException.class);
            assertThat(idOf(server, "alice@example.org"))
                    .as("nothing has changed")
                    .isEqualTo(7);
            assertThat(server.reload(exports, IdentityChoices.DEFAULT)).hasSize(1);
            assertThatThrownBy(() -> idOf(server, "alice@example.org")).isInstanceOf(UnknownName.class);
            assertThat(idOf(server, "1000")).isEqualTo(1000);
        }
    }

    @Test
    void reload_nothingNew_saysNothing() throws Exception {
        List<ExportSpec> exports = exports("/a *(insecure)");
        try (WarpServer server = WarpServer.start(config(exports))) {
            assertThat(server.reload(exports("/a *(insecure)"))).isEmpty();
        }
    }
}
