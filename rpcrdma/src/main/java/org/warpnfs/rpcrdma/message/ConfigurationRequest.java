package org.warpnfs.rpcrdma.message;

/**
 * What a requester says of its end of a connection (RFC 5666, section 6.2, {@code config_rdma_req}); all unsigned 32
 * bits.
 *
 * @param maxCallBytes the longest call that it would like to send inline
 * @param maxReplyBytes the longest reply that it takes inline
 * @param maxReads RDMA Reads that it holds at once; 0 for none
 */
public record ConfigurationRequest(long maxCallBytes, long maxReplyBytes, long maxReads) {}
