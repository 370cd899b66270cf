/**
 * Which threads run what: the words that transports, which have the threads, and programs, which know what takes long,
 * share.
 *
 * <p>Knows clients' addresses; no protocol. Which call a thread runs is known to the thread, for the log
 * ({@link org.warpnfs.lanes.CallOnThread}).
 */
@NullMarked
package org.warpnfs.lanes;

import org.jspecify.annotations.NullMarked;
