/**
 * Puts the parts together: backends under exports, exports under programs, programs under listeners. Knows every module
 * and no wire format.
 */
@NullMarked
package org.warpnfs.server;

import org.jspecify.annotations.NullMarked;
