/**
 * What the sockets of iWARP and of RPC over TCP have in common: how they are tuned, and what a listener does that
 * cannot accept.
 *
 * <p>Knows Netty, and no protocol above TCP.
 */
@NullMarked
package org.warpnfs.sockets;

import org.jspecify.annotations.NullMarked;
