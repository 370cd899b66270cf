/**
 * Tests of the iWARP transport alone, without RPC or files, that speak with their counterparts on Linux: {@code rping}
 * of rdmacm-utils and {@code ib_read_bw}, {@code ib_write_bw}, {@code ib_send_bw}, {@code ib_send_lat} with {@code -R}
 * of perftest.
 *
 * <p>Clients block the thread that runs them and follow their protocol line by line; servers answer on the owner
 * threads of their connections.
 */
@NullMarked
package org.warpnfs.tools.iwarp;

import org.jspecify.annotations.NullMarked;
