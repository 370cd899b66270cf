package org.warpnfs.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the source tree for two rules that no formatter checks.
 *
 * <pre>
 *   rule       where                             what is left out
 *   columns    Java, Markdown, comments with #   text blocks; tables and fenced code of Markdown
 *   citations  all                               nothing
 * </pre>
 *
 * A citation names the RFC, then the place in it: "RFC 8881, section 18.22", "RFC 8881, sections 3.2 and 3.3", "RFC
 * 5044, appendix A". One form is easy to search for.
 */
public final class TidyCheck {
    /** The largest number of columns in a line. */
    public static final int COLUMNS = 120;

    private static final String PLACE = "(?:sections?|appendix|appendices|figures?|chapters?)";
    /** Matches the text between two words of a comment, which may be on two lines. */
    private static final String BETWEEN = "(?:[ \\t]|\\R[ \\t]*(?:\\*|//|#)?)+";

    private static final Pattern OTHER_CITATION = Pattern.compile(String.join(
            "|",
            // There is no comma between the RFC and the place.
            "RFC" + BETWEEN + "?\\d+" + BETWEEN + PLACE + "\\b",
            // There is no blank before the number.
            "RFC\\d+,?" + BETWEEN + PLACE + "\\b",
            // A section sign stands in the place of the word.
            "RFC" + BETWEEN + "\\d+,?" + BETWEEN + "?\u00a7",
            "\\bRFC" + BETWEEN + "\\d+," + BETWEEN + "(?:Section|Appendix|Figure|[Ss]ec\\.)",
            // The place stands before the RFC.
            "\\b" + PLACE + BETWEEN + "[A-Z\\d][\\d.]*" + BETWEEN + "of" + BETWEEN + "RFC"));

    private TidyCheck() {}

    /**
     * Returns the faults of one file, empty if there are none.
     *
     * @param name name of the file; its ending determines which rules apply
     */
    public static List<String> findings(String name, String text) {
        List<String> findings = new ArrayList<>();
        if (name.endsWith(".java")) {
            wide(name, text, "\"\"\"", line -> false, findings);
        } else if (name.endsWith(".md")) {
            wide(name, text, "```", line -> line.startsWith("|"), findings);
        } else {
            wide(name, text, "\0", line -> !line.startsWith("#"), findings);
        }
        Matcher citations = OTHER_CITATION.matcher(text);
        while (citations.find()) {
            long line = 1
                    + text.substring(0, citations.start())
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            findings.add(name + ":" + line + ": not of the form 'RFC 8881, section 18.22': "
                    + citations.group().replaceAll("\\s+", " "));
        }
        return findings;
    }

    /**
     * Finds lines that are too wide.
     *
     * @param mark begins and ends a part in which lines may be wide
     * @param leftOut whether a line may be wide; it gets the line without leading blanks
     */
    private static void wide(String name, String text, String mark, Predicate<String> leftOut, List<String> findings) {
        boolean marked = false;
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            boolean marks = (line.length() - line.replace(mark, "").length()) / mark.length() % 2 == 1;
            marked ^= marks;
            int columns = line.codePointCount(0, line.length());
            if (columns > COLUMNS && !marked && !marks && !leftOut.test(line.stripLeading())) {
                findings.add(name + ":" + number + ": " + columns + " columns");
            }
        }
    }
}
