package org.warpnfs.testkit.left;

import org.jspecify.annotations.Nullable;
import org.warpnfs.testkit.right.Right;

/** One of two packages that need each other, for the test of the rule against it. */
public record Left(@Nullable Right other) {}
