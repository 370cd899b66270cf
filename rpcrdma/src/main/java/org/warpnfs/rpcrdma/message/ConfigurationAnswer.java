package org.warpnfs.rpcrdma.message;

/**
 * The responder's answer of the connection configuration protocol (RFC 5666, section 6.2, {@code config_rdma_reply}).
 *
 * @param maxCallBytes the longest message that the responder takes inline, header included
 * @param maxReads RDMA Reads that it can hold at once; 0 for none
 */
public record ConfigurationAnswer(int maxCallBytes, int maxReads) {}
