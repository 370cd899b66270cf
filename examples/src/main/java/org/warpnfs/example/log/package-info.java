/** A file system in memory whose every change is appended to a log on disk: a backend that can be written. */
@NullMarked
package org.warpnfs.example.log;

import org.jspecify.annotations.NullMarked;
