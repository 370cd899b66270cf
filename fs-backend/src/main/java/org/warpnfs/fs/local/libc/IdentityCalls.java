package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Identity of the calling thread: setfsuid, setfsgid, setgroups, capabilities. These affect the thread, not the
 * process: setgroups bypasses libc, which would change all threads.
 */
public final class IdentityCalls {
    public static final int CAP_DAC_READ_SEARCH = 2;
    public static final int CAP_SETGID = 6;
    public static final int CAP_SETUID = 7;
    public static final int CAP_SYS_RESOURCE = 24;

    /** linux/securebits.h: with this bit, setfsuid(2) takes no capability away. */
    public static final int SECBIT_NO_SETUID_FIXUP = 1 << 2;

    private static final int PR_GET_SECUREBITS = 27;
    /** NGROUPS_MAX. */
    private static final int MAX_GROUPS = 65_536;

    private static final int LINUX_CAPABILITY_VERSION_3 = 0x2008_0522;
    private static final long U32 = 0xffff_ffffL;

    private static final MethodHandle SETFSUID = Libc.intFunction("setfsuid", INT);
    private static final MethodHandle SETFSGID = Libc.intFunction("setfsgid", INT);
    private static final MethodHandle GETEUID = Libc.intFunction("geteuid");
    private static final MethodHandle GETEGID = Libc.intFunction("getegid");
    private static final MethodHandle GETGROUPS = Libc.intFunction("getgroups", INT, POINTER);
    private static final MethodHandle SYSCALL = Libc.variadicLongFunction("syscall", 1, LONG, LONG, POINTER);
    private static final MethodHandle PRCTL = Libc.variadicIntFunction("prctl", 1, INT, LONG, LONG, LONG, LONG);
    private static final MethodHandle CAPGET = Libc.intFunction("capget", POINTER, POINTER);
    private static final MethodHandle CAPSET = Libc.intFunction("capset", POINTER, POINTER);

    private IdentityCalls() {}

    /**
     * Sets the user for file system checks. Returns true if that took effect; the system call itself does not report
     * it.
     */
    public static boolean setFileSystemUser(long uid) {
        return set(SETFSUID, (int) uid);
    }

    /** Sets the group for file system checks. Returns true if that took effect. */
    public static boolean setFileSystemGroup(long gid) {
        return set(SETFSGID, (int) gid);
    }

    private static boolean set(MethodHandle call, int id) {
        MemorySegment state = CallMemory.current().state;
        try {
            int previous = (int) call.invokeExact(state, id);
            if (previous == id) {
                return true;
            }
            // An invalid id changes nothing, and the call returns the id that is in effect.
            return (int) call.invokeExact(state, -1) == id;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    public static long effectiveUser() {
        try {
            return (int) GETEUID.invokeExact(CallMemory.current().state) & U32;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    public static long effectiveGroup() {
        try {
            return (int) GETEGID.invokeExact(CallMemory.current().state) & U32;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    /** The thread's supplementary groups. */
    public static List<Long> groups() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment groups = arena.allocate(JAVA_INT, MAX_GROUPS);
            int count = Libc.check((int) GETGROUPS.invokeExact(CallMemory.current().state, MAX_GROUPS, groups));
            List<Long> list = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                list.add(groups.getAtIndex(JAVA_INT, i) & U32);
            }
            return List.copyOf(list);
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Sets the supplementary groups of this thread alone. */
    public static void setGroups(List<Long> groups) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ids = arena.allocate(JAVA_INT, Math.max(1, groups.size()));
            for (int i = 0; i < groups.size(); i++) {
                ids.setAtIndex(JAVA_INT, i, (int) (long) groups.get(i));
            }
            Libc.check((long) SYSCALL.invokeExact(
                    CallMemory.current().state, Platform.current().syscallSetgroups, (long) groups.size(), ids));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** The thread's securebits, which say how a change of user affects capabilities. */
    public static int secureBits() throws ErrnoException {
        try {
            return Libc.check((int) PRCTL.invokeExact(CallMemory.current().state, PR_GET_SECUREBITS, 0L, 0L, 0L, 0L));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** True if the capability is effective on the thread. */
    public static boolean hasCapability(int capability) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sets = capabilities(arena, header(arena));
            return (sets.getAtIndex(JAVA_INT, effectiveIndex(capability)) & 1 << (capability & 31)) != 0;
        }
    }

    /** Makes a capability of this thread alone ineffective. It stays permitted. */
    public static void dropCapability(int capability) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = header(arena);
            MemorySegment sets = capabilities(arena, header);
            int index = effectiveIndex(capability);
            int effective = sets.getAtIndex(JAVA_INT, index);
            if ((effective & 1 << (capability & 31)) == 0) {
                return;
            }
            sets.setAtIndex(JAVA_INT, index, effective & ~(1 << (capability & 31)));
            Libc.check((int) CAPSET.invokeExact(CallMemory.current().state, header, sets));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** struct __user_cap_header_struct { u32 version; int pid; } for the calling thread. */
    private static MemorySegment header(Arena arena) {
        MemorySegment header = arena.allocate(8, 4);
        header.set(JAVA_INT, 0, LINUX_CAPABILITY_VERSION_3);
        return header;
    }

    /** struct __user_cap_data_struct { u32 effective, permitted, inheritable; }[2]. */
    private static MemorySegment capabilities(Arena arena, MemorySegment header) throws ErrnoException {
        MemorySegment sets = arena.allocate(24, 4);
        try {
            Libc.check((int) CAPGET.invokeExact(CallMemory.current().state, header, sets));
            return sets;
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    private static int effectiveIndex(int capability) {
        return capability < 32 ? 0 : 3;
    }
}
