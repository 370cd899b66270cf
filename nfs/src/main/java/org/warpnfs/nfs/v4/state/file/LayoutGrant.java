package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.fence.FenceStamp;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A layout that was granted.
 *
 * @param stamp for the handle of the file in it; null if layouts are not fenced
 */
public record LayoutGrant(Stateid stateid, @Nullable FenceStamp stamp) {}
