package org.warpnfs.nfs.v4.state.file;

/**
 * What clients with delegations were asked for since the start, without a recall of a certain one.
 *
 * @param attributes CB_GETATTRs that were sent
 * @param recallAny CB_RECALL_ANYs that were sent
 */
public record QuestionCounts(long attributes, long recallAny) {}
