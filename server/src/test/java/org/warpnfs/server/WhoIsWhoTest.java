package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.AnswerPending;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.nfs.idmap.UnknownName;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.IdentityChoices;

class WhoIsWhoTest {
    private static final StaticNames NUMBERS =
            new StaticNames(Map.of("alice@example.org", new StaticNames.Local.Id(1000)), Map.of());

    @Test
    void nothingChosen_isNumbersAndCredentials() throws ConfigException {
        assertThat(WhoIsWho.of(IdentityChoices.DEFAULT, () -> null)).isSameAs(Identities.NUMERIC);
    }

    @Test
    void cLibraryThatCannotBeAsked_isRefusedWhereItIsNeededAlone() throws Exception {
        assertThatThrownBy(() -> WhoIsWho.of(new IdentityChoices(true, MappedNames.Choices.NUMBERS), () -> null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--manage-gids");
        assertThatThrownBy(() -> WhoIsWho.of(
                        new IdentityChoices(false, new MappedNames.Choices("example.org", StaticNames.NONE, false)),
                        () -> null))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--id-domain");
        IdentityChoices byMap = new IdentityChoices(false, new MappedNames.Choices(null, NUMBERS, false));
        assertThat(WhoIsWho.of(byMap, () -> null)
                        .owners()
                        .idOf(Kind.USER, "alice@example.org".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(1000);
    }

    private interface Question<V> {
        V ask() throws AnswerPending, UnknownName;
    }

    /** Asks until the answer is known. On a busy machine this may take longer than a call waits. */
    private static <V> V answered(Question<V> question) throws Exception {
        while (true) {
            try {
                return question.ask();
            } catch (AnswerPending e) {
                Thread.sleep(10);
            }
        }
    }

    @Test
    void thisHost_namesAndGroups_areItsOwn() throws Exception {
        Identities identities =
                WhoIsWho.of(new IdentityChoices(true, new MappedNames.Choices("example.org", StaticNames.NONE, true)));
        byte[] root = "root@example.org".getBytes(StandardCharsets.UTF_8);
        assertThat(answered(() -> identities.owners().idOf(Kind.USER, root))).isZero();
        assertThat(answered(() -> identities.groups().groupsOf(4_000_000_123L, List.of(5L))))
                .isEmpty();
        // The server uses the number until it knows the name.
        byte[] number = "0".getBytes(StandardCharsets.UTF_8);
        byte[] name = identities.owners().nameOf(Kind.GROUP, 0);
        while (Arrays.equals(name, number)) {
            Thread.sleep(10);
            name = identities.owners().nameOf(Kind.GROUP, 0);
        }
        assertThat(name).isEqualTo(root);
    }
}
