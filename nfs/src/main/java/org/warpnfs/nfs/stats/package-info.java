/**
 * Where programs say how their calls end. Knows nothing but the JDK, so that every program can say it and any exporter
 * can hear.
 */
@NullMarked
package org.warpnfs.nfs.stats;

import org.jspecify.annotations.NullMarked;
