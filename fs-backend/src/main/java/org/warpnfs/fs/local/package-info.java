/**
 * A backend that serves a directory of the host, by POSIX calls on file descriptors. It never looks a file up by a
 * path, and never follows a symbolic link.
 *
 * <p>It uses two privileges and works without them. With CAP_DAC_READ_SEARCH, handles are the kernel's own; without it,
 * a table says where a file was last seen. As root, each call is made in the caller's identity and the kernel checks
 * it; otherwise {@link org.warpnfs.fs.spi.PosixJudge} does, and new files belong to the server's user.
 *
 * <p>It knows the SPI and, below it, {@link org.warpnfs.fs.local.libc}.
 */
@NullMarked
package org.warpnfs.fs.local;

import org.jspecify.annotations.NullMarked;
