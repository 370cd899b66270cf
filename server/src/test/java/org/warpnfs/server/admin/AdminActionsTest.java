package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/** The actions of an administrator, and their effect on NFS clients of a whole server. */
@Timeout(300)
class AdminActionsTest {
    private static final int ADMIN_STATE_REVOKED = 0x20;
    private static final long TO_EOF = -1;

    @TempDir
    Path directory;

    @Test
    void evict_clientWithSessions_isToldSoAndMayComeBack() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced();
                StateHolder other = fixture.holder(1, "other").introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 0, 100)).isZero();
            assertThat(other.open("file")).isZero();
            assertThat(other.lock("locker", 0, 100)).isEqualTo(StateHolder.DENIED);

            JsonNode report = fixture.client.post("/v1/evict", Map.of("client", holder.id()));

            assertThat(report.path("owner").asText()).isEqualTo("holder");
            assertThat(report.path("sessions").asInt()).isEqualTo(1);
            assertThat(report.path("opens").asInt()).isEqualTo(1);
            assertThat(report.path("locks").asInt()).isEqualTo(1);
            assertThat(report.path("connections").asInt()).isEqualTo(1);
            assertThat(holder.isCutOff()).isTrue();
            assertThat(other.lock("locker", 0, 100))
                    .as("whose way is free now, on the connection it had")
                    .isZero();
            holder.connect();
            assertThat(holder.renew()).isEqualTo(StateHolder.BADSESSION);
            assertThat(holder.createSessionAgain()).isEqualTo(StateHolder.STALE_CLIENTID);
            holder.introduced();
            assertThat(holder.open("file")).as("a client may come back").isZero();
        }
    }

    @Test
    void evict_clientWithoutSessions_isToldSo() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(0, "holder").introduced()) {
            assertThat(holder.open("file")).isZero();
            JsonNode report = fixture.client.post("/v1/evict", Map.of("client", holder.id()));
            assertThat(report.path("opens").asInt()).isEqualTo(1);
            assertThat(holder.isCutOff()).isTrue();
            holder.connect();
            assertThat(holder.renew()).isEqualTo(StateHolder.EXPIRED);
        }
    }

    @Test
    void evict_whoIsNot_isRefused() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory)) {
            assertThatThrownBy(() -> fixture.client.post("/v1/evict", Map.of("client", "1234")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("no such client");
            assertThatThrownBy(() -> fixture.client.post("/v1/evict", Map.of("client", "nobody")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("client: nobody is not an id");
            assertThatThrownBy(() -> fixture.client.post("/v1/evict", Map.of()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("client is missing");
        }
    }

    @Test
    void unlock_file_letsAnotherLockAndTellsWhoHeldIt() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced();
                StateHolder other = fixture.holder(1, "other").introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 10, TO_EOF)).isZero();
            assertThat(other.open("file")).isZero();
            assertThat(other.lock("locker", 0, 100)).isEqualTo(StateHolder.DENIED);
            String file = fixture.rows("/v1/locks").get(0).path("file").asText();

            JsonNode report = fixture.client.post("/v1/unlock", Map.of("file", file));

            assertThat(report.path("count").asInt()).isEqualTo(1);
            JsonNode range = report.path("rows").get(0).path("ranges").get(0);
            assertThat(range.path("kind").asText()).isEqualTo("write");
            assertThat(range.path("first").asText()).isEqualTo("10");
            assertThat(range.path("last").asText()).isEqualTo("18446744073709551615");
            assertThat(other.lock("locker", 0, 100)).isZero();
            assertThat(holder.readLocked()).isEqualTo(StateHolder.ADMIN_REVOKED);
            assertThat(holder.statusFlags() & ADMIN_STATE_REVOKED).isNotZero();
            assertThat(holder.freeLock()).isZero();
            assertThat(holder.freeLock()).as("it is gone").isEqualTo(StateHolder.BAD_STATEID);
            assertThat(holder.statusFlags() & ADMIN_STATE_REVOKED).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void unlock_whoLocksAnew_isNotKeptFromIt(int minor) throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(minor, "holder").introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 0, 100)).isZero();
            assertThat(fixture.client
                            .post("/v1/unlock", Map.of("client", holder.id(), "owner", "someone else"))
                            .path("count")
                            .asInt())
                    .isZero();
            assertThat(fixture.client
                            .post("/v1/unlock", Map.of("client", holder.id(), "owner", "locker"))
                            .path("count")
                            .asInt())
                    .isEqualTo(1);
            assertThat(fixture.rows("/v1/locks").get(0).path("revoked").asBoolean())
                    .isTrue();
            assertThat(holder.readLocked()).isEqualTo(StateHolder.ADMIN_REVOKED);
            if (minor > 0) {
                assertThat(holder.lock("locker", 0, 100)).isZero();
                assertThat(holder.readLocked()).isZero();
                assertThat(holder.statusFlags() & ADMIN_STATE_REVOKED).isZero();
            }
        }
    }

    @Test
    void unlock_nothingSaid_isRefused() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory)) {
            assertThatThrownBy(() -> fixture.client.post("/v1/unlock", Map.of("owner", "all")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("one of client, file and lock is required");
        }
    }

    @Test
    void graceEnd_letsOthersOpen() throws Exception {
        Path files = Files.createDirectory(directory.resolve("files"));
        ServerConfig config = local(files);
        try (AdminFixture before = new AdminFixture(directory, config);
                StateHolder gone = before.holder(1, "gone").introduced()) {
            assertThat(gone.open("file")).isZero();
        }
        try (AdminFixture fixture = new AdminFixture(directory, config);
                StateHolder holder = fixture.holder(1, "holder").introduced()) {
            assertThat(fixture.client.get("/v1/status").path("grace").asBoolean())
                    .isTrue();
            assertThat(holder.open("file")).isEqualTo(StateHolder.GRACE);

            JsonNode report = fixture.client.post("/v1/grace/end", Map.of());

            assertThat(report.path("wasRunning").asBoolean()).isTrue();
            assertThat(report.path("missingClients").asInt()).isEqualTo(1);
            assertThat(report.path("grace").asBoolean()).isFalse();
            assertThat(holder.open("file")).isZero();
            assertThat(fixture.client
                            .post("/v1/grace/end", Map.of())
                            .path("wasRunning")
                            .asBoolean())
                    .isFalse();
        }
    }

    @Test
    void drain_closesConnectionsAndTakesNone() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced()) {
            assertThat(fixture.client.get("/v1/status").path("ready").asBoolean())
                    .isTrue();

            JsonNode report = fixture.client.post("/v1/drain", Map.of());

            assertThat(report.path("draining").asBoolean()).isTrue();
            assertThat(holder.isCutOff()).isTrue();
            while (!report.path("drained").asBoolean()) {
                report = fixture.client.post("/v1/drain", Map.of());
            }
            assertThatThrownBy(holder::connect).isInstanceOf(IOException.class);
            JsonNode status = fixture.client.get("/v1/status");
            assertThat(status.path("ready").asBoolean()).isFalse();
            assertThat(status.path("state").asText()).isEqualTo("draining");
            assertThat(status.path("drained").asBoolean()).isTrue();
            assertThat(fixture.rows("/v1/connections")).isEmpty();
        }
    }

    private ServerConfig local(Path files) throws Exception {
        Files.setPosixFilePermissions(files, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ServerConfig(
                List.of(ExportSpec.parse(files + ":/")),
                Backend.LOCAL,
                16 << 20,
                any,
                any,
                directory.resolve("state"),
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(90),
                4,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT);
    }
}
