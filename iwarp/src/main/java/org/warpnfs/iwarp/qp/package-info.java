/**
 * One queue pair, put together: startup, framing, placement, RDMAP and the work queues as one deterministic machine.
 *
 * <p>Bytes and events go in by {@link org.warpnfs.iwarp.qp.QueuePairMachine}, bytes to send come out of it, and what
 * else it needs it asks of its {@link org.warpnfs.iwarp.qp.QueuePairLink}: the time, and a later moment on its own
 * thread. Knows no socket, no clock and no thread.
 */
@NullMarked
package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.NullMarked;
