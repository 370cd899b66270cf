/**
 * The file system SPI: what a backend offers and what the NFS programs need, in POSIX terms.
 *
 * <p>A backend names files by {@link org.warpnfs.fs.spi.FileHandle handles} that outlive a restart, judges each call by
 * the {@link org.warpnfs.fs.spi.Caller caller's} identity, and says what went wrong by
 * {@link org.warpnfs.fs.spi.FsException}. It knows nothing of NFS, RPC or RDMA.
 *
 * <h2>Threads</h2>
 *
 * Every method may block, and is called on platform threads made for that, many at once. A backend is safe for
 * concurrent use.
 */
@NullMarked
package org.warpnfs.fs.spi;

import org.jspecify.annotations.NullMarked;
