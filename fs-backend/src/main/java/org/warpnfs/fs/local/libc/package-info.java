/**
 * The calls of libc that a file server needs, through the Foreign Function and Memory API. They are typed, report errno
 * as an {@link org.warpnfs.fs.local.libc.ErrnoException}, and are grouped into one class per concern. Their manual
 * pages (sections 2 and 3) say what they do; nothing is added except that a call is repeated after EINTR. Linux on
 * x86-64 and aarch64, glibc or musl.
 *
 * <h2>Threads</h2>
 *
 * Arguments and errno are passed in memory that belongs to the calling thread. Identity calls affect one thread, so
 * they need platform threads.
 */
@NullMarked
package org.warpnfs.fs.local.libc;

import org.jspecify.annotations.NullMarked;
