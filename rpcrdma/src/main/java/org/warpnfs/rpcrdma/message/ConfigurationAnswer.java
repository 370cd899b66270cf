package org.warpnfs.rpcrdma.message;

/**
 * What a responder says of its end (RFC 5666, section 6.2, {@code config_rdma_reply}).
 *
 * @param maxCallBytes the longest message that it takes inline, its header included
 * @param maxReads RDMA Reads that it holds at once; 0 for none
 */
public record ConfigurationAnswer(int maxCallBytes, int maxReads) {}
