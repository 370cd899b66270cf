/**
 * Credits: how many calls a requester may have outstanding (RFC 8166, section 3.3). The package only computes: one
 * ledger for each connection and one budget for all.
 */
@NullMarked
package org.warpnfs.rpcrdma.credit;

import org.jspecify.annotations.NullMarked;
