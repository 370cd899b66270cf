/** The worked example of docs/rpc-over-rdma.md, compiled and run as a test. */
package org.warpnfs.rpcrdma.example;
