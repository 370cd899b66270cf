/** What all packages of the state share: who a client is, the limits, and how clients share limited resources. */
@NullMarked
package org.warpnfs.nfs.v4.state.core;

import org.jspecify.annotations.NullMarked;
