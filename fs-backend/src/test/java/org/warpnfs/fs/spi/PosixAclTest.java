package org.warpnfs.fs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The rules of acl(5) and acl_valid(3), tested on lists without files. */
class PosixAclTest {
    private static final AclEntry OWNER = new AclEntry.UserObj(7);
    private static final AclEntry GROUP = new AclEntry.GroupObj(5);
    private static final AclEntry OTHER = new AclEntry.Other(1);
    private static final AclEntry MASK = new AclEntry.Mask(4);

    private static void assertInvalid(AclEntry... entries) {
        FsException refused = catchThrowableOfType(FsException.class, () -> PosixAcl.of(List.of(entries)));
        assertThat(refused).as("%s", List.of(entries)).isNotNull();
        assertThat(refused.error()).isEqualTo(FsError.INVALID);
    }

    @Test
    void of_shuffledEntries_areInOrder() throws Exception {
        List<AclEntry> ordered = List.of(
                OWNER,
                new AclEntry.User(0, 7),
                new AclEntry.User(4_294_967_294L, 1),
                GROUP,
                new AclEntry.Group(3, 0),
                new AclEntry.Group(20, 7),
                MASK,
                OTHER);
        List<AclEntry> shuffled = new ArrayList<>(ordered);
        Collections.shuffle(shuffled, new Random(1));
        PosixAcl acl = PosixAcl.of(shuffled);
        assertThat(acl.entries()).isEqualTo(ordered);
        assertThat(acl.entryCount()).isEqualTo(8);
        assertThat(acl.permissionBits()).isEqualTo(0741);
        assertThat(acl.isMinimal()).isFalse();
    }

    @Test
    void of_entriesThatAclValidRefuses_invalid() {
        assertInvalid();
        assertInvalid(OWNER, GROUP);
        assertInvalid(OWNER, OTHER);
        assertInvalid(GROUP, OTHER);
        assertInvalid(OWNER, OWNER, GROUP, OTHER);
        assertInvalid(OWNER, GROUP, GROUP, OTHER);
        assertInvalid(OWNER, GROUP, OTHER, new AclEntry.Other(7));
        assertInvalid(OWNER, GROUP, MASK, MASK, OTHER);
        assertInvalid(OWNER, new AclEntry.User(5, 7), GROUP, OTHER);
        assertInvalid(OWNER, GROUP, new AclEntry.Group(5, 7), OTHER);
        assertInvalid(OWNER, new AclEntry.User(5, 7), new AclEntry.User(5, 6), GROUP, MASK, OTHER);
        assertInvalid(OWNER, GROUP, new AclEntry.Group(5, 7), new AclEntry.Group(5, 7), MASK, OTHER);
        assertInvalid(OWNER, new AclEntry.User(0xffff_ffffL, 7), GROUP, MASK, OTHER);
        assertInvalid(OWNER, new AclEntry.User(-1, 7), GROUP, MASK, OTHER);
        assertInvalid(new AclEntry.UserObj(8), GROUP, OTHER);
        assertInvalid(OWNER, GROUP, new AclEntry.Mask(-1), OTHER);
    }

    @Test
    void constructor_whatOfRefuses_isRefusedToo() {
        TreeMap<Long, Integer> someone = new TreeMap<>(Map.of(5L, 7));
        TreeMap<Long, Integer> nobody = new TreeMap<>();
        assertThat(catchThrowableOfType(
                        IllegalArgumentException.class, () -> new PosixAcl(7, someone, 7, nobody, null, 7)))
                .isNotNull();
        assertThat(catchThrowableOfType(
                        IllegalArgumentException.class, () -> new PosixAcl(7, nobody, 9, nobody, null, 7)))
                .isNotNull();
        PosixAcl acl = new PosixAcl(7, someone, 7, nobody, 7, 7);
        someone.put(6L, 7);
        assertThat(acl.users()).containsOnlyKeys(5L);
    }

    @Test
    void ofPermissions_each_saysTheSameBack() throws Exception {
        for (int permissions = 0; permissions <= 0777; permissions++) {
            PosixAcl acl = PosixAcl.ofPermissions(permissions);
            assertThat(acl.permissionBits()).isEqualTo(permissions);
            assertThat(acl.isMinimal()).isTrue();
            assertThat(PosixAcl.of(acl.entries())).isEqualTo(acl);
        }
    }

    @Test
    void inherited_permissionsWanted_cutOwnerMaskAndOthersAlone() throws Exception {
        PosixAcl template = PosixAcl.of(
                List.of(new AclEntry.UserObj(7), new AclEntry.User(5, 7), new AclEntry.GroupObj(7), MASK, OTHER));
        assertThat(template.inherited(0600).entries())
                .containsExactly(
                        new AclEntry.UserObj(6),
                        new AclEntry.User(5, 7),
                        new AclEntry.GroupObj(7),
                        new AclEntry.Mask(0),
                        new AclEntry.Other(0));
        assertThat(template.inherited(07777)).isEqualTo(template);
    }
}
