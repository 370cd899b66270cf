/** What TCP over loopback gives to a program that does nothing else: what a server's throughput is compared with. */
@NullMarked
package org.warpnfs.tools.bench.loopback;

import org.jspecify.annotations.NullMarked;
