package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.server.config.ServerConfig;

class DescriptionTest {
    private static ServerConfig config(String export) throws Exception {
        return InMemory.config(export, 16 << 20, Duration.ofSeconds(5));
    }

    @Test
    void exports_none_areSaidToBeNone() throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThat(Description.of(config(":/"), ExportTable.of(List.of()), "limits", address, address))
                .contains("export  none: clients find nothing to mount")
                .noneMatch(line -> line.startsWith("mount"));
    }

    /** The mount command is meant to be copied into a shell. */
    @Test
    void mountCommand_ofAPathWithBlanksAndQuotes_isWordsOfAShell() throws Exception {
        try (WarpServer server = WarpServer.start(config(":/my films' <b>"))) {
            assertThat(server.describe())
                    .filteredOn(line -> line.startsWith("mount"))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).endsWith(" '127.0.0.1:/my films'\\'' <b>' /mnt"));
        }
        try (WarpServer server = WarpServer.start(config(":/films"))) {
            assertThat(server.describe())
                    .filteredOn(line -> line.startsWith("mount"))
                    .allSatisfy(line -> assertThat(line).endsWith(" 127.0.0.1:/films /mnt"));
        }
    }
}
