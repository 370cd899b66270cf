/**
 * How clients find the server by program number (RFC 1833): it registers with the host's rpcbind, or is the portmapper
 * itself.
 *
 * <p>Knows oncrpc4j and the transports; of the programs, their numbers.
 */
@NullMarked
package org.warpnfs.server.rpcbind;

import org.jspecify.annotations.NullMarked;
