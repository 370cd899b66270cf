/**
 * The file system SPI: what a backend offers and what the NFS programs need, in POSIX terms.
 *
 * <p>A backend names files by {@link org.warpnfs.fs.spi.FileHandle handles} that outlive a restart, checks each call
 * against the {@link org.warpnfs.fs.spi.Caller caller's} identity, and reports errors by
 * {@link org.warpnfs.fs.spi.FsException}. It knows nothing of NFS, RPC or RDMA.
 *
 * <h2>Threads</h2>
 *
 * Every method may block. Many platform threads, which exist to make such calls, call it at the same time. A backend is
 * safe for concurrent use.
 */
@NullMarked
package org.warpnfs.fs.spi;

import org.jspecify.annotations.NullMarked;
