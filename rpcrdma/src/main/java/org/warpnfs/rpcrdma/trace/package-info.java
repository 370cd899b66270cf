/**
 * The steps of a call as events of the Java Flight Recorder.
 *
 * <p>The events are off unless a recording enables them by name, for instance
 * {@code -XX:StartFlightRecording:+warpnfs.CallReceived#enabled=true,+warpnfs.CallReplied#enabled=true}. Each event has
 * the call's XID and its requester, which together identify a call in a packet capture.
 */
@NullMarked
package org.warpnfs.rpcrdma.trace;

import org.jspecify.annotations.NullMarked;
