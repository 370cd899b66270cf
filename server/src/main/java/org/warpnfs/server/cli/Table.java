package org.warpnfs.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Formats JSON rows as a text table. Columns are as wide as necessary, and numbers are aligned right. Control
 * characters in names that clients chose are replaced.
 */
final class Table {
    private static final int MAX_CELL = 80;
    private static final String GAP = "  ";

    private final List<Column> columns = new ArrayList<>();

    /** @param most the most characters that are shown of a cell */
    private record Column(String title, boolean toRight, Function<JsonNode, String> cell, int most) {}

    /** Adds a column of text. */
    Table text(String title, String property) {
        return column(title, row -> shown(row.path(property)));
    }

    /** Adds a column of numbers. */
    Table number(String title, String property) {
        columns.add(new Column(title, true, row -> shown(row.path(property)), MAX_CELL));
        return this;
    }

    /** Adds a column of text that is never cut, for text that administrators wrote. */
    Table whole(String title, String property) {
        columns.add(new Column(title, false, row -> shown(row.path(property)), Integer.MAX_VALUE));
        return this;
    }

    Table column(String title, Function<JsonNode, String> cell) {
        columns.add(new Column(title, false, cell, MAX_CELL));
        return this;
    }

    /** Returns a title line and a line for each row. */
    List<String> lines(Iterable<JsonNode> rows) {
        List<String[]> cells = new ArrayList<>();
        cells.add(columns.stream().map(Column::title).toArray(String[]::new));
        for (JsonNode row : rows) {
            cells.add(columns.stream()
                    .map(column -> clean(column.cell.apply(row), column.most))
                    .toArray(String[]::new));
        }
        int[] widths = new int[columns.size()];
        for (String[] line : cells) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        return cells.stream().map(line -> line(line, widths)).toList();
    }

    private String line(String[] cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.length; i++) {
            String blanks = " ".repeat(widths[i] - cells[i].length());
            line.append(i == 0 ? "" : GAP).append(columns.get(i).toRight ? blanks + cells[i] : cells[i] + blanks);
        }
        return line.toString().stripTrailing();
    }

    /** Returns a value as text; an absent value is a dash. */
    static String shown(JsonNode value) {
        return value.isMissingNode() || value.isNull() || (value.asText().isEmpty() && !value.isContainerNode())
                ? "-"
                : value.asText();
    }

    /** Returns the text without control characters, and cut if it is too long. */
    static String clean(String text) {
        return clean(text, MAX_CELL);
    }

    private static String clean(String text, int most) {
        return printable(text.length() > most ? "..." + text.substring(text.length() - most + 3) : text);
    }

    /** Returns the text without control characters. */
    static String printable(String text) {
        char[] characters = text.toCharArray();
        for (int i = 0; i < characters.length; i++) {
            int type = Character.getType(characters[i]);
            if (type == Character.CONTROL || type == Character.FORMAT) {
                characters[i] = '?';
            }
        }
        return new String(characters);
    }
}
