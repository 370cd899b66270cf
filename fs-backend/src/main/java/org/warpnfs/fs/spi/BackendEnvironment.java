package org.warpnfs.fs.spi;

import java.nio.file.Path;

/**
 * What a server offers a file system that a {@link BackendProvider} opens.
 *
 * @param stateDirectory a directory for what must survive a restart, such as a table of file handles. It exists, only
 *     the server's user may read it, and no other file system uses it. It is the same at the next start if the source
 *     of the export is the same
 * @param logName the name for the backend's slf4j logger
 */
public record BackendEnvironment(Path stateDirectory, String logName) {}
