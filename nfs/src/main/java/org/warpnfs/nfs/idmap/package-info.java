/**
 * Who is who: the groups of users as this host knows them, and the names by which NFSv4 calls owners.
 *
 * <p>Knows no file, no program and no name service; a name service stands behind
 * {@link org.warpnfs.nfs.idmap.Accounts}, and is asked on threads of its own by
 * {@link org.warpnfs.nfs.idmap.KeptAnswers}.
 */
@NullMarked
package org.warpnfs.nfs.idmap;

import org.jspecify.annotations.NullMarked;
