package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The parser that checks rules and dashboards. It must refuse what Prometheus refuses, and accept what our rules use.
 */
class PromQlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "up",
                "up == 0",
                "up{job=~\"warpnfs.*\"} == 0",
                "sum by (instance, le) (rate(a_bucket{x=\"y\",}[5m]))",
                "sum(rate(a_total[1h30m])) by (instance)",
                "histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m])))",
                "a > 0 and b / c > 0.9",
                "a / on (instance, budget) b > 0.9",
                "a * on (instance) group_left (version) b",
                "-a ^ 2 ^ 3",
                "topk(5, a)",
                "increase(a_total[10m] offset 1d) > 1e3 or b",
                "(a + b) * 8",
                "1 + 2",
                "1 > bool 2",
                "{job=\"warpnfs\"}",
                "max(count)",
            })
    void parses(String expression) {
        assertThat(PromQl.parse(expression).type()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a b",
                "a[5m]",
                "\"a\"",
                "rate(a_total)",
                "rate(a_total[5])",
                "rate(a_total[5m]",
                "rate(a_total[5m]))",
                "rates(a_total[5m])",
                "sum by instance (a)",
                "sum by (a:b) (c)",
                "histogram_quantile(sum(rate(a[5m])), 0.9)",
                "topk(a)",
                "a{x=y}",
                "a{x==\"y\"}",
                "a{x=~\"(\"}",
                "a{x=\"y\"",
                "{}",
                "1 > 2",
                "a and 1",
                "a + bool b",
                "a + on (instance) 1",
                "a ==",
                "a &",
                "a[5m][5m]",
                "rate((a)[5m])",
                "- \"a\"",
                "5mm",
            })
    void refuses(String expression) {
        assertThatThrownBy(() -> PromQl.parse(expression)).isInstanceOf(PromQlException.class);
    }

    @Test
    void selectors_areFoundWithTheirLabelsAndTheFunctionAroundThem() {
        PromQl.Parsed parsed = PromQl.parse("sum by (le, x) (rate(a_bucket{y=\"1\"}[5m])) > b");
        assertThat(parsed.selectors())
                .containsExactly(
                        new PromQl.Selector("a_bucket", java.util.Set.of("y"), true, "rate"),
                        new PromQl.Selector("b", java.util.Set.of(), false, ""));
        assertThat(parsed.grouping()).containsExactlyInAnyOrder("le", "x");
    }
}
