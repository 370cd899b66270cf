/**
 * What the sockets of iWARP and of RPC over TCP have in common: tuning, and a pause in accepting when descriptors run
 * out.
 *
 * <p>This package uses Netty and knows no protocol above TCP.
 */
@NullMarked
package org.warpnfs.sockets;

import org.jspecify.annotations.NullMarked;
