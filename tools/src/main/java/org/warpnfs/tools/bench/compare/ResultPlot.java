package org.warpnfs.tools.bench.compare;

import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The results as a picture (SVG 1.1). It has a panel for each group, a bar for each median, and a line from the lowest
 * to the highest round.
 *
 * <p>The colours follow the reader's choice of light or dark. The picture has a background of its own, so that it is
 * readable on any page.
 */
final class ResultPlot {
    private static final int WIDTH = 860;
    private static final int LABEL = 250;
    private static final int BAR_RIGHT = 700;
    private static final int LINE = 22;
    private static final int BAR = 14;
    private static final int MARGIN = 20;
    private static final int PANEL_HEAD = 40;

    private static final String STYLE = """
            <style>
            .ground { fill: #ffffff } text { fill: #1b1f24; font: 13px sans-serif } .head { font-weight: bold }
            .small { font-size: 12px; fill: #57606a } .rule { stroke: #d0d7de } .range { stroke: #1b1f24 }
            .bare { fill: #8c959f } .warpnfs { fill: #1f6feb } .ganesha { fill: #bc6c00 }
            @media (prefers-color-scheme: dark) {
            .ground { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9198a1 } .rule { stroke: #3d444d }
            .range { stroke: #e6edf3 } .bare { fill: #656c76 } .warpnfs { fill: #4493f8 } .ganesha { fill: #d29922 }
            }
            </style>
            """;

    private final StringBuilder body = new StringBuilder();
    private final Results results;
    private int y = MARGIN;

    private ResultPlot(Results results) {
        this.results = results;
    }

    static String of(Results results) {
        return new ResultPlot(results).text();
    }

    private String text() {
        for (Row.Group group : results.plan().groups()) {
            if (!results.measured(group).isEmpty()) {
                for (Figure figure : figures(group.work())) {
                    panel(group, figure);
                }
            }
        }
        return line(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">",
                        WIDTH, y, WIDTH, y)
                + line("<title>warpnfs beside bare loops and NFS-Ganesha: medians and ranges</title>")
                + STYLE
                + line("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>", WIDTH, y)
                + body
                + "</svg>\n";
    }

    /** The figures of a panel: throughput and the server's CPU time. */
    private static List<Figure> figures(Work work) {
        List<Figure> all = ResultTable.figures(work);
        return List.of(all.get(1), all.get(0));
    }

    private void panel(Row.Group group, Figure figure) {
        List<Row> rows = results.measured(group);
        List<Spread> spreads = new ArrayList<>();
        for (Row row : rows) {
            Optional<Spread> spread = results.spread(row, figure);
            spreads.add(spread.orElseThrow());
        }
        double most = spreads.stream().mapToDouble(Spread::max).max().orElse(0);
        double scale = most > 0 ? (BAR_RIGHT - LABEL) / most : 0;
        boolean less = figure != ResultTable.figures(group.work()).getFirst();
        body.append(line(
                "<text class=\"head\" x=\"%d\" y=\"%d\">%s: %s</text>",
                MARGIN, y + 14, escaped(group.title()), escaped(figure.title())));
        body.append(line(
                "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s is better</text>",
                WIDTH - MARGIN, y + 14, less ? "less" : "more"));
        body.append(line(
                "<line class=\"rule\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
                MARGIN, y + 22, WIDTH - MARGIN, y + 22));
        y += PANEL_HEAD - 10;
        for (int i = 0; i < rows.size(); i++) {
            bar(rows.get(i), spreads.get(i), scale);
        }
        y += MARGIN;
    }

    private void bar(Row row, Spread spread, double scale) {
        int middle = y + BAR / 2;
        Kind kind = row.competitor().kind();
        String colour = kind.bare() ? "bare" : kind == Kind.GANESHA ? "ganesha" : "warpnfs";
        body.append(line(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
                LABEL - 8, middle + 5, escaped(row.competitor().title())));
        body.append(line(
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                colour, LABEL, y, spread.median() * scale, BAR));
        if (spread.min() < spread.max()) {
            body.append(line(
                    "<line class=\"range\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                    LABEL + spread.min() * scale, middle, LABEL + spread.max() * scale, middle));
        }
        body.append(line(
                "<text class=\"small\" x=\"%.1f\" y=\"%d\">%s</text>",
                LABEL + spread.max() * scale + 8, middle + 5, spread.text()));
        y += LINE;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    @FormatMethod
    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values) + "\n";
    }
}
