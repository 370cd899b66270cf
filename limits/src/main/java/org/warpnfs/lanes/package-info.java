/**
 * The types by which transports, which own the threads, and programs, which know what takes long, agree on the thread
 * of a call.
 *
 * <p>This package knows clients' addresses and no protocols. Each thread stores the call that it runs, for the log
 * ({@link org.warpnfs.lanes.CallOnThread}).
 */
@NullMarked
package org.warpnfs.lanes;

import org.jspecify.annotations.NullMarked;
