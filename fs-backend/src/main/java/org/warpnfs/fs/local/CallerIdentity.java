package org.warpnfs.fs.local;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Gives the calling thread a caller's user, group and supplementary groups, so that the kernel checks its calls as the
 * caller's. setfsuid(2) also takes away root's power over files.
 *
 * <p>A thread whose own identity cannot be restored is never used again: every later {@link #assume} on it fails. A
 * thread that has assumed an identity once no longer has CAP_SYS_RESOURCE in force. setfsuid does not take this
 * capability away, and with it quotas and reserved blocks would not apply.
 *
 * <p>What the server does for itself must not be done as a caller, who could not do it: see {@link #asOneself}. A
 * thread that is started meanwhile would be the caller's for ever.
 *
 * <h2>Threads</h2>
 *
 * Platform threads only. An identity is given back on the thread that took it. A thread takes one identity at a time.
 */
final class CallerIdentity {
    private static final Logger LOG = LoggerFactory.getLogger(CallerIdentity.class);
    /** (uid_t) -1, which the kernel reads as "leave unchanged". */
    private static final long NOBODY_AT_ALL = 0xffff_ffffL;

    /** What the thread has taken, from whichever object of this class; null if nothing. */
    private static final ThreadLocal<@Nullable OnThread> TAKEN = new ThreadLocal<>();

    private final long serverUid = IdentityCalls.effectiveUser();
    private final long serverGid = IdentityCalls.effectiveGroup();
    private final ThreadLocal<OnThread> onThread = ThreadLocal.withInitial(OnThread::new);

    /**
     * Assumes the caller's identity until the result is closed.
     *
     * @throws FsException ACCESS if the kernel does not know such a user here
     */
    Assumed assume(Caller caller) throws FsException {
        if (caller.uid() == serverUid && caller.gid() == serverGid) {
            return Assumed.NOTHING;
        }
        OnThread thread = onThread.get();
        thread.take(caller);
        return thread;
    }

    /**
     * Assumes the caller's user, but none of its groups, until the result is closed.
     *
     * @throws FsException as {@link #assume}
     */
    Assumed assumeUser(Caller caller) throws FsException {
        if (caller.uid() == serverUid) {
            return Assumed.NOTHING;
        }
        OnThread thread = onThread.get();
        thread.takeUser(caller);
        return thread;
    }

    /**
     * Does something in the thread's own identity, even if the thread has assumed a caller's, which it has again
     * afterwards.
     *
     * @throws IllegalStateException if the caller's identity cannot be assumed again; the thread has its own then
     */
    static <T, E extends Exception> T asOneself(OwnWork<T, E> work) throws E {
        OnThread thread = TAKEN.get();
        return thread == null ? work.run() : thread.interrupted(work);
    }

    /** Something that the server does for itself. */
    @FunctionalInterface
    interface OwnWork<T, E extends Exception> {
        T run() throws E;
    }

    /** An identity that was assumed. Closing it restores the thread's own. */
    interface Assumed extends AutoCloseable {
        /** The caller is the server's own user, so nothing was assumed. */
        Assumed NOTHING = () -> {};

        @Override
        void close();
    }

    private final class OnThread implements Assumed {
        private final List<Long> ownGroups;
        private boolean taken;
        private boolean broken;
        private boolean groupTaken;
        private boolean groupsTaken;
        private BooleanSupplier steps = () -> false;

        OnThread() {
            if (Thread.currentThread().isVirtual()) {
                throw new IllegalStateException("a virtual thread cannot take a caller's identity");
            }
            try {
                ownGroups = IdentityCalls.groups();
                IdentityCalls.dropCapability(IdentityCalls.CAP_SYS_RESOURCE);
            } catch (ErrnoException e) {
                throw new IllegalStateException("cannot read or limit the thread's own identity", e);
            }
        }

        void take(Caller caller) throws FsException {
            take(caller, () -> setGroups(caller.groups()) && setGroup(caller.gid()) && setUser(caller.uid()));
        }

        void takeUser(Caller caller) throws FsException {
            take(caller, () -> setUser(caller.uid()));
        }

        private void take(Caller caller, BooleanSupplier toTake) throws FsException {
            if (broken) {
                throw new IllegalStateException(
                        "this thread failed to restore its own identity before and takes no other");
            }
            if (taken) {
                throw new IllegalStateException("this thread has taken an identity already");
            }
            if (caller.uid() == NOBODY_AT_ALL || caller.gid() == NOBODY_AT_ALL) {
                throw FsException.of(FsError.ACCESS);
            }
            steps = toTake;
            if (!takeSteps()) {
                throw FsException.of(FsError.ACCESS, "the kernel does not accept the identity of " + caller);
            }
        }

        private boolean takeSteps() {
            taken = true;
            boolean done = false;
            try {
                done = steps.getAsBoolean();
            } finally {
                if (done) {
                    TAKEN.set(this);
                } else {
                    close();
                }
            }
            return done;
        }

        <T, E extends Exception> T interrupted(OwnWork<T, E> work) throws E {
            close();
            try {
                return work.run();
            } finally {
                takeAgain();
            }
        }

        private void takeAgain() {
            if (!takeSteps()) {
                // What follows is the caller's, and must not be done as the server.
                throw new IllegalStateException("the kernel no longer accepts an identity");
            }
        }

        private static boolean setUser(long uid) {
            return IdentityCalls.setFileSystemUser(uid);
        }

        private boolean setGroup(long gid) {
            groupTaken = true;
            return IdentityCalls.setFileSystemGroup(gid);
        }

        private boolean setGroups(List<Long> groups) {
            if (groups.equals(ownGroups)) {
                return true;
            }
            groupsTaken = true;
            try {
                IdentityCalls.setGroups(groups);
                return true;
            } catch (ErrnoException e) {
                return false;
            }
        }

        @Override
        public void close() {
            TAKEN.set(null);
            boolean user = IdentityCalls.setFileSystemUser(serverUid);
            boolean group = !groupTaken || IdentityCalls.setFileSystemGroup(serverGid);
            boolean groups = true;
            if (groupsTaken) {
                try {
                    IdentityCalls.setGroups(ownGroups);
                    groupsTaken = false;
                } catch (ErrnoException e) {
                    groups = false;
                }
            }
            if (!user || !group || !groups) {
                broken = true;
                LOG.error(
                        "thread {} could not restore its own identity; its further calls fail", Thread.currentThread());
                throw new IllegalStateException("identity not restored");
            }
            groupTaken = false;
            taken = false;
        }
    }
}
