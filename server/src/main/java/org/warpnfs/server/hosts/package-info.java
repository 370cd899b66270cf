/** Names and netgroups of other hosts, and users and groups, from the name services of this host. */
@NullMarked
package org.warpnfs.server.hosts;

import org.jspecify.annotations.NullMarked;
