/**
 * Tests of the iWARP transport without RPC and files, which work with their counterparts on Linux: {@code rping} of
 * rdmacm-utils and {@code ib_read_bw}, {@code ib_write_bw}, {@code ib_send_bw}, {@code ib_send_lat} with {@code -R} of
 * perftest.
 *
 * <p>Clients block the thread that runs them; servers answer on the owner threads of their connections.
 */
@NullMarked
package org.warpnfs.tools.iwarp;

import org.jspecify.annotations.NullMarked;
