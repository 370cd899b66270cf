package org.warpnfs.nfs.v4.attr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.warpnfs.nfs.v4.attr.AclText.ace;
import static org.warpnfs.nfs.v4.attr.AclText.aces;
import static org.warpnfs.nfs.v4.attr.AclText.names;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** NFSv4 lists that POSIX can express, and those that it cannot. */
class AclFromNfs4Test {
    private static PosixAcl access(boolean directory, String... texts) throws Nfs4Exception {
        return switch (AclFromNfs4.map(aces(texts), directory).access()) {
            case Change.Replace(var acl) -> acl;
            case Change.Keep _, Change.Remove _ -> throw new AssertionError("an access list is always replaced");
        };
    }

    @Test
    void fromNfs4_allows_addUp() throws Exception {
        assertThat(access(false, "A::OWNER@:rwatTcCy", "A::GROUP@:rtcy", "A::EVERYONE@:rtcy"))
                .isEqualTo(PosixAcl.ofPermissions(0644));
        assertThat(access(false, "A::OWNER@:r", "A::OWNER@:wa", "A::1000:x", "A::EVERYONE@:r"))
                .isEqualTo(new PosixAcl(6, names(1000, 5), 4, names(), 5, 4));
        assertThat(access(false)).isEqualTo(PosixAcl.ofPermissions(0));
    }

    @Test
    void fromNfs4_writeOfAPart_isNone() throws Exception {
        assertThat(access(false, "A::OWNER@:rw", "A::GROUP@:a", "A::EVERYONE@:wa"))
                .isEqualTo(PosixAcl.ofPermissions(0622));
        assertThat(access(true, "A::OWNER@:rwa", "A::GROUP@:waD", "A::EVERYONE@:x"))
                .isEqualTo(PosixAcl.ofPermissions(0531));
    }

    @Test
    void fromNfs4_firstWord_counts() throws Exception {
        assertThat(access(false, "D::EVERYONE@:wa", "A::OWNER@:rwa", "A::EVERYONE@:r"))
                .isEqualTo(PosixAcl.ofPermissions(0444));
        assertThat(access(false, "A::OWNER@:rwa", "D::EVERYONE@:wa", "A::EVERYONE@:r"))
                .isEqualTo(PosixAcl.ofPermissions(0644));
    }

    @Test
    void fromNfs4_deniedGroup_takesFromWhoCouldBeInIt() throws Exception {
        assertThat(access(false, "A::1000:r", "D:g:2000:rx", "A::OWNER@:rx", "A::1001:r", "A::EVERYONE@:rx"))
                .isEqualTo(new PosixAcl(0, names(1000, 4, 1001, 0), 0, names(2000, 0), 4, 5));
    }

    @Test
    void fromNfs4_inheritance_makesADefaultListOnDirectoriesAlone() throws Exception {
        AclChanges changes = AclFromNfs4.map(
                aces("A:fdi:OWNER@:rwaDx", "A:fd:1000:rx", "A::OWNER@:rwaDx", "A:fd:EVERYONE@:x"), true);

        assertThat(changes)
                .isEqualTo(new AclChanges(
                        new Change.Replace(new PosixAcl(7, names(1000, 5), 1, names(), 5, 1)),
                        new Change.Replace(new PosixAcl(7, names(1000, 5), 1, names(), 5, 1))));
        assertThat(AclFromNfs4.map(aces("A::OWNER@:r"), true).inherited()).isEqualTo(Change.REMOVE);
        assertRefused(false, ace("A:f:OWNER@:r"));
        assertRefused(false, ace("A:di:OWNER@:r"));
        assertRefused(true, ace("A:f:OWNER@:r"));
        assertRefused(true, ace("A:d:OWNER@:r"));
        assertRefused(true, ace("A:i:OWNER@:r"));
    }

    private static void assertRefused(boolean directory, Nfs4Ace... aces) {
        Nfs4Exception refused =
                catchThrowableOfType(Nfs4Exception.class, () -> AclFromNfs4.map(List.of(aces), directory));
        assertThat(refused).as("%s", List.of(aces)).isNotNull();
        assertThat(refused.status()).isEqualTo(Nfs4Status.ATTRNOTSUPP);
    }

    @Test
    void fromNfs4_whatPosixCannotSay_attrNotSupp() throws Exception {
        Who owner = new Who.Owner();
        for (int type : new int[] {2, 3, 4, -1}) {
            assertRefused(true, new Nfs4Ace(type, 0, 1, owner));
        }
        for (int flag : new int[] {4, 0x10, 0x20, 0x80, 0x100, 1 << 31}) {
            assertRefused(true, new Nfs4Ace(0, flag, 1, owner));
        }
    }

    @Test
    void fromNfs4_permissionsThatPosixHasNot_areForgotten() throws Exception {
        assertThat(access(false, "D::GROUP@:y", "A::OWNER@:tTC", "D::EVERYONE@:tTcCy", "A::EVERYONE@:r"))
                .isEqualTo(PosixAcl.ofPermissions(0444));
    }

    @Test
    void fromNfs4_moreThanNfs3CanRead_noSpace() throws Exception {
        List<Nfs4Ace> aces = new ArrayList<>();
        for (int uid = 0; uid < 1020; uid++) {
            aces.add(new Nfs4Ace(0, 0, 1, new Who.User(uid)));
        }

        assertThat(AclFromNfs4.map(aces, false).access()).isInstanceOf(Change.Replace.class);

        aces.add(new Nfs4Ace(0, 0, 1, new Who.User(5000)));
        Nfs4Exception refused = catchThrowableOfType(Nfs4Exception.class, () -> AclFromNfs4.map(aces, false));
        assertThat(refused.status()).isEqualTo(Nfs4Status.NOSPC);
    }
}
