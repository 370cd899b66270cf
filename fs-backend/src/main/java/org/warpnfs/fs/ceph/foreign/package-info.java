/** What the bindings of Ceph's libraries have in common. Knows the JDK alone. */
@NullMarked
package org.warpnfs.fs.ceph.foreign;

import org.jspecify.annotations.NullMarked;
