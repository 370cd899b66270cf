/**
 * The calls of libcephfs that a file server needs, through the Foreign Function and Memory API. They are typed, report
 * an error number as a {@link org.warpnfs.fs.ceph.libcephfs.CephException}, and are grouped into one class per concern.
 * The library is that of Ceph 16 (Debian 12) or later; it is loaded when the first class of this package but
 * {@link org.warpnfs.fs.ceph.libcephfs.Library} is used.
 *
 * <h2>Threads</h2>
 *
 * A call waits for the cluster, without a limit, on the thread that makes it. Arguments and results are passed in
 * memory that belongs to the calling thread. A pointer is used no longer once it was given back: the library checks
 * nothing.
 */
@NullMarked
package org.warpnfs.fs.ceph.libcephfs;

import org.jspecify.annotations.NullMarked;
