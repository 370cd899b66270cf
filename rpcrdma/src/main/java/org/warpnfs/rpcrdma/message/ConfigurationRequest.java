package org.warpnfs.rpcrdma.message;

/**
 * The requester's request of the connection configuration protocol (RFC 5666, section 6.2, {@code config_rdma_req}).
 * All fields are unsigned 32 bits.
 *
 * @param maxCallBytes the longest call that the requester would like to send inline
 * @param maxReplyBytes the longest reply that it takes inline
 * @param maxReads RDMA Reads that it can hold at once; 0 for none
 */
public record ConfigurationRequest(long maxCallBytes, long maxReplyBytes, long maxReads) {}
