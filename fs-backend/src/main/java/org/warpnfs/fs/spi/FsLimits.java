package org.warpnfs.fs.spi;

/**
 * Limits and capabilities of a backend (pathconf, FSINFO).
 *
 * @param maxFileSizeBytes length of the longest file
 * @param maxLinks the most names that one file can have
 * @param maxNameBytes length of the longest name
 * @param timeGranularityNanos the step of its timestamps
 * @param symlinks has symbolic links
 * @param hardLinks a file can have several names
 * @param extendedAttributes has user extended attributes
 * @param accessControlLists has POSIX access control lists
 * @param caseInsensitive names that differ in case alone are the same name
 * @param casePreserving names are kept as they were written
 * @param chownRestricted only the superuser may give files to another owner
 * @param changeOrder what the order of change ids means
 */
public record FsLimits(
        long maxFileSizeBytes,
        int maxLinks,
        int maxNameBytes,
        int timeGranularityNanos,
        boolean symlinks,
        boolean hardLinks,
        boolean extendedAttributes,
        boolean accessControlLists,
        boolean caseInsensitive,
        boolean casePreserving,
        boolean chownRestricted,
        ChangeOrder changeOrder) {}
