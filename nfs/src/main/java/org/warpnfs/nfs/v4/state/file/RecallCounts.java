package org.warpnfs.nfs.v4.state.file;

/**
 * Counts of recalls and their results since the start.
 *
 * @param sent CB_RECALLs that were sent, including repeated ones
 * @param failed number of these without an answer, or with another than NFS4_OK
 * @param returned delegations that were returned after they had been recalled
 * @param revoked delegations that were not returned within a lease
 */
public record RecallCounts(long sent, long failed, long returned, long revoked) {}
