/**
 * Queue pairs joined by simulated links: for tests, and for replaying failures.
 *
 * <p>Everything runs on one thread, in an order and with cuts, delays and resets that a seed decides, so that what
 * failed once fails again. The listener and the connector are those of the verbs API; what runs on them need not know
 * that no socket is there.
 */
@NullMarked
package org.warpnfs.iwarp.sim;

import org.jspecify.annotations.NullMarked;
