package org.warpnfs.fs.ceph.libcephfs;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a caller: user, group and supplementary groups. The library and the metadata servers judge each call
 * by it. After a change it stays open until the change is on stable storage: until then the library reads the groups
 * again, when another metadata server takes over.
 */
public final class UserPerm implements AutoCloseable {
    private static final MethodHandle NEW = Library.CEPHFS.pointerFunction("ceph_userperm_new", INT, INT, INT, POINTER);
    private static final MethodHandle DESTROY = Library.CEPHFS.voidFunction("ceph_userperm_destroy", POINTER);

    private static final GroupLists LISTS = new GroupLists();

    /** User and group 0, without further groups. Closing it does nothing. */
    public static final UserPerm SUPERUSER = of(0, 0, List.of());

    final MemorySegment address;
    private final GroupLists.@Nullable Kept groups;

    private UserPerm(MemorySegment address, GroupLists.@Nullable Kept groups) {
        this.address = address;
        this.groups = groups;
    }

    /** Makes an identity for calls of this thread. Numbers are unsigned 32 bits. */
    public static UserPerm of(long uid, long gid, List<Long> groups) {
        GroupLists.Kept kept = groups.isEmpty() ? null : LISTS.use(groups);
        MemorySegment list = kept == null ? MemorySegment.NULL : kept.memory;
        try {
            return new UserPerm((MemorySegment) NEW.invokeExact((int) uid, (int) gid, groups.size(), list), kept);
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
            LISTS.leave(groups);
        }
    }
}
