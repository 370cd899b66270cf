/**
 * A directory of the host as a backend, by POSIX calls on file descriptors: names are never looked up by path, symbolic
 * links never followed.
 *
 * <p>Two privileges make it whole, and it does without either: with CAP_DAC_READ_SEARCH, handles are the kernel's own,
 * else a table says where a file was last seen; as root, each call is made in the caller's identity and the kernel
 * judges it, else {@link org.warpnfs.fs.spi.PosixJudge} does and new files belong to the server's user.
 *
 * <p>Knows the SPI and, below it, {@link org.warpnfs.fs.local.libc}.
 */
@NullMarked
package org.warpnfs.fs.local;

import org.jspecify.annotations.NullMarked;
