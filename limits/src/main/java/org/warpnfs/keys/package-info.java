/** Hash codes that nobody can choose. The package is at the bottom of the dependency ladder and uses the JDK alone. */
@NullMarked
package org.warpnfs.keys;

import org.jspecify.annotations.NullMarked;
