/**
 * The thin shell around queue pairs: sockets, event loops, limits on connections.
 *
 * <p>Decides nothing about the protocol and looks at no header. Epoll where there is one, NIO elsewhere.
 */
@NullMarked
package org.warpnfs.iwarp.netty;

import org.jspecify.annotations.NullMarked;
