/**
 * Measures the throughput of TCP over loopback in a program that does nothing else. A server's throughput is compared
 * with it.
 */
@NullMarked
package org.warpnfs.tools.bench.loopback;

import org.jspecify.annotations.NullMarked;
