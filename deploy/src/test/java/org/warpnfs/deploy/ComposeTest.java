package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.cli.Main;

/** Checks compose.yaml: the options of the server, the files and the ports. */
class ComposeTest {
    private static final Path COMPOSE = Path.of("compose");

    private static JsonNode tree(String file) throws IOException {
        return StrictModel.tree(Files.readString(COMPOSE.resolve(file)));
    }

    @Test
    void server_command_isKnown() throws IOException {
        List<String> words = new ArrayList<>();
        tree("compose.yaml").at("/services/warpnfs/command").forEach(word -> words.add(word.asText()));
        assertThatCode(() -> Main.commandLine().parseArgs(words.toArray(String[]::new)))
                .doesNotThrowAnyException();
        assertThat(words).startsWith("serve");
    }

    @Test
    void server_hasNoPrivilege() throws IOException {
        JsonNode server = tree("compose.yaml").at("/services/warpnfs");
        assertThat(server.get("read_only").asBoolean()).isTrue();
        assertThat(server.at("/cap_drop/0").asText()).isEqualTo("ALL");
        assertThat(server.has("cap_add")).isFalse();
    }

    @Test
    void volumes_areDeclaredOrFilesThatExist() throws IOException {
        JsonNode compose = tree("compose.yaml");
        List<String> sources = new ArrayList<>();
        compose.get("services").forEach(service -> service.path("volumes")
                .forEach(volume -> sources.add(volume.asText().split(":", -1)[0])));
        assertThat(sources).isNotEmpty().allSatisfy(source -> {
            if (source.startsWith(".")) {
                assertThat(COMPOSE.resolve(source)).exists();
            } else {
                assertThat(compose.get("volumes").has(source)).as(source).isTrue();
            }
        });
    }

    @Test
    void prometheus_scrapesWhereTheServerListens() throws IOException {
        String target = tree("prometheus.yaml")
                .at("/scrape_configs/0/static_configs/0/targets/0")
                .asText();
        assertThat(target).isEqualTo("warpnfs:9049");
        assertThat(Checked.settings(COMPOSE.resolve("warpnfs.yaml"))).containsEntry("http", "0.0.0.0:9049");
        assertThat(tree("grafana/provisioning/datasources/prometheus.yaml")
                        .at("/datasources/0/url")
                        .asText())
                .isEqualTo("http://prometheus:9090");
    }
}
