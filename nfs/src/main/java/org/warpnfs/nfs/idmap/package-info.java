/**
 * Groups of users as this host knows them, and names of owners in NFSv4.
 *
 * <p>The package knows no file, no program and no particular name service. A name service implements
 * {@link org.warpnfs.nfs.idmap.Accounts}, and {@link org.warpnfs.nfs.idmap.KeptAnswers} calls it on threads of its own.
 */
@NullMarked
package org.warpnfs.nfs.idmap;

import org.jspecify.annotations.NullMarked;
