package org.warpnfs.fs.spi;

/**
 * What a backend can do (pathconf, FSINFO).
 *
 * @param maxFileSizeBytes the longest file
 * @param maxLinks the most names of one file
 * @param maxNameBytes the longest name
 * @param timeGranularityNanos the step of its timestamps
 * @param symlinks can hold symbolic links
 * @param hardLinks can hold several names for one file
 * @param extendedAttributes has user extended attributes
 * @param accessControlLists has POSIX access control lists
 * @param caseInsensitive names that differ in case alone are one
 * @param casePreserving names are kept as they were written
 * @param chownRestricted only the superuser gives files away
 * @param changeOrder what the order of change ids says
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
