/**
 * Peers that do their worst to a whole server over real sockets, and an honest client beside them that must not notice.
 *
 * <p>Loopback has many addresses: each hostile peer has one of 127.0.1.0/24 for itself, the honest client 127.0.0.1.
 */
package org.warpnfs.server.hostile;
