/**
 * NFS version 4, minor versions 1 and 2, as an RPC program: the COMPOUND around the operations (RFC 8881, section 16),
 * and the parts that the server puts together.
 */
@NullMarked
package org.warpnfs.nfs.v4;

import org.jspecify.annotations.NullMarked;
