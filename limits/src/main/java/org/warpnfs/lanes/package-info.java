/**
 * Which threads run what: the words that transports, which have the threads, and programs, which know what takes long, share.
 *
 * <p>Knows clients' addresses; no protocol, no thread.
 */
@NullMarked
package org.warpnfs.lanes;

import org.jspecify.annotations.NullMarked;
