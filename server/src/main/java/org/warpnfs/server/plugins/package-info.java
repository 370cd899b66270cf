/** Backends of plug-ins: found in a directory, loaded apart from the server, and kept from harming it. */
@NullMarked
package org.warpnfs.server.plugins;

import org.jspecify.annotations.NullMarked;
