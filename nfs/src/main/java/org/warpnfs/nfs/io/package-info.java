/**
 * What READ of every version and READ_PLUS share: waiting for memory, reading data into it, and detecting the end of
 * the file.
 *
 * <p>The package knows files, payloads and oncrpc4j's calls, but no program.
 */
@NullMarked
package org.warpnfs.nfs.io;

import org.jspecify.annotations.NullMarked;
