/** Tasks that run again and again. The package is at the bottom of the dependency ladder and uses the JDK alone. */
@NullMarked
package org.warpnfs.schedule;

import org.jspecify.annotations.NullMarked;
