/**
 * NFS version 4, minor versions 0 to 2, as an RPC program: the COMPOUND around the operations (RFC 8881, section 16),
 * and the classes that assemble the program's parts.
 */
@NullMarked
package org.warpnfs.nfs.v4;

import org.jspecify.annotations.NullMarked;
