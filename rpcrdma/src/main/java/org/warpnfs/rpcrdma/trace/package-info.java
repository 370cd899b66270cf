/**
 * The way of a call as events of the Java Flight Recorder.
 *
 * <p>Off unless a recording asks for them by name, for instance
 * {@code -XX:StartFlightRecording:+warpnfs.CallReceived#enabled=true,+warpnfs.CallReplied#enabled=true}. Each carries
 * the call's XID and its requester, which together name a call in a capture.
 */
@NullMarked
package org.warpnfs.rpcrdma.trace;

import org.jspecify.annotations.NullMarked;
