/**
 * Connects queue pairs to the network: sockets, event loops, limits on connections.
 *
 * <p>This package makes no protocol decisions and reads no headers. It uses epoll where available, else NIO.
 */
@NullMarked
package org.warpnfs.iwarp.netty;

import org.jspecify.annotations.NullMarked;
