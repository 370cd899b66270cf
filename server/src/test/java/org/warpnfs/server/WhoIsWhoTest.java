package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.StaticNames;
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

    @Test
    void thisHost_namesAndGroups_areItsOwn() throws Exception {
        Identities identities =
                WhoIsWho.of(new IdentityChoices(true, new MappedNames.Choices("example.org", StaticNames.NONE, true)));
        assertThat(identities.owners().idOf(Kind.USER, "root@example.org".getBytes(StandardCharsets.UTF_8)))
                .isZero();
        assertThat(new String(identities.owners().nameOf(Kind.GROUP, 0), StandardCharsets.UTF_8))
                .isEqualTo("root@example.org");
        assertThat(identities.groups().groupsOf(4_000_000_123L, List.of(5L))).isEmpty();
    }
}
