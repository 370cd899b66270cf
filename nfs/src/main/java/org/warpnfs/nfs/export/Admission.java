package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.Caller;

/**
 * An export's permission for a call.
 *
 * @param caller the caller, squashed by the export's rule
 * @param readOnly true if this caller may change nothing
 */
public record Admission(Caller caller, boolean readOnly) {}
