/**
 * Fences of layouts (RFC 8435, section 2.2): how data servers learn that a metadata server has revoked layouts of a
 * file.
 */
@NullMarked
package org.warpnfs.nfs.fence;

import org.jspecify.annotations.NullMarked;
