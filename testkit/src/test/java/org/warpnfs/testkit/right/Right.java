package org.warpnfs.testkit.right;

import org.jspecify.annotations.Nullable;
import org.warpnfs.testkit.left.Left;

/** One of two packages that need each other, for the test of the rule against it. */
public record Right(@Nullable Left other) {}
