package org.warpnfs.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.OpenFile;

/** What docs/backend.md quotes and counts is what the sources have. */
class BackendPageTest {
    private static final Path TREE = Path.of("..");
    private static final Pattern QUOTE =
            Pattern.compile("<!-- quoted from (\\S+) -->\n```\\w*\n(.*?)```", Pattern.DOTALL);

    private static String page() throws IOException {
        return Files.readString(TREE.resolve("docs/backend.md"));
    }

    @Test
    void quotes_ofThePage_areInTheSources() throws IOException {
        Matcher quotes = QUOTE.matcher(page());
        int count = 0;
        while (quotes.find()) {
            assertThat(Files.readString(TREE.resolve(quotes.group(1))))
                    .as(quotes.group(1))
                    .contains(quotes.group(2));
            count++;
        }
        assertThat(page().split("```java", -1).length - 1)
                .as("each block of Java is a quote")
                .isEqualTo(count - 1);
    }

    @Test
    void methods_withoutADefault_areThoseOfThePage() throws IOException {
        String page = page();
        assertThat(page).contains("has eight methods without a default, and `OpenFile` four");
        for (Class<?> type : List.of(FileSystem.class, OpenFile.class)) {
            List<String> names = Arrays.stream(type.getMethods())
                    .filter(method -> Modifier.isAbstract(method.getModifiers()))
                    .map(Method::getName)
                    .toList();
            assertThat(names).hasSize(type == FileSystem.class ? 8 : 4);
            assertThat(names).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
        }
    }

    @Test
    void capabilities_ofTheSpi_areOnThePage() throws IOException {
        String page = page();
        for (Capability capability : Capability.values()) {
            assertThat(page).contains("`" + capability.name() + "`");
        }
    }
}
