package org.warpnfs.fs.local;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link LocalFileSystem} runs.
 *
 * @param stateDirectory where the table of handles is kept if the kernel gives none; outside the tree that is served,
 *     and one server's alone. Null: the table is in memory, and after a restart the tree is searched for a file that a
 *     client still holds a handle of
 * @param maxIdleFiles how many file descriptors may stay open of files that nobody has open
 * @param forgoKernelHandles do without CAP_DAC_READ_SEARCH even where it is there
 * @param forgoIdentity judge permissions in software even where the kernel could
 * @param descriptors what open files and idle ones take from, beside {@code maxIdleFiles}
 */
public record LocalOptions(
        @Nullable Path stateDirectory,
        int maxIdleFiles,
        boolean forgoKernelHandles,
        boolean forgoIdentity,
        DescriptorBudget descriptors) {
    private static final int DEFAULT_MAX_IDLE_FILES = 1024;

    /** All privileges that are there are used. */
    public static final LocalOptions DEFAULTS =
            new LocalOptions(null, DEFAULT_MAX_IDLE_FILES, false, false, DescriptorBudget.ofProcess());

    public LocalOptions {
        if (maxIdleFiles < 0) {
            throw new IllegalArgumentException("maxIdleFiles " + maxIdleFiles);
        }
    }

    public LocalOptions withStateDirectory(@Nullable Path directory) {
        return new LocalOptions(directory, maxIdleFiles, forgoKernelHandles, forgoIdentity, descriptors);
    }

    public LocalOptions withMaxIdleFiles(int files) {
        return new LocalOptions(stateDirectory, files, forgoKernelHandles, forgoIdentity, descriptors);
    }

    /** Files take their descriptors from another budget than the process's. */
    public LocalOptions withDescriptors(DescriptorBudget budget) {
        return new LocalOptions(stateDirectory, maxIdleFiles, forgoKernelHandles, forgoIdentity, budget);
    }

    /** As if the process had no privilege at all. */
    public LocalOptions withoutPrivileges() {
        return new LocalOptions(stateDirectory, maxIdleFiles, true, true, descriptors);
    }

    public LocalOptions withoutKernelHandles() {
        return new LocalOptions(stateDirectory, maxIdleFiles, true, forgoIdentity, descriptors);
    }
}
