/** What the tests of several packages share: verbs in memory, and captured messages. */
package org.warpnfs.rpcrdma.testing;
