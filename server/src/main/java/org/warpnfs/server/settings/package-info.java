/**
 * The settings of {@code serve}: their names in the file, in the environment and on the command line, their allowed
 * values, and the source of the value in force. {@link org.warpnfs.server.settings.Settings} is the only table of
 * settings. The readers of the file and of the environment, the options of the command line, the JSON schema and
 * docs/configuration.md are derived from it. The package opens no file but the configuration file.
 */
@NullMarked
package org.warpnfs.server.settings;

import org.jspecify.annotations.NullMarked;
