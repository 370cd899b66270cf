package org.warpnfs.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.idmap.StaticNames.Local;

class IdMapFileTest {
    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void name() {
        file = temporary.resolve("idmap");
    }

    private StaticNames read(String... lines) throws Exception {
        Files.writeString(file, String.join("\n", lines));
        return IdMapFile.read(file);
    }

    private void assertMistake(String said, String... lines) {
        assertThatThrownBy(() -> read(lines))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(file + ":" + lines.length + ": ")
                .hasMessageContaining(said);
    }

    @Test
    void read_sections_mapUsersGroupsOrBoth() throws Exception {
        StaticNames names = read(
                "# a comment",
                "[Static]",
                "alice@example.org = alice",
                "; another",
                "",
                "[Users]",
                "  bob@example.org=1001  ",
                "[groups]",
                "staff@example.org = 50",
                "bob@example.org = 4294967294");
        assertThat(names.users())
                .isEqualTo(Map.of("alice@example.org", new Local.Name("alice"), "bob@example.org", new Local.Id(1001)));
        assertThat(names.groups())
                .isEqualTo(Map.of(
                        "alice@example.org",
                        new Local.Name("alice"),
                        "staff@example.org",
                        new Local.Id(50),
                        "bob@example.org",
                        new Local.Id(4294967294L)));
    }

    @Test
    void read_mistakes_sayWhere() {
        assertMistake("[Genral]", "[Users]", "a@b = 1", "[Genral]");
        assertMistake("no section", "a@b = 1");
        assertMistake("not NAME", "[Users]", "a@b");
        assertMistake("not NAME", "[Users]", "= 5");
        assertMistake("not NAME", "[Users]", "a@b =");
        assertMistake("4294967295", "[Users]", "a@b = 4294967295");
        assertMistake("second time", "[Users]", "a@b = 1", "a@b = 2");
        assertMistake("second time", "[Static]", "a@b = 1", "[Groups]", "a@b = 2");
        assertMistake("digits", "[Users]", "1000 = 5");
    }

    @Test
    void read_noSuchFile_saysIt() {
        assertThatThrownBy(() -> IdMapFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--id-map " + file + ": there is no such file");
    }

    /** The messages of these Java exceptions have only the file's name. */
    @Test
    void reason_ofAFileThatCannotBeRead_isAWord() {
        assertThat(BoundedText.reason(new AccessDeniedException("/x"))).isEqualTo("permission denied");
        assertThat(BoundedText.reason(new NoSuchFileException("/x"))).isEqualTo("there is no such file");
        assertThat(BoundedText.reason(new IOException("Input/output error"))).contains("Input/output error");
    }
}
