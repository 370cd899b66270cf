/** The command line: words to configuration, and one clear line for each mistake. */
@NullMarked
package org.warpnfs.server.cli;

import org.jspecify.annotations.NullMarked;
