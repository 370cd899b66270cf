/**
 * What READ of every version and READ_PLUS share: how a call waits for memory, how data come out of a file into it, and
 * where the file ends.
 *
 * <p>Knows files, payloads and oncrpc4j's calls; no program.
 */
@NullMarked
package org.warpnfs.nfs.io;

import org.jspecify.annotations.NullMarked;
