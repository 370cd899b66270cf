package org.warpnfs.iwarp.verbs;

/**
 * What RFC 7306 adds to RDMAP. Nothing on the wire tells whether a peer has it: upper layers agree, for instance in
 * their private data, and say so in {@link ConnectOptions}. An endpoint that has an extension switched off treats its
 * messages as unknown operations and ends the stream.
 */
public enum RdmaExtension {
    /**
     * {@link WorkRequest.FetchAdd} and {@link WorkRequest.CompareSwap}, all masks: both or none (RFC 7306, section 5).
     */
    ATOMIC_OPERATIONS,
    /** {@link WorkRequest.ImmediateData}, with and without solicited event (RFC 7306, section 6). */
    IMMEDIATE_DATA
}
