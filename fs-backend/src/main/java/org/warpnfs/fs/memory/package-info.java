/**
 * A file system in memory, complete and as strict as POSIX, gone when it is closed. For tests, for scratch space, and
 * as the reference that other backends are compared with. Knows the SPI and nothing else.
 */
@NullMarked
package org.warpnfs.fs.memory;

import org.jspecify.annotations.NullMarked;
