package org.warpnfs.fs.local;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.LockCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/**
 * Byte-range locks on files of the host, which its processes see.
 *
 * <h2>Buffers</h2>
 *
 * The kernel's locks belong to an open file description (fcntl(2), "Open file description locks"), so each owner has a
 * descriptor of its own for each file, of the {@link DescriptorBudget}. They are not those of {@link FdCache}: one
 * descriptor of that serves many owners. The close of a description releases its locks. Safe for any thread.
 */
final class HostLocks {
    /** After so many refusals without a holder there is one that does not show. */
    private static final int MAX_TRIES = 4;

    private final Handles handles;
    private final DescriptorBudget budget;
    private final Set<Description> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    HostLocks(Handles handles, DescriptorBudget budget) {
        this.handles = handles;
        this.budget = budget;
    }

    /** Begins the locks of one owner. */
    OwnerLocks open(FileHandle file, OpenAccess access) throws FsException {
        budget.take();
        Fd fd = null;
        try {
            fd = openFile(handles, file, access.writes() ? OpenCalls.O_RDWR : OpenCalls.O_RDONLY);
        } finally {
            if (fd == null) {
                budget.give();
            }
        }
        Description description = new Description(fd, access.writes());
        open.add(description);
        if (closed) {
            description.close();
        }
        return description;
    }

    /** Opens a regular file that still has a name, or that is open. */
    static Fd openFile(Handles handles, FileHandle file, int flags) throws FsException {
        try (Fd path = handles.open(file)) {
            Statx statx = AttributeReader.statx(path);
            RegularOpener.requireRegular(statx);
            return RegularOpener.open(path, flags);
        }
    }

    /** Releases all locks of all owners. */
    void close() {
        closed = true;
        open.forEach(Description::close);
    }

    private final class Description implements OwnerLocks {
        private final Fd fd;
        private final boolean writable;
        private final UseCount users = new UseCount();

        Description(Fd fd, boolean writable) {
            this.fd = fd;
            this.writable = writable;
        }

        @Override
        public Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException {
            if (exclusive && !writable) {
                throw FsException.of(FsError.ACCESS);
            }
            return using(() -> {
                ErrnoException refusal = null;
                for (int tries = 0; tries < MAX_TRIES; tries++) {
                    try {
                        LockCalls.lock(fd, exclusive, first, length(first, last));
                        return Optional.empty();
                    } catch (ErrnoException e) {
                        if (e.errno() != Errno.EAGAIN && e.errno() != Errno.EACCES) {
                            throw e;
                        }
                        refusal = e;
                    }
                    Optional<Holder> holder = conflict(exclusive, first, last);
                    if (holder.isPresent()) {
                        return holder;
                    }
                    // It was released between the two calls, or the kernel refuses for another reason.
                }
                if (refusal != null && refusal.errno() == Errno.EACCES) {
                    throw refusal;
                }
                return Optional.of(new Holder(exclusive, first, last, 0));
            });
        }

        @Override
        public void unlock(long first, long last) throws FsException {
            using(() -> {
                LockCalls.unlock(fd, first, length(first, last));
                return true;
            });
        }

        @Override
        public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
            return using(() -> conflict(exclusive, first, last));
        }

        private Optional<Holder> conflict(boolean exclusive, long first, long last) throws ErrnoException {
            LockCalls.Held held = LockCalls.conflict(fd, exclusive, first, length(first, last));
            return held == null
                    ? Optional.empty()
                    : Optional.of(new Holder(
                            held.exclusive(),
                            held.start(),
                            held.lengthBytes() == 0 ? TO_EOF : held.start() + (held.lengthBytes() - 1),
                            Math.max(held.process(), 0)));
        }

        private static long length(long first, long last) {
            return last == TO_EOF ? 0 : last - first + 1;
        }

        private <T> T using(Use<T> use) throws FsException {
            if (!users.enter()) {
                throw FsException.of(FsError.STALE, "the locks were released");
            }
            try {
                return use.run();
            } catch (ErrnoException e) {
                throw Failure.of(e);
            } finally {
                if (users.leave()) {
                    release();
                }
            }
        }

        @Override
        public void close() {
            if (users.close()) {
                release();
            }
        }

        private void release() {
            open.remove(this);
            fd.close();
            budget.give();
        }
    }

    private interface Use<T> {
        T run() throws ErrnoException;
    }
}
