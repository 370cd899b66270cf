/** What the tests of several packages share: a responder in a simulation, and requesters of several kinds. */
package org.warpnfs.rpcrdma.testing;
