/** The log: levels that can be changed while the server runs, the formats text and JSON, and slow calls. */
@NullMarked
package org.warpnfs.server.log;

import org.jspecify.annotations.NullMarked;
