/**
 * One queue pair as a deterministic machine: startup, framing, placement, RDMAP and the work queues.
 *
 * <p>{@link org.warpnfs.iwarp.qp.QueuePairMachine} takes bytes and events, and returns bytes to send. It uses a
 * {@link org.warpnfs.iwarp.qp.QueuePairLink} for the time and for tasks to run later on its own thread. This package
 * knows no socket, clock or thread.
 */
@NullMarked
package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.NullMarked;
