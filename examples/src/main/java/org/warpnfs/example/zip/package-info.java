/** The tree of a zip or jar file: a backend that cannot be written. */
@NullMarked
package org.warpnfs.example.zip;

import org.jspecify.annotations.NullMarked;
