package org.warpnfs.nfs.v4.attr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.testkit.Seeds;

/** Both ways between POSIX and NFSv4 lists, in the words of nfs4_acl(5): type:flags:who:permissions. */
class AclMappingTest {
    private static final String LETTERS = "rwaxDtTcCy";
    private static final int[] BITS = {1, 2, 4, 0x20, 0x40, 0x80, 0x100, 0x2_0000, 0x4_0000, 0x10_0000};
    private static final long OWNER = 1;
    private static final long GROUP = 11;

    private static Nfs4Ace ace(String text) {
        List<String> words = Stream.of(text.split(":", -1)).toList();
        int mask = 0;
        for (char letter : words.get(3).toCharArray()) {
            mask |= BITS[LETTERS.indexOf(letter)];
        }
        int flags = 0;
        boolean isGroup = false;
        for (char letter : words.get(1).toCharArray()) {
            switch (letter) {
                case 'f' -> flags |= 1;
                case 'd' -> flags |= 2;
                case 'i' -> flags |= 8;
                default -> isGroup = true;
            }
        }
        Who who =
                switch (words.get(2)) {
                    case "OWNER@" -> new Who.Owner();
                    case "GROUP@" -> new Who.OwningGroup();
                    case "EVERYONE@" -> new Who.Everyone();
                    default -> {
                        long id = Long.parseLong(words.get(2));
                        yield isGroup ? new Who.Group(id) : new Who.User(id);
                    }
                };
        return new Nfs4Ace(words.get(0).equals("A") ? 0 : 1, flags, mask, who);
    }

    private static List<Nfs4Ace> aces(String... texts) {
        return Stream.of(texts).map(AclMappingTest::ace).toList();
    }

    private static PosixAcl access(boolean directory, String... texts) throws Nfs4Exception {
        return switch (AclFromNfs4.map(aces(texts), directory).access()) {
            case Change.Replace(var acl) -> acl;
            case Change.Keep _, Change.Remove _ -> throw new AssertionError("an access list is always replaced");
        };
    }

    private static SortedMap<Long, Integer> names(long... idsAndPermissions) {
        SortedMap<Long, Integer> names = new TreeMap<>();
        for (int i = 0; i < idsAndPermissions.length; i += 2) {
            names.put(idsAndPermissions[i], (int) idsAndPermissions[i + 1]);
        }
        return names;
    }

    /** What nfs4_getfacl shows of files on knfsd. */
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
        AclChanges changes =
                AclFromNfs4.map(aces("A:fdi:OWNER@:rwaDx", "A:d:1000:rx", "A::OWNER@:rwaDx", "A:f:EVERYONE@:x"), true);
        assertThat(changes)
                .isEqualTo(new AclChanges(
                        new Change.Replace(new PosixAcl(7, names(1000, 5), 1, names(), 5, 1)),
                        new Change.Replace(new PosixAcl(7, names(1000, 5), 1, names(), 5, 1))));
        assertThat(AclFromNfs4.map(aces("A::OWNER@:r"), true).inherited()).isEqualTo(Change.REMOVE);
        assertRefused(false, ace("A:f:OWNER@:r"));
        assertRefused(false, ace("A:di:OWNER@:r"));
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

    @Test
    void posixList_thereAndBack_grantsTheSame() {
        Seeds.each(300, seed -> {
            Random random = new Random(seed);
            boolean directory = random.nextBoolean();
            PosixAcl acl = randomPosix(random);
            PosixAcl inherited = directory && random.nextBoolean() ? randomPosix(random) : null;
            AclChanges back = AclFromNfs4.map(AclToNfs4.map(acl, inherited, directory), directory);
            assertThat(back)
                    .isEqualTo(new AclChanges(
                            new Change.Replace(effective(acl)),
                            inherited == null ? Change.REMOVE : new Change.Replace(effective(inherited))));
        });
    }

    /** The mask has done its work, and is no wider than it has to be. */
    private static PosixAcl effective(PosixAcl acl) {
        int mask = acl.mask() == null ? 7 : acl.mask();
        SortedMap<Long, Integer> users = new TreeMap<>(acl.users());
        SortedMap<Long, Integer> groups = new TreeMap<>(acl.groups());
        users.replaceAll((id, permissions) -> permissions & mask);
        groups.replaceAll((id, permissions) -> permissions & mask);
        int union = acl.group() & mask;
        for (int permissions : users.values()) {
            union |= permissions;
        }
        for (int permissions : groups.values()) {
            union |= permissions;
        }
        boolean minimal = users.isEmpty() && groups.isEmpty();
        return new PosixAcl(
                acl.owner(), users, acl.group() & mask, groups, minimal ? null : (Integer) union, acl.other());
    }

    @Test
    void posixList_asNfs4ReadsIt_grantsTheSame() {
        Seeds.each(300, seed -> {
            Random random = new Random(seed);
            PosixAcl acl = randomPosix(random);
            List<Nfs4Ace> aces = AclToNfs4.map(acl, randomPosix(random), true);
            for (int i = 0; i < 20; i++) {
                Caller caller = randomCaller(random);
                for (int permission : new int[] {4, 2, 1}) {
                    assertThat(allows(aces, caller, maskOf(permission, true)))
                            .as("%s of %s to %s", permission, acl, caller)
                            .isEqualTo(acl.allows(caller, OWNER, GROUP, permission));
                }
            }
        });
    }

    @Test
    void nfs4List_asPosixReadsIt_grantsNoMore() {
        Seeds.each(1000, seed -> {
            Random random = new Random(seed);
            boolean directory = random.nextBoolean();
            List<Nfs4Ace> aces = randomNfs4(random, directory);
            PosixAcl acl =
                    switch (AclFromNfs4.map(aces, directory).access()) {
                        case Change.Replace(var replaced) -> replaced;
                        case Change.Keep _, Change.Remove _ -> throw new AssertionError("no list");
                    };
            for (int i = 0; i < 20; i++) {
                Caller caller = randomCaller(random);
                for (int permission : new int[] {4, 2, 1}) {
                    if (acl.allows(caller, OWNER, GROUP, permission)) {
                        assertThat(allows(aces, caller, maskOf(permission, directory)))
                                .as("%s of %s, which became %s, to %s", permission, aces, acl, caller)
                                .isTrue();
                    }
                }
            }
        });
    }

    private static int maskOf(int permission, boolean directory) {
        return switch (permission) {
            case 4 -> 1;
            case 2 -> directory ? 2 | 4 | 0x40 : 2 | 4;
            default -> 0x20;
        };
    }

    /** RFC 8881, section 6.2.1: entry by entry until each bit of {@code wanted} is allowed, or one is denied. */
    private static boolean allows(List<Nfs4Ace> aces, Caller caller, int wanted) {
        int left = wanted;
        for (Nfs4Ace ace : aces) {
            if ((ace.flags() & Nfs4Ace.INHERIT_ONLY) != 0 || !fits(ace.who(), caller)) {
                continue;
            }
            if (ace.type() == Nfs4Ace.DENY && (ace.mask() & left) != 0) {
                return false;
            }
            if (ace.type() == Nfs4Ace.ALLOW) {
                left &= ~ace.mask();
            }
            if (left == 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean fits(Who who, Caller caller) {
        return switch (who) {
            case Who.Owner _ -> caller.uid() == OWNER;
            case Who.User(long uid) -> caller.uid() == uid;
            case Who.OwningGroup _ -> caller.isMemberOf(GROUP);
            case Who.Group(long gid) -> caller.isMemberOf(gid);
            case Who.Everyone _ -> true;
        };
    }

    private static Caller randomCaller(Random random) {
        return new Caller(
                1 + random.nextInt(4),
                10 + random.nextInt(4),
                List.of(10L + random.nextInt(4), 10L + random.nextInt(4)));
    }

    private static PosixAcl randomPosix(Random random) {
        SortedMap<Long, Integer> users = new TreeMap<>();
        SortedMap<Long, Integer> groups = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            users.put(1L + random.nextInt(4), random.nextInt(8));
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            groups.put(10L + random.nextInt(4), random.nextInt(8));
        }
        boolean masked = !users.isEmpty() || !groups.isEmpty() || random.nextBoolean();
        return new PosixAcl(
                random.nextInt(8),
                users,
                random.nextInt(8),
                groups,
                masked ? (Integer) random.nextInt(8) : null,
                random.nextInt(8));
    }

    private static List<Nfs4Ace> randomNfs4(Random random, boolean directory) {
        int[] bits = {1, 2, 4, 0x20, 0x40, 6, 0x46};
        List<Nfs4Ace> aces = new ArrayList<>();
        for (int i = random.nextInt(9); i > 0; i--) {
            int mask = 0;
            for (int j = random.nextInt(5); j > 0; j--) {
                mask |= bits[random.nextInt(bits.length)];
            }
            Who who =
                    switch (random.nextInt(5)) {
                        case 0 -> new Who.Owner();
                        case 1 -> new Who.User(1 + random.nextInt(4));
                        case 2 -> new Who.OwningGroup();
                        case 3 -> new Who.Group(10 + random.nextInt(4));
                        default -> new Who.Everyone();
                    };
            int flags = directory && random.nextInt(3) == 0 ? 3 | (random.nextBoolean() ? 8 : 0) : 0;
            aces.add(new Nfs4Ace(random.nextInt(2), flags, mask, who));
        }
        return aces;
    }
}
