/**
 * Layouts of pNFS on the wire (RFC 8881, section 3.3.13, RFC 8435): devices, the body of a layout, and what clients
 * report of them. The package knows neither state nor files.
 */
@NullMarked
package org.warpnfs.nfs.v4.layout;

import org.jspecify.annotations.NullMarked;
