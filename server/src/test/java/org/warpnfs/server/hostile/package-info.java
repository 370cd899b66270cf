/**
 * Attacks on a whole server over real sockets, while an honest client beside the hostile peers must notice nothing.
 *
 * <p>Each hostile peer has its own address of 127.0.1.0/24. The honest client has 127.0.0.1.
 */
package org.warpnfs.server.hostile;
