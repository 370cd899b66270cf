/**
 * Clients and their leases, their sessions with slots, and the replies that slots keep (RFC 8881, section 2.10). Does
 * not know what clients hold of files.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.NullMarked;
