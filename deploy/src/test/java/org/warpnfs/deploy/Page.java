package org.warpnfs.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of Markdown.
 *
 * @param name the path of the file in the tree
 * @param prose the text outside of fences
 * @param blocks the lines of each fence; a line that ends in a backslash is joined with the next
 */
record Page(String name, String prose, List<List<String>> blocks) {
    /** The tree: tests run in deploy/. */
    static final Path TREE = Path.of("").toAbsolutePath().getParent();

    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

    static Page of(String name) throws IOException {
        StringBuilder prose = new StringBuilder();
        List<List<String>> blocks = new ArrayList<>();
        StringBuilder joined = new StringBuilder();
        boolean fenced = false;
        for (String line : Files.readAllLines(TREE.resolve(name))) {
            if (line.startsWith("```")) {
                fenced = !fenced;
                blocks.add(new ArrayList<>());
            } else if (!fenced) {
                prose.append(line).append('\n');
            } else if (line.endsWith("\\")) {
                joined.append(line, 0, line.length() - 1);
            } else {
                blocks.getLast().add(joined + line);
                joined.setLength(0);
            }
        }
        return new Page(name, prose.toString(), blocks);
    }

    /** Returns the texts in backquotes, which may span lines. */
    List<String> spans() {
        return all(SPAN);
    }

    /** Returns the targets of links. */
    List<String> links() {
        return all(LINK);
    }

    private List<String> all(Pattern pattern) {
        return pattern.matcher(prose)
                .results()
                .map(found -> found.group(1).replace('\n', ' '))
                .toList();
    }

    /** Returns the lines within fences. */
    List<String> shown() {
        return blocks.stream().flatMap(List::stream).toList();
    }

    /**
     * Returns the commands: lines in fences, and texts in backquotes. In a block with prompts the other lines are
     * output.
     */
    List<String> commands() {
        return Stream.concat(blocks.stream().flatMap(Page::typed), spans().stream())
                .toList();
    }

    private static Stream<String> typed(List<String> block) {
        return block.stream().anyMatch(line -> line.startsWith("$ "))
                ? block.stream().filter(line -> line.startsWith("$ ")).map(line -> line.substring(2))
                : block.stream();
    }

    /** Returns the anchors of its headings. */
    List<String> anchors() {
        return Pattern.compile("(?m)^#+ (.+)$")
                .matcher(prose)
                .results()
                .map(Page::anchor)
                .toList();
    }

    private static String anchor(MatchResult heading) {
        return heading.group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Override
    public String toString() {
        return name;
    }
}
