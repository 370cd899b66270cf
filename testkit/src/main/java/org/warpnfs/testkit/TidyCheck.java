package org.warpnfs.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds the text of the tree to two rules that no formatter knows.
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
    /** Columns that a line may have. */
    public static final int COLUMNS = 120;

    private static final String PLACE = "(?:sections?|appendix|appendices|figures?|chapters?)";
    /** What stands between two words of a comment that are on two lines. */
    private static final String BETWEEN = "(?:[ \\t]|\\R[ \\t]*(?:\\*|//|#)?)+";

    private static final Pattern OTHER_CITATION = Pattern.compile(String.join(
            "|",
            // no comma between the RFC and the place
            "RFC" + BETWEEN + "?\\d+" + BETWEEN + PLACE + "\\b",
            // no blank before the number
            "RFC\\d+,?" + BETWEEN + PLACE + "\\b",
            // with a sign or another word for the section
            "RFC" + BETWEEN + "\\d+,?" + BETWEEN + "?\u00a7",
            "\\bRFC" + BETWEEN + "\\d+," + BETWEEN + "(?:Section|Appendix|Figure|[Ss]ec\\.)",
            // the place first
            "\\b" + PLACE + BETWEEN + "[A-Z\\d][\\d.]*" + BETWEEN + "of" + BETWEEN + "RFC"));

    private TidyCheck() {}

    /**
     * What is wrong with one file; empty if nothing is.
     *
     * @param name of the file, whose ending decides what is looked at
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
     * Looks for wide lines.
     *
     * @param mark stands before and after what may be wide
     * @param leftOut whether a line, without the blanks before it, may be wide
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
