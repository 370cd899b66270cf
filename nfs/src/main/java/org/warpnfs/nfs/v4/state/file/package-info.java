/**
 * State of files: opens with their share reservations, byte-range locks and delegations, each with its stateid (RFC
 * 8881, sections 8.2, 9 and 10), and the owners of NFSv4.0 (RFC 7530, section 9.1). The package knows clients, but not
 * their sessions.
 */
@NullMarked
package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.NullMarked;
