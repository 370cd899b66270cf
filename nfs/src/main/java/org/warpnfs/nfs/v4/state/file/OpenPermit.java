package org.warpnfs.nfs.v4.state.file;

/**
 * Says that an OPEN may create its file and get an open of it, although another server's grace period begins in
 * between. Answered GRACE then, the client could not know that the file exists. The server waits for such calls before
 * it tells the others that it grants no new state.
 *
 * <p>Valid while the state has it. Its identity is all that it is.
 */
public final class OpenPermit {}
