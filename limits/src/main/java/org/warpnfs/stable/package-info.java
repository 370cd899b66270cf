/** Small files of the server itself that outlive its process and its host. The package uses the JDK alone. */
@NullMarked
package org.warpnfs.stable;

import org.jspecify.annotations.NullMarked;
