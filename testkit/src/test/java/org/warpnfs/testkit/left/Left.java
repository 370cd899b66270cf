package org.warpnfs.testkit.left;

import org.jspecify.annotations.Nullable;
import org.warpnfs.testkit.right.Right;

/** A class in one of two packages that depend on each other. It is for the test of the rule against such packages. */
public record Left(@Nullable Right other) {}
