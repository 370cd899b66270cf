/** Small files of the server itself that outlive its process and its host. */
@NullMarked
package org.warpnfs.nfs.stable;

import org.jspecify.annotations.NullMarked;
