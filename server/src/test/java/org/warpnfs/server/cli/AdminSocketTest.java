package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.config.ConfigException;

/** Where {@code serve} places the admin socket, and where the commands look for it. */
@Timeout(300)
class AdminSocketTest {
    @TempDir
    Path state;

    private final AdminPlace place = new AdminPlace();

    private Path asked() throws ConfigException {
        return place.path(Map.of("WARPNFS_STATE", state.toString()));
    }

    private static WatchedServer server() throws Exception {
        return WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), "off");
    }

    private AdminSocket start(WatchedServer watched, @Nullable String said) throws ConfigException {
        return AdminSocket.start(
                "--admin",
                said,
                state,
                watched,
                new ExportsReload(
                        watched.server(),
                        () -> new ExportsReload.Wanted(
                                java.util.List.of(), org.warpnfs.server.config.IdentityChoices.DEFAULT)));
    }

    private void permit(String permissions) throws Exception {
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void stateDirectory_private_holdsTheSocket() throws Exception {
        permit("rwx------");
        try (WatchedServer watched = server();
                AdminSocket socket = start(watched, null)) {
            assertThat(socket.describe()).contains("admin   " + state.resolve("admin.sock"));
            assertThat(asked()).isEqualTo(state.resolve("admin.sock"));
        }
    }

    @Test
    void stateDirectory_thatItsGroupMayWrite_hasAPrivateOneForTheSocket() throws Exception {
        permit("rwxrwx---");
        Path apart = state.resolve("admin/admin.sock");
        for (String said : new String[] {null, apart.toString()}) {
            try (WatchedServer watched = server();
                    AdminSocket socket = start(watched, said)) {
                assertThat(socket.describe()).contains("admin   " + apart);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(apart.getParent())))
                        .isEqualTo("rwx------");
                assertThat(asked()).isEqualTo(apart);
                assertThat(place.path(Map.of("WARPNFS_STATE", state.toString())))
                        .isEqualTo(apart);
            }
            // Kubernetes does this when it mounts the volume again.
            Files.setPosixFilePermissions(apart.getParent(), PosixFilePermissions.fromString("rwxrwx---"));
        }
    }

    @Test
    void namedDirectory_thatOthersMayWrite_isRefusedAllTheSame() throws Exception {
        permit("rwxrwx---");
        try (WatchedServer watched = server()) {
            assertThatThrownBy(() -> start(watched, state.resolve("other.sock").toString()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("may be written by others");
        }
    }
}
