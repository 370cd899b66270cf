/**
 * As much of an NFS client as reading and writing one file takes (RFC 1813, RFC 8881).
 *
 * <p>Calls are put together word by word in buffers that are used again and again: the client must not be what is
 * measured.
 */
@NullMarked
package org.warpnfs.tools.bench.nfs;

import org.jspecify.annotations.NullMarked;
