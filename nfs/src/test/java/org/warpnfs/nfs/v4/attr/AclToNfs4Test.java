package org.warpnfs.nfs.v4.attr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.attr.AclText.aces;
import static org.warpnfs.nfs.v4.attr.AclText.names;

import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.PosixAcl;

/** POSIX lists as NFSv4 clients see them. */
class AclToNfs4Test {
    /** The output of nfs4_getfacl for files on knfsd. */
    @Test
    void toNfs4_permissionsAlone_areWhatKnfsdTells() {
        assertThat(AclToNfs4.map(PosixAcl.ofPermissions(0644), null, false))
                .isEqualTo(aces("A::OWNER@:rwatTcCy", "A::GROUP@:rtcy", "A::EVERYONE@:rtcy"));
        assertThat(AclToNfs4.map(PosixAcl.ofPermissions(0755), null, true))
                .isEqualTo(aces("A::OWNER@:rwaDxtTcCy", "A::GROUP@:rxtcy", "A::EVERYONE@:rxtcy"));
        assertThat(AclToNfs4.map(PosixAcl.ofPermissions(0604), null, false))
                .isEqualTo(aces("A::OWNER@:rwatTcCy", "A::GROUP@:tcy", "D::GROUP@:r", "A::EVERYONE@:rtcy"));
        assertThat(AclToNfs4.map(PosixAcl.ofPermissions(0076), null, false))
                .isEqualTo(aces("D::OWNER@:rwax", "A::OWNER@:tTcCy", "A::GROUP@:rwaxtcy", "A::EVERYONE@:rwatcy"));
    }

    @Test
    void toNfs4_namedUsersAndGroups_areCutByTheMaskAndDeniedInTurn() {
        PosixAcl acl = new PosixAcl(6, names(1000, 7, 1001, 0), 5, names(2000, 7), 5, 4);

        assertThat(AclToNfs4.map(acl, null, false))
                .isEqualTo(aces(
                        "D::OWNER@:x",
                        "A::OWNER@:rwatTcCy",
                        "A::1000:rxtcy",
                        "D::1001:rx",
                        "A::1001:tcy",
                        "A::GROUP@:rxtcy",
                        "A:g:2000:rxtcy",
                        "A::EVERYONE@:rtcy"));

        PosixAcl closed = new PosixAcl(7, names(), 0, names(2000, 1), 7, 6);
        assertThat(AclToNfs4.map(closed, null, true))
                .isEqualTo(aces(
                        "A::OWNER@:rwaDxtTcCy",
                        "A::GROUP@:tcy",
                        "A:g:2000:xtcy",
                        "D::GROUP@:rwaD",
                        "D:g:2000:rwaD",
                        "A::EVERYONE@:rwaDtcy"));
    }

    @Test
    void toNfs4_defaultList_followsAsInheritOnly() {
        assertThat(AclToNfs4.map(PosixAcl.ofPermissions(0700), PosixAcl.ofPermissions(0750), true))
                .isEqualTo(aces(
                        "A::OWNER@:rwaDxtTcCy",
                        "A::GROUP@:tcy",
                        "A::EVERYONE@:tcy",
                        "A:fdi:OWNER@:rwaDxtTcCy",
                        "A:fdi:GROUP@:rxtcy",
                        "A:fdi:EVERYONE@:tcy"));
    }
}
