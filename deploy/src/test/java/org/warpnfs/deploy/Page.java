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
 * A page of Markdown, as a reader copies from it.
 *
 * @param name of the file, below the tree
 * @param prose all but what stands in fences
 * @param blocks of lines within fences, with those that end in a backslash joined to the next
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

    /** Words in backquotes; lines may break within. */
    List<String> spans() {
        return all(SPAN);
    }

    /** Where links lead, as they are written. */
    List<String> links() {
        return all(LINK);
    }

    private List<String> all(Pattern pattern) {
        return pattern.matcher(prose)
                .results()
                .map(found -> found.group(1).replace('\n', ' '))
                .toList();
    }

    /** Lines within fences. */
    List<String> shown() {
        return blocks.stream().flatMap(List::stream).toList();
    }

    /**
     * What is shown to be typed: lines in fences, words in backquotes. Where a block has prompts its other lines are
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

    /** The names by which links find its headings. */
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
