package org.warpnfs.server.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.idmap.Accounts.Kind;

/** Compares the answers of the C library with the files that it reads. */
class SystemAccountsTest {
    private final SystemAccounts accounts = SystemAccounts.ofLibc().orElseThrow();

    /** Returns name and number of each line; passwd and group have the same columns for them. */
    private static Stream<List<String>> lines(String file) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .map(line -> List.of(line.split(":", -1)))
                .filter(fields -> fields.size() > 3 && !fields.getFirst().startsWith("+"));
    }

    @Test
    void users_byNameAndNumber_areThoseOfTheFile() throws IOException {
        for (List<String> user : lines("/etc/passwd").toList()) {
            assertThat(accounts.idOf(Kind.USER, user.getFirst())).contains(Long.parseLong(user.get(2)));
        }
        assertThat(accounts.nameOf(Kind.USER, 0)).contains("root");
    }

    @Test
    void groups_byNameAndNumber_areThoseOfTheFile() throws IOException {
        for (List<String> group : lines("/etc/group").toList()) {
            assertThat(accounts.idOf(Kind.GROUP, group.getFirst())).contains(Long.parseLong(group.get(2)));
        }
        assertThat(accounts.nameOf(Kind.GROUP, 0)).contains("root");
    }

    @Test
    void groupsOf_everyUser_areTheFirstOneAndThoseThatListIt() throws IOException {
        for (List<String> user : lines("/etc/passwd").toList()) {
            List<Long> listed = lines("/etc/group")
                    .filter(group -> List.of(group.get(3).split(",", -1)).contains(user.getFirst()))
                    .map(group -> Long.parseLong(group.get(2)))
                    .toList();
            assertThat(accounts.groupsOf(Long.parseLong(user.get(2))).orElseThrow())
                    .contains(Long.parseLong(user.get(3)))
                    .containsAll(listed);
        }
    }

    @Test
    void whatNobodyIsCalled_isNotFoundAndNoError() throws IOException {
        assertThat(accounts.idOf(Kind.USER, "no such user here")).isEmpty();
        assertThat(accounts.idOf(Kind.GROUP, "no such group here")).isEmpty();
        assertThat(accounts.nameOf(Kind.USER, 4_000_000_123L)).isEmpty();
        assertThat(accounts.nameOf(Kind.GROUP, 4_000_000_123L)).isEmpty();
        assertThat(accounts.groupsOf(4_000_000_123L)).isEmpty();
    }
}
