/**
 * Lets clients find the server by program number (RFC 1833): the server registers with the host's rpcbind, or is the
 * portmapper itself.
 *
 * <p>Depends on oncrpc4j and the transports; of the programs it knows only the numbers.
 */
@NullMarked
package org.warpnfs.server.rpcbind;

import org.jspecify.annotations.NullMarked;
