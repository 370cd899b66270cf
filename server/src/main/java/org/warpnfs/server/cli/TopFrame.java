package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The output of {@code warpnfs top}: rates between two answers of {@code /v1/activity}, as lines of text. Independent
 * of the terminal.
 */
final class TopFrame {
    private static final double MEGA = 1e6;
    private static final double NANOS_OF_MILLI = 1e6;
    private static final double NANOS_OF_SECOND = 1e9;
    private static final String WHOLE = "COMPOUND";

    private final JsonNode before;
    private final JsonNode after;
    private final double seconds;

    /** @param before the earlier answer; the same object as {@code after} if there is none, which gives rates of 0 */
    TopFrame(JsonNode before, JsonNode after) {
        this.before = before;
        this.after = after;
        this.seconds =
                Math.max(0, after.path("nanos").asLong() - before.path("nanos").asLong()) / NANOS_OF_SECOND;
    }

    /** A line of the lower half, with the rate by which it is sorted. */
    private record Rated(double perSecond, String line) {}

    /**
     * Returns the text.
     *
     * @param title the first line
     * @param most the most lines; the rows with the lowest rates are left out
     */
    List<String> lines(String title, int most) {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        lines.add("");
        lines.addAll(transports());
        lines.add("");
        lines.addAll(pressure());
        lines.add("");
        int left = most - lines.size();
        List<String> clients = top(clients(), Math.clamp(left / 3, 1, 10));
        List<String> operations = top(operations(), Math.max(1, left - clients.size() - 3));
        lines.add(format(
                "%-7s %-7s %-20s %-9s %10s %10s %10s",
                "PROGRAM", "VERSION", "OPERATION", "TRANSPORT", "OPS/S", "AVG MS", "ERR/S"));
        lines.addAll(operations);
        lines.add("");
        lines.add(format("%-45s %10s %10s", "CLIENT", "CONNS", "OPS/S"));
        lines.addAll(clients);
        return List.copyOf(lines.subList(0, Math.min(lines.size(), Math.max(most, 1))));
    }

    private static List<String> top(List<Rated> rows, int most) {
        return rows.stream()
                .sorted(Comparator.comparingDouble(Rated::perSecond).reversed().thenComparing(Rated::line))
                .limit(most)
                .map(Rated::line)
                .toList();
    }

    private List<String> transports() {
        List<String> lines = new ArrayList<>();
        lines.add(format(
                "%-12s %8s %10s %10s %10s %10s", "TRANSPORT", "CONNS", "OPS/S", "MB/S IN", "MB/S OUT", "AVG MS"));
        for (Map.Entry<String, JsonNode> transport : after.path("transports").properties()) {
            JsonNode now = transport.getValue();
            JsonNode then = before.path("transports").path(transport.getKey());
            lines.add(format(
                    "%-12s %8d %10.1f %10.2f %10.2f %10s",
                    transport.getKey(),
                    now.path("connections").asInt(),
                    rate(then, now, "calls"),
                    rate(then, now, "receivedBytes") / MEGA,
                    rate(then, now, "sentBytes") / MEGA,
                    mean(then, now, "calls")));
        }
        return lines;
    }

    private List<String> pressure() {
        List<String> lines = new ArrayList<>();
        StringBuilder waiting = new StringBuilder("waiting:");
        for (JsonNode budget : after.path("pressure")) {
            lines.add(format("%-18s %s", budget.path("name").asText(), AdminCommands.used(budget)));
        }
        after.path("waiting").properties().forEach(queue -> waiting.append(' ')
                .append(queue.getKey())
                .append(' ')
                .append(queue.getValue().asLong())
                .append(';'));
        lines.add(waiting.substring(0, waiting.length() - 1));
        return lines;
    }

    /** Returns the rows of operations; a COMPOUND is represented by its operations. */
    private List<Rated> operations() {
        Map<String, JsonNode> then = new HashMap<>();
        before.path("operations").forEach(row -> then.put(nameOf(row), row));
        List<Rated> rows = new ArrayList<>();
        for (JsonNode now : after.path("operations")) {
            JsonNode was = then.getOrDefault(nameOf(now), now.path("none"));
            double perSecond = rate(was, now, "count");
            if (perSecond > 0 && !now.path("operation").asText().equals(WHOLE)) {
                rows.add(new Rated(
                        perSecond,
                        format(
                                "%-7s %-7s %-20s %-9s %10.1f %10s %10.1f",
                                now.path("program").asText(),
                                now.path("version").asText(),
                                now.path("operation").asText(),
                                now.path("transport").asText(),
                                perSecond,
                                mean(was, now, "count"),
                                rate(was, now, "errors"))));
            }
        }
        return rows;
    }

    private static String nameOf(JsonNode row) {
        return row.path("program").asText() + " " + row.path("version").asText() + " "
                + row.path("operation").asText() + " " + row.path("transport").asText();
    }

    private List<Rated> clients() {
        Map<String, JsonNode> then = new HashMap<>();
        before.path("clients").forEach(row -> then.put(row.path("client").asText(), row));
        List<Rated> rows = new ArrayList<>();
        for (JsonNode now : after.path("clients")) {
            String client = now.path("client").asText();
            double perSecond = rate(then.getOrDefault(client, now), now, "calls");
            rows.add(new Rated(
                    perSecond,
                    format("%-45s %10d %10.1f", client, now.path("connections").asInt(), perSecond)));
        }
        return rows;
    }

    /** Returns a rate, never below 0: connections may have closed, or the server may have restarted. */
    private double rate(JsonNode then, JsonNode now, String property) {
        return seconds == 0 ? 0 : growth(then, now, property) / seconds;
    }

    private static double growth(JsonNode then, JsonNode now, String property) {
        return Math.max(0, now.path(property).asLong() - then.path(property).asLong());
    }

    /** Returns the mean milliseconds of the calls between the answers; a dash if there were none. */
    private static String mean(JsonNode then, JsonNode now, String count) {
        double ended = growth(then, now, count);
        return ended == 0 ? "-" : format("%.3f", growth(then, now, "nanos") / ended / NANOS_OF_MILLI);
    }

    @FormatMethod
    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
