package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An administrator takes state from a client whose calls and callbacks go over RDMA. */
@Timeout(120)
class AdminOverRdmaTest {
    private static final int ADMIN_STATE_REVOKED = 0x20;
    private static final int PATIENCE_SECONDS = 60;

    @TempDir
    Path directory;

    private static void makeFile(StateHolder holder) throws Exception {
        assertThat(holder.open("file")).isZero();
        assertThat(holder.closeOpen()).isZero();
    }

    @Test
    void evict_whoWasAskedForADelegationOverRdma_freesTheFileAndEndsTheConnection() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder other = fixture.holder(1, "other").introduced();
                HolderWire.OverRdma wire = new HolderWire.OverRdma(fixture.server.rdmaAddress());
                StateHolder holder = new StateHolder(wire, 1, "holder")) {
            makeFile(other);
            holder.introduced();
            while (holder.openDelegated("file") != StateHolder.READ_DELEGATION) {
                // The answer to CB_NULL may not have arrived yet, so try again until the time limit of the test.
                assertThat(holder.closeOpen()).isZero();
            }
            assertThat(fixture.rows("/v1/delegations").get(0).path("phase").asText())
                    .isEqualTo("held");
            assertThat(other.open("file")).isEqualTo(StateHolder.DELAY);
            assertThat(wire.callbacks.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("CB_RECALL")
                    .isNotNull();
            assertThat(fixture.rows("/v1/delegations").get(0).path("phase").asText())
                    .isEqualTo("recalled");
            JsonNode session =
                    fixture.rows("/v1/sessions?client=" + holder.id()).get(0);
            assertThat(session.path("callbackConnections").get(0).asText()).startsWith("rdma ");

            JsonNode report = fixture.client.post("/v1/evict", Map.of("client", holder.id()));

            assertThat(report.path("delegations").asInt()).isEqualTo(1);
            assertThat(report.path("opens").asInt()).isEqualTo(1);
            assertThat(report.path("sessions").asInt()).isEqualTo(1);
            assertThat(report.path("connections").asInt()).isEqualTo(1);
            assertThat(other.open("file")).as("nobody stands before it").isZero();
            assertThat(fixture.rows("/v1/delegations")).isEmpty();
            assertThat(holder.isCutOff()).isTrue();
            holder.connect();
            assertThat(holder.renew()).isEqualTo(StateHolder.BADSESSION);
            holder.introduced();
            assertThat(holder.open("file")).as("a client may come back").isZero();
        }
    }

    @Test
    void evict_overRdma_harmsNoOtherConnection() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder overTcp = fixture.holder(1, "over tcp").introduced();
                StateHolder other = new StateHolder(new HolderWire.OverRdma(fixture.server.rdmaAddress()), 1, "other")
                        .introduced();
                StateHolder holder = new StateHolder(new HolderWire.OverRdma(fixture.server.rdmaAddress()), 1, "holder")
                        .introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(fixture.client
                            .post("/v1/evict", Map.of("client", holder.id()))
                            .path("connections")
                            .asInt())
                    .isEqualTo(1);
            assertThat(holder.isCutOff()).isTrue();
            assertThat(other.renew()).isZero();
            assertThat(overTcp.renew()).isZero();
        }
    }

    @Test
    void unlock_overRdma_isHeardOfByTheClient() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder other = fixture.holder(1, "other").introduced();
                StateHolder holder = new StateHolder(new HolderWire.OverRdma(fixture.server.rdmaAddress()), 1, "holder")
                        .introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 0, 100)).isZero();
            assertThat(other.open("file")).isZero();
            assertThat(other.lock("locker", 0, 100)).isEqualTo(StateHolder.DENIED);

            JsonNode report = fixture.client.post("/v1/unlock", Map.of("client", holder.id()));

            assertThat(report.path("count").asInt()).isEqualTo(1);
            assertThat(other.lock("locker", 0, 100)).isZero();
            assertThat(holder.readLocked()).isEqualTo(StateHolder.ADMIN_REVOKED);
            assertThat(holder.statusFlags() & ADMIN_STATE_REVOKED).isNotZero();
            assertThat(holder.freeLock()).isZero();
            assertThat(holder.renew()).as("the connection stays").isZero();
            assertThat(holder.statusFlags() & ADMIN_STATE_REVOKED).isZero();
        }
    }
}
