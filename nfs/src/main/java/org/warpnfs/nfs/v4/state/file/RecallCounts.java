package org.warpnfs.nfs.v4.state.file;

/**
 * What became of recalled delegations since the start.
 *
 * @param sent CB_RECALLs that were sent, those that were repeated among them
 * @param failed of those, how many had no answer, or another than NFS4_OK
 * @param returned delegations that were given back after they had been recalled
 * @param revoked delegations that were not given back within a lease
 */
public record RecallCounts(long sent, long failed, long returned, long revoked) {}
