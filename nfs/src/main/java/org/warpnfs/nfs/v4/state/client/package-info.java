/**
 * Clients and their leases, their sessions with slots, and the replies that slots keep (RFC 8881, section 2.10). The
 * package does not know what state of files the clients have.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.NullMarked;
