package org.warpnfs.fs.ceph.libcephfs;

import java.lang.foreign.MemorySegment;

/**
 * A reference to an inode in a mount's memory. Each one that a call returned is given back by {@link InodeCalls#put}.
 */
public record Inode(MemorySegment address) {}
