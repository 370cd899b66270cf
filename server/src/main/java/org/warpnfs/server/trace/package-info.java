/**
 * Exports calls as OpenTelemetry traces. Except for the counters, its classes are loaded only if traces are enabled.
 */
@NullMarked
package org.warpnfs.server.trace;

import org.jspecify.annotations.NullMarked;
