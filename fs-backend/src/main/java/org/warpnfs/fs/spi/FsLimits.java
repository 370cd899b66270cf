package org.warpnfs.fs.spi;

import java.util.Set;

/**
 * Limits and capabilities of a backend (pathconf, FSINFO). They do not change while it is open.
 *
 * @param maxFileSizeBytes length of the longest file
 * @param maxLinks the most names that one file can have, at least 1
 * @param maxNameBytes length of the longest name, 1 to {@value FileName#MAX_LENGTH_BYTES}
 * @param timeGranularityNanos the step of its timestamps, at least 1; may be more than a second
 * @param preferredIoBytes length of a read or write that suits the backend best; 0 for no preference
 * @param cloneBlockBytes offsets and lengths of {@link OpenFile#cloneTo} have to be multiples of it; 0 if any will do
 * @param changeOrder what the order of change ids means
 * @param capabilities what the backend can do
 */
public record FsLimits(
        long maxFileSizeBytes,
        int maxLinks,
        int maxNameBytes,
        int timeGranularityNanos,
        int preferredIoBytes,
        int cloneBlockBytes,
        ChangeOrder changeOrder,
        Set<Capability> capabilities) {
    public FsLimits {
        if (maxFileSizeBytes < 0
                || maxLinks < 1
                || maxNameBytes < 1
                || maxNameBytes > FileName.MAX_LENGTH_BYTES
                || timeGranularityNanos < 1
                || preferredIoBytes < 0
                || cloneBlockBytes < 0) {
            throw new IllegalArgumentException("limits of a file system: files of " + maxFileSizeBytes + " bytes, "
                    + maxLinks + " links, names of " + maxNameBytes + " bytes, steps of " + timeGranularityNanos
                    + " ns, preferred length " + preferredIoBytes + ", blocks of " + cloneBlockBytes + " bytes");
        }
        capabilities = Set.copyOf(capabilities);
    }

    /** The limits of a backend that clones any range, or none. */
    public FsLimits(
            long maxFileSizeBytes,
            int maxLinks,
            int maxNameBytes,
            int timeGranularityNanos,
            int preferredIoBytes,
            ChangeOrder changeOrder,
            Set<Capability> capabilities) {
        this(
                maxFileSizeBytes,
                maxLinks,
                maxNameBytes,
                timeGranularityNanos,
                preferredIoBytes,
                0,
                changeOrder,
                capabilities);
    }

    /** Files, links and names of any length and number, nanoseconds, no preference, and these capabilities. */
    public static FsLimits of(ChangeOrder changeOrder, Capability... capabilities) {
        Set<Capability> all = Set.of(capabilities);
        int maxLinks = all.contains(Capability.HARD_LINKS) ? Integer.MAX_VALUE : 1;
        return new FsLimits(Long.MAX_VALUE, maxLinks, FileName.MAX_LENGTH_BYTES, 1, 0, changeOrder, all);
    }

    /** True if the backend has the capability. */
    public boolean has(Capability capability) {
        return capabilities.contains(capability);
    }

    /** How a change is refused that the backend does not have: READ_ONLY without WRITE, else NOT_SUPPORTED. */
    public FsException refusal() {
        return FsException.of(has(Capability.WRITE) ? FsError.NOT_SUPPORTED : FsError.READ_ONLY);
    }
}
