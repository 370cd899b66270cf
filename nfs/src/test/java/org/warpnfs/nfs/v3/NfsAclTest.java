package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.testkit.Seeds;

/** The NFS_ACL program, word by word. */
class NfsAclTest {
    private static final int GETACL = 1;
    private static final int SETACL = 2;
    private static final int ACCESS = 1;
    private static final int ACCESS_COUNT = 2;
    private static final int DEFAULT = 4;
    private static final int DEFAULT_COUNT = 8;

    private static final int USER_OBJ = 1;
    private static final int USER = 2;
    private static final int GROUP_OBJ = 4;
    private static final int GROUP = 8;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int OF_DEFAULT = 0x1000;

    /** Encoding of {@link #someAcl}. */
    private static final int[] SOME_ENTRIES = {
        USER_OBJ,
        V3Server.ALICE,
        7,
        USER,
        5000,
        6,
        GROUP_OBJ,
        V3Server.GROUP,
        4,
        GROUP,
        6000,
        5,
        MASK,
        0,
        6,
        OTHER,
        0,
        0
    };

    private final V3Server server = new V3Server();

    private static PosixAcl someAcl() {
        return new PosixAcl(7, new TreeMap<>(SortedMaps.of(5000L, 6)), 4, SortedMaps.of(6000L, 5), 6, 0);
    }

    private static final class SortedMaps {
        static SortedMap<Long, Integer> of(long id, int permissions) {
            SortedMap<Long, Integer> map = new TreeMap<>();
            map.put(id, permissions);
            return map;
        }
    }

    private static CallWriter withList(CallWriter call, int... entries) {
        return call.words(entries.length / 3, entries.length / 3).words(entries);
    }

    private static int[] words(V3Reply reply, int count) {
        int[] words = new int[count];
        for (int i = 0; i < count; i++) {
            words[i] = reply.word();
        }
        return words;
    }

    private static void assertList(V3Reply reply, int... entries) {
        assertThat(words(reply, 2)).containsExactly(entries.length / 3, entries.length / 3);
        assertThat(words(reply, entries.length)).containsExactly(entries);
    }

    private Acls acls(byte[] handle) throws Exception {
        return server.fs.acls(server.handles.decode(handle).file());
    }

    private void set(byte[] handle, PosixAcl acl) throws Exception {
        server.fs.setAcls(Caller.ROOT, server.handles.decode(handle).file(), AclChanges.ofAccess(acl));
    }

    @Test
    void getAcl_ofAFileWithAList_hasAllOfIt() throws Exception {
        byte[] file = server.file("f", 0600, "");
        set(file, someAcl());
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS | ACCESS_COUNT));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isEqualTo(server.attributes(file));
        assertThat(reply.word()).isEqualTo(ACCESS | ACCESS_COUNT);
        assertList(reply, SOME_ENTRIES);
        assertList(reply);
        reply.end();
    }

    @Test
    void getAcl_ofAFileWithout_hasItsPermissionsAndAMask() {
        byte[] file = server.file("f", 0640, "");
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOp();
        assertThat(reply.word()).isEqualTo(ACCESS);
        assertList(reply, USER_OBJ, V3Server.ALICE, 6, GROUP_OBJ, V3Server.GROUP, 4, MASK, 0, 4, OTHER, 0, 0);
        assertList(reply);
        reply.end();
    }

    @Test
    void getAcl_countsAlone_bringNoEntries() throws Exception {
        byte[] directory = server.directory("d", 0755);
        set(directory, someAcl());
        server.fs.setAcls(
                Caller.ROOT,
                server.handles.decode(directory).file(),
                AclChanges.ofInherited(PosixAcl.ofPermissions(0)));
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(directory).words(ACCESS_COUNT | DEFAULT_COUNT));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOp();
        assertThat(words(reply, 5)).containsExactly(ACCESS_COUNT | DEFAULT_COUNT, 6, 0, 4, 0);
        reply.end();
    }

    @Test
    void getAcl_ofBothLists_marksTheDefaultOne() throws Exception {
        byte[] directory = server.directory("d", 0755);
        server.fs.setAcls(Caller.ROOT, server.handles.decode(directory).file(), AclChanges.ofInherited(someAcl()));
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(directory).words(15));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        reply.postOp();
        assertThat(reply.word()).isEqualTo(15);
        assertThat(words(reply, 2)).containsExactly(4, 4);
        words(reply, 12);
        int[] marked = SOME_ENTRIES.clone();
        for (int i = 0; i < marked.length; i += 3) {
            marked[i] |= OF_DEFAULT;
        }
        assertList(reply, marked);
        reply.end();
    }

    @Test
    void getAcl_unknownBit_inval() {
        byte[] file = server.file("f", 0640, "");
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS | 16));
        assertThat(reply.status()).isEqualTo(Nfs3Status.INVAL);
        assertThat(reply.postOp()).isEqualTo(server.attributes(file));
        reply.end();
    }

    @Test
    void getAcl_listBeyondTheLimit_io() throws Exception {
        byte[] file = server.file("f", 0640, "");
        SortedMap<Long, Integer> users = new TreeMap<>();
        for (long uid = 1; uid <= 1020; uid++) {
            users.put(uid, 7);
        }
        set(file, new PosixAcl(7, users, 7, new TreeMap<>(), 7, 7));
        V3Reply most = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS));
        assertThat(most.status()).isEqualTo(Nfs3Status.OK);
        most.postOp();
        assertThat(words(most, 3)).containsExactly(ACCESS, 1024, 1024);
        users.put(5000L, 7);
        set(file, new PosixAcl(7, users, 7, new TreeMap<>(), 7, 7));
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS_COUNT));
        assertThat(reply.status()).isEqualTo(Nfs3Status.IO);
        assertThat(reply.postOp()).isNotNull();
    }

    @Test
    void getAcl_staleHandle_saysSo() throws Exception {
        byte[] file = server.file("f", 0640, "");
        server.fs.remove(Caller.ROOT, server.fs.root(), FileName.of("f"));
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(file).words(ACCESS));
        assertThat(reply.status()).isEqualTo(Nfs3Status.STALE);
        assertThat(reply.postOp()).isNull();
        reply.end();
    }

    @Test
    void getAcl_ofAVirtualDirectoryAboveAnExportWithLists_isAnswered() {
        byte[] pseudo = server.handles.encode(server.exports.root());
        V3Reply reply = server.aclCall(GETACL, c -> c.opaque(pseudo).words(ACCESS));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        assertThat(reply.postOp()).isNotNull();
    }

    @Test
    void setAcl_shuffledEntries_areSetAndSeen() throws Exception {
        byte[] file = server.file("f", 0600, "");
        V3Reply reply = server.aclCall(SETACL, c -> withList(
                        c.opaque(file).words(ACCESS),
                        OTHER,
                        77,
                        0,
                        MASK,
                        0,
                        0xfff6,
                        GROUP,
                        6000,
                        5,
                        USER,
                        5000,
                        6,
                        GROUP_OBJ,
                        1,
                        4,
                        USER_OBJ,
                        2,
                        7)
                .words(0, 0));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        V3Reply.Attributes after = reply.postOp();
        assertThat(after.mode()).isEqualTo(0760);
        assertThat(after).isEqualTo(server.attributes(file));
        reply.end();
        assertThat(acls(file)).isEqualTo(new Acls(someAcl(), null));
    }

    @Test
    void setAcl_maskThatSaysNothingMore_isDropped() throws Exception {
        byte[] file = server.file("f", 0600, "");
        int[] minimal = {USER_OBJ, 0, 6, GROUP_OBJ, 0, 4, MASK, 0, 4, OTHER, 0, 1};
        assertThat(server.aclCall(SETACL, c -> withList(c.opaque(file).words(ACCESS), minimal)
                                .words(0, 0))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(file)).isEqualTo(Acls.NONE);
        assertThat(server.attributes(file).mode()).isEqualTo(0641);
        minimal[8] = 5;
        assertThat(server.aclCall(SETACL, c -> withList(c.opaque(file).words(ACCESS), minimal)
                                .words(0, 0))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(file).access()).isEqualTo(new PosixAcl(6, new TreeMap<>(), 4, new TreeMap<>(), 5, 1));
        assertThat(server.attributes(file).mode()).isEqualTo(0651);
    }

    @Test
    void setAcl_eachList_leavesTheOtherAndAnEmptyOneRemoves() throws Exception {
        byte[] directory = server.directory("d", 0700);
        assertThat(server.aclCall(
                                SETACL,
                                c -> withList(c.opaque(directory).words(DEFAULT).words(0, 0), SOME_ENTRIES))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(directory)).isEqualTo(new Acls(null, someAcl()));
        assertThat(server.aclCall(SETACL, c -> withList(c.opaque(directory).words(ACCESS), SOME_ENTRIES)
                                .words(0, 0))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(directory)).isEqualTo(new Acls(someAcl(), someAcl()));
        assertThat(server.aclCall(SETACL, c -> withList(c.opaque(directory).words(ACCESS | DEFAULT), SOME_ENTRIES)
                                .words(0, 0))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(directory)).isEqualTo(new Acls(someAcl(), null));
        assertThat(server.aclCall(SETACL, c -> c.opaque(directory).words(ACCESS, 0, 0, 0, 0))
                        .status())
                .isEqualTo(Nfs3Status.OK);
        assertThat(acls(directory)).isEqualTo(Acls.NONE);
        assertThat(server.attributes(directory).mode()).isEqualTo(0760);
    }

    @Test
    void setAcl_byWhomOrWhereItMayNotBe_isRefused() throws Exception {
        byte[] file = server.file("f", 0666, "");
        byte[] readOnly = server.through(server.readOnly, file);
        assertThat(setStatus(readOnly, ACCESS)).isEqualTo(Nfs3Status.ROFS);
        assertThat(setStatus(file, DEFAULT)).isEqualTo(Nfs3Status.ACCES);
        server.uid = 1001;
        assertThat(setStatus(file, ACCESS)).isEqualTo(Nfs3Status.PERM);
        server.uid = 0;
        assertThat(setStatus(file, ACCESS)).as("root is squashed").isEqualTo(Nfs3Status.PERM);
        assertThat(acls(file)).isEqualTo(Acls.NONE);
        byte[] trusted = server.through(server.trusting, file);
        assertThat(setStatus(trusted, ACCESS)).isEqualTo(Nfs3Status.OK);
        assertThat(acls(file).access()).isEqualTo(someAcl());
    }

    private Nfs3Status setStatus(byte[] handle, int mask) {
        V3Reply reply = server.aclCall(
                SETACL,
                c -> mask == ACCESS
                        ? withList(c.opaque(handle).words(mask), SOME_ENTRIES).words(0, 0)
                        : withList(c.opaque(handle).words(mask, 0, 0), SOME_ENTRIES));
        Nfs3Status status = reply.status();
        assertThat(reply.postOp()).isNotNull();
        reply.end();
        return status;
    }

    @Test
    void setAcl_entriesThatAreNoList_invalAndNothingIsSet() throws Exception {
        byte[] file = server.file("f", 0600, "");
        int[][] lists = {
            {USER_OBJ, 0, 7},
            {USER_OBJ, 0, 7, USER_OBJ, 0, 7, GROUP_OBJ, 0, 7, OTHER, 0, 7},
            {USER_OBJ, 0, 7, USER, 5, 7, GROUP_OBJ, 0, 7, OTHER, 0, 7},
            {USER_OBJ, 0, 7, USER, 5, 7, USER, 5, 7, GROUP_OBJ, 0, 7, MASK, 0, 7, OTHER, 0, 7},
            {USER_OBJ, 0, 7, USER, -1, 7, GROUP_OBJ, 0, 7, MASK, 0, 7, OTHER, 0, 7},
        };
        for (int[] list : lists) {
            V3Reply reply = server.aclCall(
                    SETACL, c -> withList(c.opaque(file).words(ACCESS), list).words(0, 0));
            assertThat(reply.status()).as(Arrays.toString(list)).isEqualTo(Nfs3Status.INVAL);
            assertThat(reply.postOp().mode()).isEqualTo(0600);
        }
        assertThat(acls(file)).isEqualTo(Acls.NONE);
    }

    @Test
    void setAcl_whatCannotBeDecoded_isGarbage() throws Exception {
        byte[] file = server.file("f", 0600, "");
        int[][] tails = {
            {16, 0, 0, 0, 0},
            {ACCESS, 1025, 1025, 0, 0},
            {ACCESS, -1, -1, 0, 0},
            {ACCESS, 1024, 1024, 0, 0},
            {ACCESS, 3, 2, USER_OBJ, 0, 7, OTHER, 0, 7, 0, 0},
            {ACCESS, 3, 0, 0, 0},
            {DEFAULT_COUNT, 0, 1, USER_OBJ, 0, 7, 0, 0},
            {ACCESS, 1, 1, 3, 0, 7, 0, 0},
            {ACCESS, 1, 1, USER_OBJ, 0, 8, 0, 0},
            {ACCESS, 0, 0, 0},
        };
        for (int[] tail : tails) {
            V3Reply reply = server.aclCall(SETACL, c -> c.opaque(file).words(tail));
            assertThat(reply.stat()).as(Arrays.toString(tail)).isEqualTo(ReplyReader.GARBAGE_ARGS);
        }
        assertThat(acls(file)).isEqualTo(Acls.NONE);
        assertThat(server.attributes(file).mode()).isEqualTo(0600);
    }

    @Test
    void setAcl_cutAnywhere_isGarbageAndDoesNothing() throws Exception {
        byte[] directory = server.directory("d", 0700);
        byte[] whole = withList(
                        withList(
                                CallWriter.call(1, NfsAclProgram.PROGRAM, NfsAclProgram.VERSION, SETACL)
                                        .authSys(V3Server.ALICE, V3Server.GROUP)
                                        .opaque(directory)
                                        .words(ACCESS | DEFAULT),
                                SOME_ENTRIES),
                        SOME_ENTRIES)
                .toBytes();
        int arguments = 24 + 8 + 20 + 8;
        for (int length = arguments; length < whole.length; length++) {
            ReplyReader reply = new ReplyReader(server.aclSend(Arrays.copyOf(whole, length)));
            assertThat(reply.stat()).as("cut at %d", length).isEqualTo(ReplyReader.GARBAGE_ARGS);
        }
        assertThat(acls(directory)).isEqualTo(Acls.NONE);
        assertThat(new V3Reply(server.aclSend(whole)).status()).isEqualTo(Nfs3Status.OK);
        assertThat(acls(directory)).isEqualTo(new Acls(someAcl(), someAcl()));
    }

    @Test
    void setAcl_repeated_isAnsweredFromMemory() throws Exception {
        byte[] file = server.file("f", 0600, "");
        byte[] call = withList(
                        CallWriter.call(9, NfsAclProgram.PROGRAM, NfsAclProgram.VERSION, SETACL)
                                .authSys(V3Server.ALICE, V3Server.GROUP)
                                .opaque(file)
                                .words(ACCESS),
                        SOME_ENTRIES)
                .words(0, 0)
                .toBytes();
        byte[] first = server.aclSend(call);
        set(file, PosixAcl.ofPermissions(0600));
        assertThat(server.aclSend(call)).isEqualTo(first);
        assertThat(acls(file)).as("what was set since").isEqualTo(Acls.NONE);
    }

    @Test
    void setAcl_ofAFileThatOthersRelyOn_jukeboxAndNothingIsSet() throws Exception {
        V3Server watched = new V3Server(new MemoryFileSystem(1 << 20, 100), _ -> {
            throw FsException.of(FsError.TRY_LATER);
        });
        byte[] file = watched.file("f", 0600, "");
        V3Reply reply = watched.aclCall(SETACL, c -> withList(c.opaque(file).words(ACCESS), SOME_ENTRIES)
                .words(0, 0));
        assertThat(reply.status()).isEqualTo(Nfs3Status.JUKEBOX);
        assertThat(watched.attributes(file).mode()).isEqualTo(0600);
    }

    @Test
    void call_ofAnotherProcedureOrVersion_isRefused() {
        assertThat(server.aclCall(3, c -> c).stat()).isEqualTo(ReplyReader.PROC_UNAVAIL);
        ReplyReader reply = new ReplyReader(server.aclSend(
                CallWriter.call(1, NfsAclProgram.PROGRAM, 2, 0).authNone().toBytes()));
        assertThat(reply.stat()).isEqualTo(ReplyReader.PROG_MISMATCH);
        assertThat(reply.word()).isEqualTo(3);
        assertThat(reply.word()).isEqualTo(3);
    }

    @Test
    void setAcl_whatGetAclTold_changesNothing() {
        Seeds.each(50, seed -> {
            Random random = new Random(seed);
            byte[] directory = server.directory("d" + seed, 0700);
            FileHandle handle = server.handles.decode(directory).file();
            server.fs.setAcls(
                    Caller.ROOT,
                    handle,
                    new AclChanges(
                            new AclChanges.Change.Replace(randomAcl(random)),
                            new AclChanges.Change.Replace(randomAcl(random))));
            Acls before = acls(directory);
            V3Reply reply = server.aclCall(GETACL, c -> c.opaque(directory).words(15));
            assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
            int mode = reply.postOp().mode();
            assertThat(reply.word()).isEqualTo(15);
            List<Integer> rest = new ArrayList<>();
            while (reply.remaining() > 0) {
                rest.add(reply.word());
            }
            int[] lists = rest.stream().mapToInt(Integer::intValue).toArray();
            server.fs.setAcls(Caller.ROOT, handle, new AclChanges(AclChanges.Change.REMOVE, AclChanges.Change.REMOVE));
            V3Reply set =
                    server.aclCall(SETACL, c -> c.opaque(directory).words(15).words(lists));
            assertThat(set.status()).isEqualTo(Nfs3Status.OK);
            assertThat(set.postOp().mode()).isEqualTo(mode);
            assertThat(acls(directory)).isEqualTo(withoutNeedlessMasks(before));
        });
    }

    /** Removes masks that equal the group: the wire cannot distinguish such lists from those without a mask. */
    private static Acls withoutNeedlessMasks(Acls acls) {
        return new Acls(
                acls.access() == null || isNeedless(acls.access()) ? null : acls.access(),
                isNeedless(acls.inherited())
                        ? PosixAcl.ofPermissions(acls.inherited().permissionBits())
                        : acls.inherited());
    }

    private static boolean isNeedless(PosixAcl acl) {
        return acl.entryCount() == 4 && acl.mask() != null && acl.mask() == acl.group();
    }

    private static PosixAcl randomAcl(Random random) {
        SortedMap<Long, Integer> users = randomNames(random);
        SortedMap<Long, Integer> groups = randomNames(random);
        boolean masked = !users.isEmpty() || !groups.isEmpty() || random.nextBoolean();
        return new PosixAcl(
                random.nextInt(8),
                users,
                random.nextInt(8),
                groups,
                masked ? (Integer) random.nextInt(8) : null,
                random.nextInt(8));
    }

    private static SortedMap<Long, Integer> randomNames(Random random) {
        SortedMap<Long, Integer> names = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            names.put(Integer.toUnsignedLong(random.nextInt() & ~1), random.nextInt(8));
        }
        return names;
    }
}
