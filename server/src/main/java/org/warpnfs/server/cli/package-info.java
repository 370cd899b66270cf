/** The commands. They turn options into configuration, and report each mistake in one line. */
@NullMarked
package org.warpnfs.server.cli;

import org.jspecify.annotations.NullMarked;
