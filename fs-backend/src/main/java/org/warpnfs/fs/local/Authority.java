package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Who judges what a caller may do. Each operation asks first, then assumes the caller's identity for the calls that the
 * kernel judges; one of the two does nothing in each kind.
 */
sealed interface Authority permits KernelAuthority, SoftwareAuthority {
    /** Until closed, calls of this thread are made as the caller, as far as this kind can. */
    CallerIdentity.Assumed assume(Caller caller) throws FsException;

    /** Makes calls as the caller, as far as this kind can. */
    default <T> T as(Caller caller, Calls<T> calls) throws FsException, ErrnoException {
        CallerIdentity.Assumed assumed = assume(caller);
        try {
            return calls.make();
        } finally {
            assumed.close();
        }
    }

    /** Makes calls that give no result as the caller. */
    default void runAs(Caller caller, ResultlessCalls calls) throws FsException, ErrnoException {
        CallerIdentity.Assumed assumed = assume(caller);
        try {
            calls.make();
        } finally {
            assumed.close();
        }
    }

    /** True if a new file belongs to the caller rather than to the server's user. */
    boolean actsAsCaller();

    /** True if the caller has the permission. */
    boolean has(Caller caller, Fd file, Permission permission) throws FsException;

    /** Throws ACCESS unless the caller may open the file, as the SPI says it. */
    void requireOpenable(Caller caller, Fd file, OpenAccess access) throws FsException;

    /** Throws unless the caller may change attributes so; the kernel may still say no. */
    void requireSettable(Caller caller, Fd file, AttributeChanges changes) throws FsException;

    /** Throws ACCESS unless the caller has the permission, where the kernel will not judge it. */
    void require(Caller caller, Fd file, Permission permission) throws FsException;

    /** Throws ACCESS unless the caller may change names in the directory, where the kernel will not judge it. */
    void requireModifiable(Caller caller, Fd directory) throws FsException;

    /** Throws NOT_PERMITTED if the directory is sticky against the caller, where the kernel will not judge it. */
    void requireRemovable(Caller caller, Fd directory, Fd file) throws FsException;

    /** Calls of libc. */
    interface Calls<T> {
        T make() throws FsException, ErrnoException;
    }

    /** Calls of libc that give no result. */
    interface ResultlessCalls {
        void make() throws FsException, ErrnoException;
    }
}
