package org.warpnfs.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.warpnfs.server.cli.Main;

/** Runs {@code warpnfs check} on a configuration file. */
final class Checked {
    private Checked() {}

    /** Returns the settings in force by key; fails if the file has a mistake. */
    static Map<String, String> settings(Path file) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute("check", "--json", "--config", file.toString());
        // Files that it names, such as those of exports, are not on this host.
        assertThat(status).as(err.toString()).isIn(0, 1);
        JsonNode report = StrictModel.tree(out.toString());
        assertThat(report.get("mistakes"))
                .noneSatisfy(mistake -> assertThat(mistake.asText()).contains(file.toString()));
        Map<String, String> settings = new LinkedHashMap<>();
        report.get("settings")
                .forEach(row -> settings.put(
                        row.get("key").asText(),
                        row.get("value").isArray()
                                ? row.get("value").toString()
                                : row.get("value").asText()));
        return settings;
    }
}
