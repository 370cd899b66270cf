package org.warpnfs.nfs.v4.state.file;

/** What a delegation permits its client (RFC 8881, section 10.4). */
public enum DelegationKind {
    /** To serve opens and reads from its cache. Several clients may have one of the same file. */
    READ,
    /** To serve writes and locks too. No other client has the file open or delegated. */
    WRITE
}
