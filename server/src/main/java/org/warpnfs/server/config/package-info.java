/**
 * What the server is told to do: exports, listeners, limits. Parsed and checked here, before anything is opened, so
 * that a mistake is one line that says where it is.
 */
@NullMarked
package org.warpnfs.server.config;

import org.jspecify.annotations.NullMarked;
