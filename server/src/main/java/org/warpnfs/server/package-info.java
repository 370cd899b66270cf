/**
 * Connects the modules: backends to exports, exports to programs, programs to listeners. Uses every module, and
 * contains no wire format.
 */
@NullMarked
package org.warpnfs.server;

import org.jspecify.annotations.NullMarked;
