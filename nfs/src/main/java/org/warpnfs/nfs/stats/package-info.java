/**
 * The interface by which programs report how their calls end. It knows nothing but the JDK, so that every program can
 * use it and any exporter can implement it.
 */
@NullMarked
package org.warpnfs.nfs.stats;

import org.jspecify.annotations.NullMarked;
