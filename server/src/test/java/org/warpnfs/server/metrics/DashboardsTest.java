package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.NamedTests;

/** What deploy/ has for Prometheus and Grafana parses, and names metrics, functions and rules that there are. */
class DashboardsTest {
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern METRIC = Pattern.compile("\\bwarpnfs[a-z0-9_:]*");
    private static final Pattern FUNCTION = Pattern.compile("([a-z_]+)\\s*\\(");
    private static final Set<String> FUNCTIONS =
            Set.of("rate", "increase", "sum", "max", "histogram_quantile", "by", "or", "and", "label_values");

    private static Set<String> metrics() {
        Set<String> names = new HashSet<>();
        for (Metric metric : MetricTable.all()) {
            if (metric.type() == Metric.Type.HISTOGRAM) {
                names.addAll(List.of(metric.name() + "_bucket", metric.name() + "_sum", metric.name() + "_count"));
            } else {
                names.add(metric.name());
            }
        }
        return names;
    }

    /** Labels are in braces, names of labels and strings are no metrics. */
    private static void check(String expression, Set<String> known) {
        String bare = STRING.matcher(expression).replaceAll("\"\"");
        assertBalanced(bare);
        Matcher metric = METRIC.matcher(bare);
        boolean names = bare.startsWith("up{");
        while (metric.find()) {
            names = true;
            assertThat(known).as(expression).contains(metric.group());
        }
        assertThat(names).as(expression).isTrue();
        Matcher function = FUNCTION.matcher(bare);
        while (function.find()) {
            assertThat(FUNCTIONS).as(expression).contains(function.group(1));
        }
        // A counter tells nothing but by how fast it grows.
        Matcher total = Pattern.compile("(\\w+)\\s*\\(\\s*warpnfs[a-z0-9_]*_(?:total|bucket|count)\\b")
                .matcher(bare);
        int rates = 0;
        while (total.find()) {
            assertThat(total.group(1)).as(expression).isIn("rate", "increase");
            rates++;
        }
        assertThat(Pattern.compile("_(?:total|bucket|count)\\b")
                        .matcher(bare)
                        .results()
                        .count())
                .as(expression)
                .isEqualTo(rates);
    }

    private static void assertBalanced(String expression) {
        List<Character> open = new ArrayList<>();
        for (int i = 0; i < expression.length(); i++) {
            char c = expression.charAt(i);
            switch (c) {
                case '(' -> open.add(')');
                case '[' -> open.add(']');
                case '{' -> open.add('}');
                case ')', ']', '}' -> {
                    assertThat(open).as(expression).isNotEmpty();
                    assertThat(open.removeLast()).as(expression).isEqualTo(c);
                }
                default -> {}
            }
        }
        assertThat(open).as(expression).isEmpty();
    }

    @Test
    void rules_parse_andNameWhatThereIs() throws IOException {
        JsonNode groups = new YAMLMapper()
                .readTree(NamedTests.read("deploy", "prometheus/rules.yml"))
                .get("groups");
        Set<String> known = metrics();
        Set<String> names = new TreeSet<>();
        for (JsonNode group : groups) {
            assertThat(names.add(group.get("name").asText())).isTrue();
            for (JsonNode rule : group.get("rules")) {
                if (rule.has("record")) {
                    assertThat(rule.get("record").asText()).matches("warpnfs:[a-z_]+:[a-z0-9]+");
                    known.add(rule.get("record").asText());
                } else {
                    assertThat(names.add(rule.get("alert").asText())).isTrue();
                    assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
                    assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
                    assertThat(rule.at("/annotations/description").asText()).isNotBlank();
                }
            }
        }
        assertThat(names).hasSizeGreaterThan(10);
        for (JsonNode group : groups) {
            group.get("rules").forEach(rule -> check(rule.get("expr").asText(), known));
        }
    }

    @Test
    void scrapeConfiguration_parses_andReadsTheRules() throws IOException {
        JsonNode configuration = new YAMLMapper().readTree(NamedTests.read("deploy", "prometheus/prometheus.yml"));
        assertThat(configuration.at("/rule_files/0").asText()).isEqualTo("rules.yml");
        assertThat(configuration.at("/scrape_configs/0/job_name").asText()).isEqualTo("warpnfs");
        assertThat(configuration
                        .at("/scrape_configs/0/static_configs/0/targets/0")
                        .asText())
                .endsWith(":9049");
    }

    @Test
    void dashboard_parses_andNamesWhatThereIs() throws IOException {
        JsonNode dashboard = new ObjectMapper().readTree(NamedTests.read("deploy", "grafana/warpnfs.json"));
        assertThat(dashboard.get("uid").asText()).isEqualTo("warpnfs");
        Set<Integer> ids = new HashSet<>();
        int expressions = 0;
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
            JsonNode at = panel.get("gridPos");
            assertThat(at.get("x").asInt() + at.get("w").asInt()).isLessThanOrEqualTo(24);
            for (JsonNode target : panel.path("targets")) {
                check(target.get("expr").asText(), metrics());
                assertThat(target.get("expr").asText()).contains("instance=~\"$instance\"");
                expressions++;
            }
        }
        assertThat(expressions).isGreaterThan(40);
    }
}
