package org.warpnfs.nfs.v4.attr;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Conversion between POSIX and NFSv4 lists in both directions, with random lists: compares what either grants. */
class AclMappingTest {
    private static final long OWNER = 1;
    private static final long GROUP = 11;

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

    /** The list after its mask was applied, with a mask no wider than needed. */
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

    /**
     * Each type, each flag of the low byte and some above it, each mask of data permissions and each kind of who. The
     * model of RFC 8881, section 6.2.1.4 decides for the object itself, for a new file and for a new directory in it.
     */
    @Test
    void entry_ofAnyTypeFlagsAndMask_grantsNoMoreOrIsNotSupported() {
        int[] bits = {1, 2, 4, 0x20, 0x40};
        Who[] whos = {new Who.Owner(), new Who.User(3), new Who.OwningGroup(), new Who.Group(12), new Who.Everyone()};
        for (int flags = 0; flags < 0x200; flags = flags < 0xff ? flags + 1 : flags + 0x81) {
            for (int type = 0; type < 5; type++) {
                for (int some = 0; some < 1 << bits.length; some++) {
                    int mask = 0;
                    for (int i = 0; i < bits.length; i++) {
                        mask |= (some >> i & 1) * bits[i];
                    }
                    for (Who who : whos) {
                        Nfs4Ace ace = new Nfs4Ace(type, flags, mask, who);
                        checkAlone(ace, true);
                        checkAlone(ace, false);
                    }
                }
            }
        }
    }

    private static void checkAlone(Nfs4Ace ace, boolean directory) {
        AclChanges changes;
        try {
            changes = AclFromNfs4.map(List.of(ace), directory);
        } catch (Nfs4Exception e) {
            assertThat(e.status()).isEqualTo(Nfs4Status.ATTRNOTSUPP);
            boolean isPlain =
                    ace.type() < 2 && (ace.flags() == 0 || (directory && (ace.flags() == 3 || ace.flags() == 0xb)));
            assertThat(isPlain).as("%s is what POSIX has too", ace).isFalse();
            return;
        }
        boolean allows = ace.type() == Nfs4Ace.ALLOW;
        boolean fileInherits = directory && (ace.flags() & Nfs4Ace.FILE_INHERIT) != 0;
        boolean directoryInherits = directory && (ace.flags() & Nfs4Ace.DIRECTORY_INHERIT) != 0;
        for (Caller caller : CALLERS) {
            boolean grants = allows && fits(ace.who(), caller);
            for (int permission : new int[] {4, 2, 1}) {
                boolean isOn = (ace.flags() & Nfs4Ace.INHERIT_ONLY) == 0 && covers(ace, permission, directory);
                requireNoMore(changes.access(), caller, permission, grants && isOn, ace, "itself");
                requireNoMore(
                        changes.inherited(),
                        caller,
                        permission,
                        grants && fileInherits && covers(ace, permission, false),
                        ace,
                        "a new file");
                requireNoMore(
                        changes.inherited(),
                        caller,
                        permission,
                        grants && directoryInherits && covers(ace, permission, true),
                        ace,
                        "a new directory");
            }
        }
    }

    /**
     * Lists of some entries with any type and flags that can be mapped, any mask and any kind of who. The model decides
     * for the object itself, for a new file and for a new directory in it.
     */
    @Test
    void entries_ofAnyFlagsAndMasks_grantNoMoreTogether_norAreWhatTheyLeaveInherited() {
        int[] mapped = {0, 0, 0x3, 0xb, 0x1, 0x2, 0x9, 0xa};
        Seeds.each(3000, seed -> {
            Random random = new Random(seed);
            List<Nfs4Ace> aces = new ArrayList<>();
            for (int i = 2 + random.nextInt(3); i > 0; i--) {
                int type = random.nextInt(2);
                // What only one kind of child is allowed is not supported.
                int flags = mapped[random.nextInt(type == Nfs4Ace.ALLOW ? 4 : mapped.length)];
                aces.add(new Nfs4Ace(type, flags, random.nextInt(0x80) & 0x67, randomWho(random)));
            }
            AclChanges changes = AclFromNfs4.map(aces, true);
            List<Nfs4Ace> ofFile = inherited(aces, Nfs4Ace.FILE_INHERIT);
            List<Nfs4Ace> ofDirectory = inherited(aces, Nfs4Ace.DIRECTORY_INHERIT);
            for (Caller caller : CALLERS_OF_ALL) {
                for (int permission : new int[] {4, 2, 1}) {
                    requireNoMore(changes.access(), caller, permission, aces, true, "itself");
                    requireNoMore(changes.inherited(), caller, permission, ofFile, false, "a new file");
                    requireNoMore(changes.inherited(), caller, permission, ofDirectory, true, "a new directory");
                }
            }
        });
    }

    private static List<Nfs4Ace> inherited(List<Nfs4Ace> aces, int flag) {
        return aces.stream()
                .filter(ace -> (ace.flags() & flag) != 0)
                .map(ace -> new Nfs4Ace(ace.type(), 0, ace.mask(), ace.who()))
                .toList();
    }

    private static void requireNoMore(
            Change list, Caller caller, int permission, List<Nfs4Ace> aces, boolean directory, String where) {
        if (list instanceof Change.Replace(PosixAcl acl) && acl.allows(caller, OWNER, GROUP, permission)) {
            assertThat(allows(aces, caller, maskOf(permission, directory)))
                    .as("%s by %s, which became %s, at %s to %s", permission, aces, acl, where, caller)
                    .isTrue();
        }
    }

    /**
     * What POSIX grants to everybody, or to owners alone, cannot be denied or given: such permissions are ignored, as
     * knfsd does.
     */
    @Test
    void permissionsThatPosixLacks_deniedOrAllowed_changeNothing() throws Nfs4Exception {
        List<Nfs4Ace> plain = List.of(
                new Nfs4Ace(Nfs4Ace.ALLOW, 0, 7, new Who.Owner()),
                new Nfs4Ace(Nfs4Ace.ALLOW, 0, 1, new Who.Everyone()));
        for (int bit = 1; bit != 0; bit <<= 1) {
            if ((bit & 0x67) != 0) {
                continue;
            }
            for (int type = 0; type < 2; type++) {
                List<Nfs4Ace> more = new ArrayList<>(plain);
                more.addFirst(new Nfs4Ace(type, 0, bit, new Who.Everyone()));
                assertThat(AclFromNfs4.map(more, true)).as("%x", bit).isEqualTo(AclFromNfs4.map(plain, true));
            }
        }
    }

    private static boolean covers(Nfs4Ace ace, int permission, boolean directory) {
        int wanted = maskOf(permission, directory);
        return (ace.mask() & wanted) == wanted;
    }

    private static void requireNoMore(
            Change list, Caller caller, int permission, boolean granted, Nfs4Ace ace, String where) {
        if (!granted && list instanceof Change.Replace(PosixAcl acl)) {
            assertThat(acl.allows(caller, OWNER, GROUP, permission))
                    .as("%s by %s at %s to %s", permission, ace, where, caller)
                    .isFalse();
        }
    }

    private static int maskOf(int permission, boolean directory) {
        return switch (permission) {
            case 4 -> 1;
            case 2 -> directory ? 2 | 4 | 0x40 : 2 | 4;
            default -> 0x20;
        };
    }

    /**
     * RFC 8881, section 6.2.1: processes entry after entry until each bit of {@code wanted} is allowed, or one is
     * denied.
     */
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

    /** Members of both groups too, who may be the owner or a named user. */
    private static final List<Caller> CALLERS_OF_ALL = Stream.of(1L, 2L, 3L, 50L)
            .flatMap(uid -> Stream.of(
                    new Caller(uid, 99, List.of()),
                    new Caller(uid, GROUP, List.of()),
                    new Caller(uid, 12, List.of(13L)),
                    new Caller(uid, GROUP, List.of(12L, 10L))))
            .toList();

    private static final List<Caller> CALLERS = List.of(
            new Caller(OWNER, 99, List.of()),
            new Caller(3, 99, List.of()),
            new Caller(50, GROUP, List.of()),
            new Caller(50, 12, List.of()),
            new Caller(50, 99, List.of()));

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
            int flags = directory && random.nextInt(3) == 0 ? 3 | (random.nextBoolean() ? 8 : 0) : 0;
            aces.add(new Nfs4Ace(random.nextInt(2), flags, mask, randomWho(random)));
        }
        return aces;
    }

    private static Who randomWho(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> new Who.Owner();
            case 1 -> new Who.User(1 + random.nextInt(4));
            case 2 -> new Who.OwningGroup();
            case 3 -> new Who.Group(10 + random.nextInt(4));
            default -> new Who.Everyone();
        };
    }
}
