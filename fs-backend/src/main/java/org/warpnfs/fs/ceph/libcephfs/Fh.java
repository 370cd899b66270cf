package org.warpnfs.fs.ceph.libcephfs;

import java.lang.foreign.MemorySegment;

/** An open file of a mount. */
public record Fh(MemorySegment address) {}
