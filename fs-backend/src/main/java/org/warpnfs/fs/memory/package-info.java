/**
 * A file system in memory. It is complete, as strict as POSIX, and gone when it is closed. It serves for tests, for
 * scratch space, and as the reference for other backends. It knows the SPI and nothing else.
 */
@NullMarked
package org.warpnfs.fs.memory;

import org.jspecify.annotations.NullMarked;
