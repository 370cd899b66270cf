package org.warpnfs.nfs.v4.state.file;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Byte ranges with their holders, in a tree that finds one of another holder that overlaps a range in logarithmic time,
 * however many ranges the asking holder has there itself.
 *
 * <p>A treap by first byte. Each node knows the last byte that any range below it reaches, who reaches it, and the last
 * byte that anyone else reaches: so "does anyone but me reach this byte" has an exact answer for each subtree. Ranges
 * of one holder must not overlap. Not safe for several threads.
 *
 * @param <H> who holds ranges, compared by identity
 */
final class RangeTree<H> {
    private @Nullable Node<H> root;
    private int size;
    private long lastNumber;
    private long visited;

    /** One range in a tree. */
    static final class Node<H> {
        final H holder;
        final ByteRange range;
        private final int priority = ThreadLocalRandom.current().nextInt();
        private long number;
        private @Nullable Node<H> left;
        private @Nullable Node<H> right;
        /** The last byte that is reached in this subtree, and by whom. */
        private long reach;

        private H farthest;
        /** The last byte that is reached by anyone but {@code farthest}, if there is anyone. */
        private long otherReach;

        private boolean hasOther;

        Node(H holder, ByteRange range) {
            this.holder = holder;
            this.range = range;
            this.farthest = holder;
            this.reach = range.last();
        }

        private boolean isReachedByAnotherThan(@Nullable H asker, long first) {
            if (farthest != asker) {
                return Long.compareUnsigned(reach, first) >= 0;
            }
            return hasOther && Long.compareUnsigned(otherReach, first) >= 0;
        }

        private void update() {
            farthest = holder;
            reach = range.last();
            hasOther = false;
            takeFarthest(left);
            takeFarthest(right);
            if (holder != farthest) {
                takeOther(range.last());
            }
            takeOther(left);
            takeOther(right);
        }

        private void takeFarthest(@Nullable Node<H> child) {
            if (child != null && Long.compareUnsigned(child.reach, reach) > 0) {
                reach = child.reach;
                farthest = child.farthest;
            }
        }

        private void takeOther(@Nullable Node<H> child) {
            if (child == null) {
                return;
            }
            if (child.farthest != farthest) {
                takeOther(child.reach);
            } else if (child.hasOther) {
                takeOther(child.otherReach);
            }
        }

        private void takeOther(long last) {
            if (!hasOther || Long.compareUnsigned(last, otherReach) > 0) {
                hasOther = true;
                otherReach = last;
            }
        }
    }

    int size() {
        return size;
    }

    /** How many nodes searches have looked at so far. */
    long visited() {
        return visited;
    }

    /** A range of a holder other than {@code asker} that overlaps, or null. */
    @Nullable
    Node<H> overlapping(@Nullable H asker, ByteRange range) {
        Node<H> node = root;
        while (node != null) {
            visited++;
            Node<H> left = node.left;
            if (left != null && left.isReachedByAnotherThan(asker, range.first())) {
                // If that one begins behind the range, so does everything to the right of it.
                node = left;
                continue;
            }
            if (node.holder != asker && node.range.overlaps(range)) {
                return node;
            }
            if (Long.compareUnsigned(node.range.first(), range.last()) > 0) {
                return null;
            }
            node = node.right;
        }
        return null;
    }

    /** Takes a node that is in no tree. */
    void add(Node<H> node) {
        node.number = ++lastNumber;
        root = added(root, node);
        size++;
    }

    private static <H> Node<H> added(@Nullable Node<H> tree, Node<H> node) {
        if (tree == null) {
            return node;
        }
        if (node.priority > tree.priority) {
            split(tree, node);
            node.update();
            return node;
        }
        if (isBefore(node, tree)) {
            tree.left = added(tree.left, node);
        } else {
            tree.right = added(tree.right, node);
        }
        tree.update();
        return tree;
    }

    /** What is in {@code tree} before {@code at} becomes its left subtree, the rest its right one. */
    private static <H> void split(Node<H> tree, Node<H> at) {
        if (isBefore(tree, at)) {
            if (tree.right == null) {
                at.left = tree;
                at.right = null;
            } else {
                split(tree.right, at);
                tree.right = at.left;
                tree.update();
                at.left = tree;
            }
        } else if (tree.left == null) {
            at.left = null;
            at.right = tree;
        } else {
            split(tree.left, at);
            tree.left = at.right;
            tree.update();
            at.right = tree;
        }
    }

    /** Takes a node out that is in this tree. */
    void remove(Node<H> node) {
        if (root == null) {
            throw new IllegalStateException("not in this tree");
        }
        root = removed(root, node);
        size--;
    }

    private static <H> @Nullable Node<H> removed(Node<H> tree, Node<H> node) {
        if (tree == node) {
            Node<H> rest = merged(node.left, node.right);
            node.left = null;
            node.right = null;
            return rest;
        }
        Node<H> child = isBefore(node, tree) ? tree.left : tree.right;
        if (child == null) {
            throw new IllegalStateException("not in this tree");
        }
        Node<H> rest = removed(child, node);
        if (child == tree.left) {
            tree.left = rest;
        } else {
            tree.right = rest;
        }
        tree.update();
        return tree;
    }

    private static <H> @Nullable Node<H> merged(@Nullable Node<H> left, @Nullable Node<H> right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        if (left.priority > right.priority) {
            left.right = merged(left.right, right);
            left.update();
            return left;
        }
        right.left = merged(left, right.left);
        right.update();
        return right;
    }

    /** By first byte, and among those that begin there by age. */
    private static <H> boolean isBefore(Node<H> one, Node<H> other) {
        int byFirst = Long.compareUnsigned(one.range.first(), other.range.first());
        return byFirst != 0 ? byFirst < 0 : one.number < other.number;
    }
}
