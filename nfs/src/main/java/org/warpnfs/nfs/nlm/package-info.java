/**
 * File locks of NFSv3 clients: NLM version 4, the Network Lock Manager, and NSM, the Network Status Monitor by which
 * clients and servers tell each other that they have restarted (RFC 1813, appendix II, X/Open XNFS, chapters 10 and
 * 11).
 *
 * <p>The locks themselves are in {@link org.warpnfs.nfs.locks}. Calls to clients go through
 * {@link org.warpnfs.nfs.nlm.PeerCalls}, so the package has no sockets.
 */
@NullMarked
package org.warpnfs.nfs.nlm;

import org.jspecify.annotations.NullMarked;
