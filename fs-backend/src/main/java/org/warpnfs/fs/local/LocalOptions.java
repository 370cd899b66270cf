package org.warpnfs.fs.local;

import java.nio.file.Path;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link LocalFileSystem}.
 *
 * @param stateDirectory where the handle table is kept if the kernel gives no handles; outside of the served tree, and
 *     used by one server alone. If null, the table is in memory, and after a restart the tree is searched for files
 *     whose handles clients still hold
 * @param maxIdleFiles number of descriptors that may stay open although nobody has their files open
 * @param forgoKernelHandles do without CAP_DAC_READ_SEARCH even where the process has it
 * @param identity how owners are kept and who judges
 * @param ranges whether data in the page cache may be sent without reading them, where the kernel can tell
 * @param descriptors budget that descriptors of open and idle files count against, besides {@code maxIdleFiles}
 * @param syncWaits is told when threads wait for a sync that serves many
 * @param trees how many file systems share the part of the heap for handle tables, this one included
 */
public record LocalOptions(
        @Nullable Path stateDirectory,
        int maxIdleFiles,
        boolean forgoKernelHandles,
        Identity identity,
        boolean ranges,
        DescriptorBudget descriptors,
        SyncWaits syncWaits,
        IntSupplier trees) {
    private static final int DEFAULT_MAX_IDLE_FILES = 1024;

    /** How owners of files are kept. */
    public enum Identity {
        /** CALLER where the process has the privilege, else MAPPED where the file system can, else ONE. */
        BEST,
        /** Calls are made as the caller, and the kernel judges. */
        CALLER,
        /** Owners and permissions are in an extended attribute of each file, and the server judges. */
        MAPPED,
        /** Every new file belongs to the server's user, and the server judges. */
        ONE
    }

    /** Uses all privileges that the process has. */
    public static final LocalOptions DEFAULTS = new LocalOptions(
            null,
            DEFAULT_MAX_IDLE_FILES,
            false,
            Identity.BEST,
            true,
            DescriptorBudget.ofProcess(),
            SyncWaits.UNCOUNTED,
            () -> 1);

    public LocalOptions {
        if (maxIdleFiles < 0) {
            throw new IllegalArgumentException("maxIdleFiles " + maxIdleFiles);
        }
    }

    public LocalOptions withStateDirectory(@Nullable Path directory) {
        return new LocalOptions(
                directory, maxIdleFiles, forgoKernelHandles, identity, ranges, descriptors, syncWaits, trees);
    }

    public LocalOptions withMaxIdleFiles(int files) {
        return new LocalOptions(
                stateDirectory, files, forgoKernelHandles, identity, ranges, descriptors, syncWaits, trees);
    }

    /** These options, but as if the process had no privilege and the file system no extended attributes. */
    public LocalOptions withoutPrivileges() {
        return new LocalOptions(
                stateDirectory, maxIdleFiles, true, Identity.ONE, ranges, descriptors, syncWaits, trees);
    }

    public LocalOptions withIdentity(Identity wanted) {
        return new LocalOptions(
                stateDirectory, maxIdleFiles, forgoKernelHandles, wanted, ranges, descriptors, syncWaits, trees);
    }

    public LocalOptions withoutKernelHandles() {
        return new LocalOptions(stateDirectory, maxIdleFiles, true, identity, ranges, descriptors, syncWaits, trees);
    }

    /** These options, with or without {@link org.warpnfs.fs.spi.OpenFile#range ranges}. */
    public LocalOptions withRanges(boolean wanted) {
        return new LocalOptions(
                stateDirectory, maxIdleFiles, forgoKernelHandles, identity, wanted, descriptors, syncWaits, trees);
    }

    public LocalOptions withSyncWaits(SyncWaits told) {
        return new LocalOptions(
                stateDirectory, maxIdleFiles, forgoKernelHandles, identity, ranges, descriptors, told, trees);
    }

    public LocalOptions withTrees(IntSupplier number) {
        return new LocalOptions(
                stateDirectory, maxIdleFiles, forgoKernelHandles, identity, ranges, descriptors, syncWaits, number);
    }
}
