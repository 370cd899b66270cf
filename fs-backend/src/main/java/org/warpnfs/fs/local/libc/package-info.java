/**
 * The calls of libc that a file server needs, through the Foreign Function and Memory API: typed, with errno as an
 * {@link org.warpnfs.fs.local.libc.ErrnoException}, one class per concern. What they do stands in their manual pages
 * (sections 2 and 3); nothing is added but loops over EINTR. Linux on x86-64 and aarch64, glibc or musl.
 *
 * <h2>Threads</h2>
 *
 * Arguments and errno travel through memory that belongs to the calling thread. Identity calls are of the thread:
 * platform threads only.
 */
@NullMarked
package org.warpnfs.fs.local.libc;

import org.jspecify.annotations.NullMarked;
