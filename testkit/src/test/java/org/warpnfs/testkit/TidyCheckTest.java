package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TidyCheckTest {
    private static final Set<String> LEFT_OUT = Set.of(".git", "target", "out");
    private static final List<String> TEXTS =
            List.of(".java", ".md", ".sh", ".yaml", ".yml", ".xml", ".html", ".c", ".pl", ".js");
    private static final String LONG = "x".repeat(120);

    @Test
    void tree_isTidy() {
        Path top = Repository.top();
        List<String> findings = new ArrayList<>();
        List<Path> files = texts(top);
        files.forEach(
                file -> findings.addAll(TidyCheck.findings(top.relativize(file).toString(), read(file))));
        assertThat(files).hasSizeGreaterThan(1000);
        assertThat(findings).isEmpty();
    }

    @Test
    void wideLine_isFound() {
        assertThat(TidyCheck.findings("A.java", "a\n " + LONG)).containsExactly("A.java:2: 121 columns");
        assertThat(TidyCheck.findings("a.md", LONG + "y")).containsExactly("a.md:1: 121 columns");
        assertThat(TidyCheck.findings("A.java", LONG)).isEmpty();
    }

    @Test
    void wideLine_ofAScript_isFoundInCommentsOnly() {
        assertThat(TidyCheck.findings("run", "a\n  # " + LONG + "\n" + LONG + "y"))
                .containsExactly("run:2: 124 columns");
    }

    @Test
    void wideLine_ofATextBlockATableOrCode_isLeftOut_whatFollowsIsNot() {
        assertThat(TidyCheck.findings("A.java", "a(\"\"\"\n" + LONG + "y\n\"\"\");\n" + LONG + "z"))
                .containsExactly("A.java:4: 121 columns");
        assertThat(TidyCheck.findings("a.md", "```\n" + LONG + "y\n```\n| " + LONG + " |\n" + LONG + "z"))
                .containsExactly("a.md:5: 121 columns");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RFC 8881 %s 18.22",
                "RFC 8881, S%2$s 18.22",
                "RFC8881, %s 18.22",
                "RFC 8881 \u00a718.22",
                "RFC 8881, \u00a7 18.22",
                "RFC 8881\n * %s 18.22",
                "%s 18.22 of RFC 8881"
            })
    void citation_ofAnotherForm_isFound(String form) {
        assertThat(TidyCheck.findings("a.sh", form.formatted("section", "ection")))
                .hasSize(1);
    }

    @Test
    void citation_ofTheForm_isFine() {
        assertThat(TidyCheck.findings(
                        "A.java",
                        "RFC 8881, section 18.22, RFC 8881,\n * sections 3.2 and 3.3; RFC 5044, appendix A; RFC 5040"))
                .isEmpty();
    }

    private static List<Path> texts(Path top) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(top, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    return LEFT_OUT.contains(directory.getFileName().toString())
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && isText(file)) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Decides by the file's ending. A script without an ending is text too. */
    private static boolean isText(Path file) {
        String name = file.getFileName().toString();
        return TEXTS.stream().anyMatch(name::endsWith) || (!name.contains(".") && Files.isExecutable(file));
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
