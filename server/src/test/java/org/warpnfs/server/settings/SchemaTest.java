package org.warpnfs.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.testkit.NamedTests;
import org.warpnfs.testkit.Repository;

/**
 * Compares the schema, the page and the example with the table of settings. With {@code -Dwarpnfs.write=true} the test
 * writes these files from the table instead.
 */
class SchemaTest {
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    private static JsonNode yaml(String text) throws IOException {
        return new ObjectMapper(new YAMLFactory()).readTree(text);
    }

    private static boolean isValid(String text) throws IOException {
        JsonSchema schema = FACTORY.getSchema(SettingsSchema.text());
        return schema.validate(yaml(text)).isEmpty();
    }

    @Test
    void schema_inTheTree_isWhatTheTableSays() throws IOException {
        Path file = Repository.top().resolve(Path.of("deploy", "config", "warpnfs.schema.json"));
        if (Boolean.getBoolean("warpnfs.write")) {
            Files.writeString(file, SettingsSchema.text());
        }
        assertThat(Files.readString(file)).isEqualTo(SettingsSchema.text());
    }

    @Test
    void schema_byItself_isADraft202012Schema() throws IOException {
        JsonSchema meta = FACTORY.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
        assertThat(meta.validate(new ObjectMapper().readTree(SettingsSchema.text())))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease: 90",
                "lease: 2m",
                "export: /a",
                "export: [/a, '/b:/c,ro']",
                "exports: []",
                "crc: on",
                "http: off",
                "limits: {connections: {most: 100}, deadlines: }",
                "limits: {rdma: {inlineBytes: 8k}}",
                "markers: true",
                "markers: yes",
                "crc: true",
                "http: false"
            })
    void document_thatTheServerTakes_isValid(String text) throws IOException {
        assertThat(Given.file(text).mistakes()).isEmpty();
        assertThat(isValid(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease: 0",
                "lease: soon",
                "lease:",
                "lease: [1]",
                "export: []",
                "export: {a: b}",
                "crc: maybe",
                "markers: maybe",
                "rdmaPort: 70000",
                "rdmaPort: 1.5",
                "colour: red",
                "limits: 3",
                "limits: {connections: {mots: 100}}",
                "limits: {connections: {most: 3}}",
                "limits: {rdma: {inlineBytes: 5000}}",
                "- a"
            })
    void document_thatTheServerRefuses_isNotValid(String text) throws IOException {
        assertThat(Given.file(text).mistakes()).isNotEmpty();
        assertThat(isValid(text)).isFalse();
    }

    @Test
    void example_isValidAndTaken_andItsCommentsAreTheDefaults() throws IOException {
        String example = NamedTests.read("deploy", "config", "warpnfs.yaml");
        assertThat(Given.file(example).mistakes()).isEmpty();
        assertThat(isValid(example)).isTrue();
        // A line such as "#lease: 90s", with no blank after the #, is an example that can be switched on.
        String switchedOn = example.replaceAll("(?m)^( *)#(?=[a-zA-Z]+:)", "$1");
        Given all = Given.file(switchedOn);
        assertThat(all.mistakes()).isEmpty();
        assertThat(isValid(switchedOn)).isTrue();
        assertThat(all.resolved().limits()).isEqualTo(Given.file("").resolved().limits());
        assertThat(SettingIndex.ALL)
                .filteredOn(setting -> setting.key().startsWith(LimitSettings.PREFIX))
                .allSatisfy(setting -> assertThat(all.resolved().origin(setting).isSaid())
                        .as(setting.key())
                        .isTrue());
    }

    @Test
    void page_tables_areWhatTheTableSays() throws IOException {
        Path file = Repository.top().resolve(Path.of("docs", "configuration.md"));
        String page = Files.readString(file);
        for (var part : Map.of(
                        "settings", SettingsPage.settings(),
                        "limits", SettingsPage.limits(),
                        "parts", SettingsPage.parts())
                .entrySet()) {
            String begin = "<!-- made of the table: " + part.getKey() + " -->\n";
            String end = "<!-- end -->";
            int from = page.indexOf(begin) + begin.length();
            assertThat(from).as(part.getKey()).isGreaterThan(begin.length());
            int to = page.indexOf(end, from);
            if (Boolean.getBoolean("warpnfs.write")) {
                page = page.substring(0, from) + part.getValue() + page.substring(to);
                Files.writeString(file, page);
            } else {
                assertThat(page.substring(from, to)).isEqualTo(part.getValue());
            }
        }
    }
}
