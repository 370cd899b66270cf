package org.warpnfs.fs.spi;

/** What to do if the name exists already (RFC 1813, section 3.3.8, RFC 8881, section 18.16). */
public sealed interface CreateMode {
    /** Attributes of a new file. If the file exists, UNCHECKED applies the size alone. */
    AttributeChanges attributes();

    /** Accepts a regular file that exists. */
    record Unchecked(AttributeChanges attributes) implements CreateMode {}

    /** Fails with {@link FsError#EXISTS}. */
    record Guarded(AttributeChanges attributes) implements CreateMode {}

    /**
     * Fails with {@link FsError#EXISTS} unless the same caller created the file with the same verifier and nothing was
     * written to it since. So a repeated request finds the file that it made. The backend keeps the verifier with the
     * file, on stable storage, until the file's times are set. It may keep it in the access and modify times, where
     * everyone can read it.
     *
     * @param verifier eight bytes that no other caller can know
     */
    record Exclusive(long verifier, AttributeChanges attributes) implements CreateMode {}
}
