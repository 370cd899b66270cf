/** Calls as OpenTelemetry traces. Nothing of it is loaded unless it is asked for, but for its counters. */
@NullMarked
package org.warpnfs.server.trace;

import org.jspecify.annotations.NullMarked;
