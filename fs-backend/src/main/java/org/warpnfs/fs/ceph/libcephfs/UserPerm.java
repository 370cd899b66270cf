package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.warpnfs.fs.ceph.libcephfs.Library.INT;
import static org.warpnfs.fs.ceph.libcephfs.Library.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a caller: user, group and supplementary groups. The library and the metadata servers judge each call
 * by it. The library copies what it needs beyond a call.
 */
public final class UserPerm implements AutoCloseable {
    private static final MethodHandle NEW = Library.pointerFunction("ceph_userperm_new", INT, INT, INT, POINTER);
    private static final MethodHandle DESTROY = Library.voidFunction("ceph_userperm_destroy", POINTER);

    /** User and group 0, without further groups. Closing it does nothing. */
    public static final UserPerm SUPERUSER = of(0, 0, List.of());

    final MemorySegment address;
    private final @Nullable Arena groups;

    private UserPerm(MemorySegment address, @Nullable Arena groups) {
        this.address = address;
        this.groups = groups;
    }

    /** Makes an identity for calls of this thread. Numbers are unsigned 32 bits. */
    public static UserPerm of(long uid, long gid, List<Long> groups) {
        Arena arena = groups.isEmpty() ? null : Arena.ofConfined();
        MemorySegment list = MemorySegment.NULL;
        if (arena != null) {
            list = arena.allocate(groups.size() * JAVA_INT.byteSize(), JAVA_INT.byteAlignment());
            for (int i = 0; i < groups.size(); i++) {
                list.setAtIndex(JAVA_INT, i, groups.get(i).intValue());
            }
        }
        try {
            return new UserPerm((MemorySegment) NEW.invokeExact((int) uid, (int) gid, groups.size(), list), arena);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    @Override
    public void close() {
        if (this == SUPERUSER) {
            return;
        }
        try {
            DESTROY.invokeExact(address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
        if (groups != null) {
            groups.close();
        }
    }
}
