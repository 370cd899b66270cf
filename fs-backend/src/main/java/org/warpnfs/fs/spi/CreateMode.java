package org.warpnfs.fs.spi;

/** What to do if the name is taken already (RFC 1813, section 3.3.8, RFC 8881, section 18.16). */
public sealed interface CreateMode {
    /** What a new file gets; UNCHECKED applies the size alone to a file that exists. */
    AttributeChanges attributes();

    /** Takes a regular file that exists. */
    record Unchecked(AttributeChanges attributes) implements CreateMode {}

    /** Fails with {@link FsError#EXISTS}. */
    record Guarded(AttributeChanges attributes) implements CreateMode {}

    /**
     * Fails with {@link FsError#EXISTS} unless the file was created with the same verifier by the same caller, and
     * nothing was written to it since: so a repeated request finds its own file. The verifier is kept with the file,
     * durably, until its times are set. A backend may keep it in the access and modify times, where everyone can read
     * it.
     *
     * @param verifier eight bytes that nobody but the caller can bring
     */
    record Exclusive(long verifier, AttributeChanges attributes) implements CreateMode {}
}
