package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Decides what a caller may do. Each operation first asks the authority's checks, then assumes the caller's identity
 * for the calls that the kernel checks. In each of the two implementations, one of these two steps does nothing.
 */
sealed interface Authority permits KernelAuthority, SoftwareAuthority {
    /** Makes the calls of this thread as the caller until the result is closed, as far as this implementation can. */
    CallerIdentity.Assumed assume(Caller caller) throws FsException;

    /** Makes calls as the caller, as far as this implementation can. */
    default <T> T as(Caller caller, Calls<T> calls) throws FsException, ErrnoException {
        CallerIdentity.Assumed assumed = assume(caller);
        try {
            return calls.make();
        } finally {
            assumed.close();
        }
    }

    /** Makes calls that return no result as the caller. */
    default void runAs(Caller caller, ResultlessCalls calls) throws FsException, ErrnoException {
        CallerIdentity.Assumed assumed = assume(caller);
        try {
            calls.make();
        } finally {
            assumed.close();
        }
    }

    /**
     * Makes calls that change the contents of an open file, as the caller, as far as this implementation can. The
     * caller was permitted to open the file; what is left for the kernel is to take away set-id bits, and to apply
     * quotas and the limit of reserved blocks.
     *
     * @param mode st_mode of the file
     */
    default void runAsWriter(Caller caller, int mode, ResultlessCalls calls) throws FsException, ErrnoException {
        runAs(caller, calls);
    }

    /** True if a new file belongs to the caller rather than to the server's user. */
    boolean actsAsCaller();

    /** True if the caller has the permission. */
    boolean has(Caller caller, Fd file, Permission permission) throws FsException;

    /**
     * Throws ACCESS unless the caller may open the file by the rules of the SPI.
     *
     * @param statx of the file
     */
    void requireOpenable(Caller caller, Fd file, Statx statx, OpenAccess access) throws FsException;

    /** True if the caller may open the file for whatever access, which its owner alone tells. Makes no calls. */
    boolean mayOpenAnyway(Caller caller, Statx statx);

    /** Throws unless the caller may change these attributes. The kernel may still refuse. */
    void requireSettable(Caller caller, Fd file, AttributeChanges changes) throws FsException;

    /** Throws ACCESS unless the caller has the permission. Does nothing if the kernel will check it. */
    void require(Caller caller, Fd file, Permission permission) throws FsException;

    /** Throws ACCESS unless the caller may change names in the directory. Does nothing if the kernel will check it. */
    void requireModifiable(Caller caller, Fd directory) throws FsException;

    /**
     * Throws NOT_PERMITTED if the directory's sticky bit forbids the caller to remove the file. Does nothing if the
     * kernel will check it.
     */
    void requireRemovable(Caller caller, Fd directory, Fd file) throws FsException;

    /** Calls of libc. */
    interface Calls<T> {
        T make() throws FsException, ErrnoException;
    }

    /** Calls of libc that return no result. */
    interface ResultlessCalls {
        void make() throws FsException, ErrnoException;
    }
}
