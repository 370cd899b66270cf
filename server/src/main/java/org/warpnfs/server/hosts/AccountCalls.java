package org.warpnfs.server.hosts;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Calls getpwnam_r(3), getpwuid_r(3), getgrnam_r(3), getgrgid_r(3) and getgrouplist(3) of the C library. Each call
 * blocks its thread until the name service answers. Safe for any thread.
 *
 * <pre>
 * offset  struct passwd       struct group
 *  0      char* pw_name       char* gr_name
 *  8      char* pw_passwd     char* gr_passwd
 * 16      uid_t pw_uid        gid_t gr_gid
 * 20      gid_t pw_gid
 * </pre>
 */
final class AccountCalls {
    static final long ID_OFFSET = 16;
    static final long FIRST_GROUP_OFFSET = 20;
    /** Longer than either structure is on any 64-bit Linux. */
    private static final int STRUCTURE_BYTES = 128;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final AddressLayout POINTER = ValueLayout.ADDRESS;
    private static final AddressLayout TEXT =
            POINTER.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE, ValueLayout.JAVA_BYTE));

    /** getpwnam_r. */
    private final MethodHandle userByName;

    private final MethodHandle groupByName;
    private final MethodHandle userById;
    private final MethodHandle groupById;
    private final MethodHandle groupList;

    private AccountCalls(
            MethodHandle userByName,
            MethodHandle groupByName,
            MethodHandle userById,
            MethodHandle groupById,
            MethodHandle groupList) {
        this.userByName = userByName;
        this.groupByName = groupByName;
        this.userById = userById;
        this.groupById = groupById;
        this.groupList = groupList;
    }

    /** Returns the calls; empty if the process has no C library with these functions. */
    static Optional<AccountCalls> ofLibc() {
        FunctionDescriptor byName =
                FunctionDescriptor.of(INT, POINTER, POINTER, POINTER, ValueLayout.JAVA_LONG, POINTER);
        FunctionDescriptor byId = FunctionDescriptor.of(INT, INT, POINTER, POINTER, ValueLayout.JAVA_LONG, POINTER);
        FunctionDescriptor list = FunctionDescriptor.of(INT, POINTER, INT, POINTER, POINTER);
        return function("getpwnam_r", byName).flatMap(userByName -> function("getgrnam_r", byName)
                .flatMap(groupByName -> function("getpwuid_r", byId).flatMap(userById -> function("getgrgid_r", byId)
                        .flatMap(groupById -> function("getgrouplist", list)
                                .map(groupList ->
                                        new AccountCalls(userByName, groupByName, userById, groupById, groupList))))));
    }

    private static Optional<MethodHandle> function(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup().find(name).map(symbol -> linker.downcallHandle(symbol, descriptor));
    }

    /** The output memory of a call. */
    record Found(MemorySegment structure, MemorySegment buffer, MemorySegment result) {
        static Found room(Arena arena, long bufferBytes) {
            return new Found(
                    arena.allocate(STRUCTURE_BYTES, Long.BYTES), arena.allocate(bufferBytes), arena.allocate(POINTER));
        }

        boolean isThere() {
            return result.get(POINTER, 0).address() != 0;
        }

        String name() {
            return structure.get(TEXT, 0).getString(0);
        }

        long id() {
            return Integer.toUnsignedLong(structure.get(INT, ID_OFFSET));
        }

        int firstGroup() {
            return structure.get(INT, FIRST_GROUP_OFFSET);
        }
    }

    /** Returns 0, also if there is no such user, or the error number. */
    int userByName(MemorySegment name, Found found) {
        return byName(userByName, name, found);
    }

    int groupByName(MemorySegment name, Found found) {
        return byName(groupByName, name, found);
    }

    int userById(long id, Found found) {
        return byId(userById, id, found);
    }

    int groupById(long id, Found found) {
        return byId(groupById, id, found);
    }

    private static int byName(MethodHandle function, MemorySegment name, Found found) {
        try {
            return (int) function.invokeExact(
                    name, found.structure(), found.buffer(), found.buffer().byteSize(), found.result());
        } catch (Throwable e) {
            throw new IllegalStateException("the C library cannot be asked for a name", e);
        }
    }

    private static int byId(MethodHandle function, long id, Found found) {
        try {
            return (int) function.invokeExact(
                    (int) id, found.structure(), found.buffer(), found.buffer().byteSize(), found.result());
        } catch (Throwable e) {
            throw new IllegalStateException("the C library cannot be asked for a number", e);
        }
    }

    /**
     * Looks up the groups of a user.
     *
     * @param count in: the capacity; out: the number of groups
     * @return negative if the capacity was too small
     */
    int groupsOf(MemorySegment name, int firstGroup, MemorySegment groups, MemorySegment count) {
        try {
            return (int) groupList.invokeExact(name, firstGroup, groups, count);
        } catch (Throwable e) {
            throw new IllegalStateException("getgrouplist cannot be called", e);
        }
    }
}
