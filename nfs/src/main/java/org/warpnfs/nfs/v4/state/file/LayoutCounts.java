package org.warpnfs.nfs.v4.state.file;

/**
 * Layouts.
 *
 * @param held layout stateids now, including revoked ones until they are freed
 * @param granted LAYOUTGETs that succeeded, since the start
 * @param recalls CB_LAYOUTRECALLs that were sent, including repeated ones, since the start
 * @param revoked layouts that were recalled and not returned within a lease, since the start
 */
public record LayoutCounts(int held, long granted, long recalls, long revoked) {}
