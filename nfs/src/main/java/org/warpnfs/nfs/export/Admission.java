package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.Caller;

/**
 * An export has taken a call.
 *
 * @param caller who calls, squashed as the export says
 * @param readOnly nothing may be changed by this caller
 */
public record Admission(Caller caller, boolean readOnly) {}
