/**
 * Every setting of {@code serve}: what it is called in the file, in the environment and on the command line, what it
 * may be, and where the value in force comes from. {@link org.warpnfs.server.settings.Settings} is the one table of
 * them; the reader of the file, the reader of the environment, the command line's options, the JSON schema and
 * docs/configuration.md are made of it. Opens nothing but the file.
 */
@NullMarked
package org.warpnfs.server.settings;

import org.jspecify.annotations.NullMarked;
