/**
 * The configuration of the server: exports, listeners, limits. It is parsed and checked before anything is opened, so
 * that a mistake is one line that says where it is.
 */
@NullMarked
package org.warpnfs.server.config;

import org.jspecify.annotations.NullMarked;
