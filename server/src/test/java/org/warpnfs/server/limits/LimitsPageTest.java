package org.warpnfs.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.testkit.NamedTests;
import org.warpnfs.testkit.Repository;

/** Compares docs/limits.md with the server's defaults and counters, and with the names of tests. */
class LimitsPageTest {
    private static final int COLUMNS = 7;
    private static final Pattern NAME = Pattern.compile("`([a-z]+\\.[A-Za-z]+)`");
    private static final Pattern COUNTER = Pattern.compile("`([a-z_]+)`");
    private static final Pattern TEST = Pattern.compile("`([A-Za-z0-9_.]*)#([A-Za-z0-9_]+)`");
    private static final Pattern CONSTANT = Pattern.compile("`([A-Za-z0-9_.]+\\.[A-Z][A-Za-z0-9]+)\\.([A-Z_]+)`");
    private static final Pattern NUMBER = Pattern.compile("([0-9,]+)(?: (KiB|MiB|GiB|s|KiB/s))?(?: \\(.*\\))?");

    private final String page = NamedTests.read("docs", "limits.md");

    /** Returns the cells of each row that has all columns, without headings and rules. */
    private List<List<String>> rows() {
        return page.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| limit |"))
                .map(line -> Stream.of(line.substring(1).split("\\|", -1))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private static long number(String text) {
        Matcher matcher = NUMBER.matcher(text);
        assertThat(matcher.matches()).as(text).isTrue();
        long unit =
                switch (matcher.group(2) == null ? "" : matcher.group(2)) {
                    case "KiB", "KiB/s" -> 1L << 10;
                    case "MiB" -> 1L << 20;
                    case "GiB" -> 1L << 30;
                    default -> 1;
                };
        return unit * Long.parseLong(matcher.group(1).replace(",", ""));
    }

    private static Map<String, Long> numbers() throws ReflectiveOperationException {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (RecordComponent group : ServerLimits.class.getRecordComponents()) {
            Object values = group.getAccessor().invoke(ServerLimits.DEFAULT);
            for (RecordComponent component : group.getType().getRecordComponents()) {
                Object value = component.getAccessor().invoke(values);
                numbers.put(
                        group.getName() + "." + component.getName(),
                        value instanceof Duration time ? time.toSeconds() : ((Number) value).longValue());
            }
        }
        return numbers;
    }

    @Test
    void page_everyNumberOfTheServer_isThereWithItsDefault() throws ReflectiveOperationException {
        Map<String, Long> documented = new LinkedHashMap<>();
        for (List<String> row : rows()) {
            assertThat(row).as(row.getFirst()).hasSize(COLUMNS + 1);
            Matcher name = NAME.matcher(row.getFirst());
            if (name.matches()) {
                documented.put(name.group(1), number(row.get(2)));
            } else {
                assertThat(row.getFirst()).contains("(");
            }
        }
        assertThat(documented).containsExactlyInAnyOrderEntriesOf(numbers());
    }

    @Test
    void page_everyConstant_isAsInTheCode() throws ReflectiveOperationException {
        int constants = 0;
        for (List<String> row : rows()) {
            Matcher constant = CONSTANT.matcher(row.getFirst());
            if (constant.find()) {
                Field field = Class.forName("org.warpnfs." + constant.group(1)).getDeclaredField(constant.group(2));
                field.setAccessible(true);
                assertThat(((Number) field.get(null)).longValue())
                        .as(constant.group())
                        .isEqualTo(number(row.get(2)));
                constants++;
            }
        }
        assertThat(constants).isGreaterThan(10);
    }

    @Test
    void page_everyLimit_hasATestOrSaysWhyNot() {
        assertThat(rows().stream()
                        .filter(row -> !TEST.matcher(row.get(6)).find())
                        .filter(row -> !row.get(6).startsWith("none: "))
                        .map(List::getFirst))
                .isEmpty();
    }

    @Test
    void page_everyCounter_isCounted() throws Exception {
        Set<String> named = new TreeSet<>();
        for (List<String> row : rows()) {
            Matcher counter = COUNTER.matcher(row.get(5));
            while (counter.find()) {
                named.add(counter.group(1));
            }
        }
        assertThat(named).hasSizeGreaterThan(50);
        try (WarpServer server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)))) {
            assertThat(server.counters()).containsKeys(named.toArray(String[]::new));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limits.md", "security.md"})
    void page_everyTestOfEachModule_isInItsSource(String name) throws IOException {
        Path root = Repository.top();
        List<String> missing = new ArrayList<>();
        Map<String, String> sources = new LinkedHashMap<>();
        Matcher test = TEST.matcher(NamedTests.read("docs", name));
        String className = "";
        while (test.find()) {
            className = test.group(1).isEmpty() ? className : test.group(1);
            String source = sources.get(className);
            if (source == null) {
                source = source(root, className);
                sources.put(className, source);
            }
            if (!Pattern.compile("\\b" + test.group(2) + "\\b\\s*[(=]")
                    .matcher(source)
                    .find()) {
                missing.add(className + "#" + test.group(2));
            }
        }
        assertThat(sources).hasSizeGreaterThan(10);
        assertThat(missing).isEmpty();
    }

    /**
     * Returns the source of a test class; empty if no module has it. A contract that the class implements has its own
     * source, and the page names the contract itself.
     */
    private static String source(Path root, String className) throws IOException {
        Path file = Path.of("src", "test", "java", "org", "warpnfs").resolve(className.replace('.', '/') + ".java");
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.toList()) {
                if (Files.isRegularFile(module.resolve(file))) {
                    return Files.readString(module.resolve(file));
                }
            }
        }
        return "";
    }
}
