package org.warpnfs.testkit.right;

import org.jspecify.annotations.Nullable;
import org.warpnfs.testkit.left.Left;

/** A class in one of two packages that depend on each other. It is for the test of the rule against such packages. */
public record Right(@Nullable Left other) {}
