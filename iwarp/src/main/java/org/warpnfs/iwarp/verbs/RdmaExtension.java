package org.warpnfs.iwarp.verbs;

/**
 * The extensions of RDMAP by RFC 7306. The wire protocol does not negotiate them. Upper layers agree on them, for
 * instance in their private data, and name them in {@link ConnectOptions}. An endpoint treats the messages of an
 * extension that is switched off as unknown operations and ends the stream.
 */
public enum RdmaExtension {
    /**
     * {@link WorkRequest.FetchAdd} and {@link WorkRequest.CompareSwap} with all masks. They are switched on together
     * (RFC 7306, section 5).
     */
    ATOMIC_OPERATIONS,
    /** {@link WorkRequest.ImmediateData}, with and without solicited event (RFC 7306, section 6). */
    IMMEDIATE_DATA
}
