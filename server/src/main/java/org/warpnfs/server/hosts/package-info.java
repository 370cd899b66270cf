/**
 * What this host knows of other hosts: their names and netgroups, by the name services that its administrator has set
 * up.
 */
@NullMarked
package org.warpnfs.server.hosts;

import org.jspecify.annotations.NullMarked;
