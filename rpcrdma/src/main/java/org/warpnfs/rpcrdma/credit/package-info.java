/**
 * Credits: how many calls a requester may have outstanding (RFC 8166, section 3.3). Arithmetic alone, one ledger per
 * connection and one budget for them all.
 */
@NullMarked
package org.warpnfs.rpcrdma.credit;

import org.jspecify.annotations.NullMarked;
