/**
 * What is logged, and how it looks: levels that can be changed while the server runs, text or JSON, calls that took
 * long.
 */
@NullMarked
package org.warpnfs.server.log;

import org.jspecify.annotations.NullMarked;
