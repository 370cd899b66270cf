package org.warpnfs.fs.ceph.libcephfs;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What Ceph calls delegations: the library tells before another client's use of a file, or a use by another descriptor
 * of the same mount, conflicts, and holds it back until the delegation is given back.
 */
public final class LeaseCalls {
    private static final int NONE = 0;
    private static final int TO_READ = 1;
    private static final int TO_WRITE = 2;

    private static final MethodHandle RETURN_TIMEOUT =
            Library.CEPHFS.intFunction("ceph_get_cap_return_timeout", POINTER);
    private static final MethodHandle SET_TIMEOUT = Library.CEPHFS.intFunction("ceph_set_deleg_timeout", POINTER, INT);
    private static final MethodHandle DELEGATION =
            Library.CEPHFS.intFunction("ceph_ll_delegation", POINTER, POINTER, INT, POINTER, POINTER);

    /** Whom to tell, by the number that the library has as its pointer. */
    static final Map<Long, Runnable> TOLD = new ConcurrentHashMap<>();

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final MemorySegment BREAKING = breakingStub();

    private LeaseCalls() {}

    private static MemorySegment breakingStub() {
        try {
            MethodHandle breaking = MethodHandles.lookup()
                    .findStatic(
                            LeaseCalls.class,
                            "breaking",
                            MethodType.methodType(void.class, MemorySegment.class, MemorySegment.class));
            return Library.CEPHFS.stub(breaking, FunctionDescriptor.ofVoid(POINTER, POINTER));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the method that libcephfs calls is not there", e);
        }
    }

    /**
     * Called by the library, under its lock and on any thread of the process. What is thrown here would end the
     * process.
     */
    @SuppressWarnings("UnusedVariable") // The library passes both.
    static void breaking(MemorySegment file, MemorySegment number) {
        try {
            Runnable told = TOLD.get(number.address());
            if (told != null) {
                told.run();
            }
        } catch (Throwable _) {
            // Whoever was told has logged it if there was memory for that.
        }
    }

    /** How many seconds a client has until the cluster ends a mount that does not give back what it is asked for. */
    public static int returnTimeoutSeconds(Mount mount) {
        try {
            return (int) RETURN_TIMEOUT.invokeExact(mount.address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /**
     * Allows delegations to a mount. The library ends the mount if one is not given back in this time.
     *
     * @param seconds fewer than {@link #returnTimeoutSeconds}
     */
    public static void allow(Mount mount, int seconds) throws CephException {
        try {
            int _ = Library.check((int) SET_TIMEOUT.invokeExact(mount.address, seconds));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** A delegation of a descriptor. */
    public static final class Taken {
        private final Mount mount;
        private final Fh file;
        private final long number;

        private Taken(Mount mount, Fh file, long number) {
            this.mount = mount;
            this.file = file;
            this.number = number;
        }

        /** Gives the delegation back, once, before the descriptor is closed. */
        public void giveBack() {
            try {
                int _ = (int) DELEGATION.invokeExact(
                        mount.address, file.address(), NONE, MemorySegment.NULL, MemorySegment.NULL);
            } catch (Throwable e) {
                throw Library.broken(e);
            } finally {
                TOLD.remove(number);
            }
        }
    }

    /**
     * Takes a delegation.
     *
     * @param toWrite whether others may not even read; the descriptor is open for writing then
     * @param breaking is run when it has to be given back, on any thread, maybe before this returns. It must not call
     *     the library, must not wait, and must not throw
     * @throws CephException EAGAIN if the file is in use in a way that conflicts
     */
    public static Taken take(Mount mount, Fh file, boolean toWrite, Runnable breaking) throws CephException {
        long number = NUMBERS.incrementAndGet();
        TOLD.put(number, breaking);
        boolean taken = false;
        try {
            int _ = Library.check((int) DELEGATION.invokeExact(
                    mount.address,
                    file.address(),
                    toWrite ? TO_WRITE : TO_READ,
                    BREAKING,
                    MemorySegment.ofAddress(number)));
            taken = true;
        } catch (Throwable e) {
            throw Library.failure(e);
        } finally {
            if (!taken) {
                TOLD.remove(number);
            }
        }
        return new Taken(mount, file, number);
    }
}
