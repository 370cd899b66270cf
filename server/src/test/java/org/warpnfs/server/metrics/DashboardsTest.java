package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.NamedTests;

/** The files for Prometheus and Grafana in deploy/ can be parsed, and name only existing metrics, labels and rules. */
class DashboardsTest {
    /** The labels that Prometheus adds to each sample. */
    private static final Set<String> LABELS_OF_TARGETS = Set.of("instance", "job");

    private static final Set<String> RATES = Set.of("rate", "increase");
    private static final Pattern LABEL_OF_TEXT = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?([a-z_]+)\\s*}}");

    /** Returns the labels of each metric that a selector may name. */
    private static Map<String, Set<String>> metrics() {
        Map<String, Set<String>> labels = new HashMap<>();
        for (Metric metric : MetricTable.all()) {
            Set<String> own = new HashSet<>(metric.labels());
            own.addAll(LABELS_OF_TARGETS);
            if (metric.type() == Metric.Type.HISTOGRAM) {
                labels.put(metric.name() + "_sum", own);
                labels.put(metric.name() + "_count", own);
                Set<String> ofBuckets = new HashSet<>(own);
                ofBuckets.add("le");
                labels.put(metric.name() + "_bucket", ofBuckets);
            } else {
                labels.put(metric.name(), own);
            }
        }
        labels.put("up", LABELS_OF_TARGETS);
        return labels;
    }

    /** Checks an expression and returns the labels that its result may have. */
    private static Set<String> check(String expression, Map<String, Set<String>> known) {
        // Grafana replaces these variables.
        PromQl.Parsed parsed =
                PromQl.parse(expression.replace("$__rate_interval", "5m").replace("$instance", ".*"));
        assertThat(parsed.selectors()).as(expression).isNotEmpty();
        Set<String> labels = new HashSet<>();
        for (PromQl.Selector selector : parsed.selectors()) {
            assertThat(known).as(expression).containsKey(selector.metric());
            Set<String> own = known.get(selector.metric());
            assertThat(own).as(expression).containsAll(selector.labels());
            labels.addAll(own);
            // Only the rate of a counter has a meaning, so a counter must be within one of RATES.
            boolean counter = selector.metric().matches(".*_(total|bucket|count|sum)");
            assertThat(RATES.contains(selector.inside()) && selector.range())
                    .as(expression)
                    .isEqualTo(counter);
        }
        assertThat(labels).as(expression).containsAll(parsed.grouping());
        return labels;
    }

    private static void checkText(String text, Set<String> labels) {
        Matcher label = LABEL_OF_TEXT.matcher(text);
        while (label.find()) {
            assertThat(labels).as(text).contains(label.group(1));
        }
    }

    @Test
    void rules_parse_andNameWhatThereIs() throws IOException {
        JsonNode groups = new YAMLMapper()
                .readTree(NamedTests.read("deploy", "prometheus/rules.yml"))
                .get("groups");
        Map<String, Set<String>> known = metrics();
        Set<String> names = new TreeSet<>();
        for (JsonNode group : groups) {
            assertThat(names.add(group.get("name").asText())).isTrue();
            for (JsonNode rule : group.get("rules")) {
                // A rule may use the rules before it.
                Set<String> labels = check(rule.get("expr").asText(), known);
                if (rule.has("record")) {
                    assertThat(rule.get("record").asText()).matches("warpnfs:[a-z_]+:[a-z0-9]+");
                    assertThat(known.put(rule.get("record").asText(), labels)).isNull();
                } else {
                    assertThat(names.add(rule.get("alert").asText())).isTrue();
                    assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
                    for (String annotation : List.of("summary", "description")) {
                        String text = rule.at("/annotations/" + annotation).asText();
                        assertThat(text).isNotBlank();
                        checkText(text, labels);
                    }
                }
            }
        }
        assertThat(names).hasSizeGreaterThan(10);
    }

    /** docs/operate.md says what to do about each alert. */
    @Test
    void alerts_areInTheHandbook() throws IOException {
        String page = NamedTests.read("docs", "operate.md");
        JsonNode rules = new YAMLMapper().readTree(NamedTests.read("deploy", "prometheus/rules.yml"));
        assertThat(rules.findValuesAsText("alert")).isNotEmpty().allSatisfy(alert -> assertThat(page)
                .contains("`" + alert + "`"));
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
                Set<String> labels = check(target.get("expr").asText(), metrics());
                checkText(target.path("legendFormat").asText(), labels);
                assertThat(target.get("expr").asText()).contains("instance=~\"$instance\"");
                expressions++;
            }
        }
        assertThat(expressions).isGreaterThan(50);
    }
}
