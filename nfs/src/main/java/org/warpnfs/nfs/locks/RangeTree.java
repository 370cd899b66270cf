package org.warpnfs.nfs.locks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A tree of byte ranges with their holders. It finds a range of another holder that overlaps a given range in
 * logarithmic time, however many ranges the asking holder has there itself.
 *
 * <p>It is a treap by first byte. Each node has the last byte that any range in its subtree reaches, the holder that
 * reaches it, and the last byte that any other holder reaches. So the question whether another holder reaches a byte
 * has an exact answer for each subtree. Ranges of one holder must not overlap. Not safe for several threads.
 *
 * @param <H> holder of ranges, compared by identity
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
        /** The last byte that a range in this subtree reaches; {@code farthest} is its holder. */
        private long reach;

        private H farthest;
        /** The last byte that a range of any other holder reaches, if there is one. */
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

    /** Number of nodes that searches have examined so far. */
    long visited() {
        return visited;
    }

    /** An overlapping range of a holder other than {@code asker}, or null. */
    @Nullable
    Node<H> overlapping(@Nullable H asker, ByteRange range) {
        Node<H> node = root;
        while (node != null) {
            visited++;
            Node<H> left = node.left;
            if (left != null && left.isReachedByAnotherThan(asker, range.first())) {
                // If this node begins after the range, so does everything to its right.
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

    /**
     * Shows the overlapping ranges of holders other than {@code asker}, in their order. Between two of them it examines
     * logarithmically many nodes.
     *
     * @param isEnough ends the search by true
     */
    void eachOverlapping(@Nullable H asker, ByteRange range, Predicate<Node<H>> isEnough) {
        boolean _ = isEndedIn(root, asker, range, isEnough);
    }

    private boolean isEndedIn(@Nullable Node<H> tree, @Nullable H asker, ByteRange range, Predicate<Node<H>> isEnough) {
        Node<H> node = tree;
        while (node != null && node.isReachedByAnotherThan(asker, range.first())) {
            visited++;
            if (isEndedIn(node.left, asker, range, isEnough)) {
                return true;
            }
            if (Long.compareUnsigned(node.range.first(), range.last()) > 0) {
                return false;
            }
            if (node.holder != asker && node.range.overlaps(range) && isEnough.test(node)) {
                return true;
            }
            node = node.right;
        }
        return false;
    }

    /** Adds a node that is in no tree. */
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

    /** Splits {@code tree} at {@code at}: what precedes it becomes its left subtree, the rest its right one. */
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

    /** Removes a node that is in this tree. */
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

    /** Orders nodes by first byte, and those with the same first byte by age. */
    private static <H> boolean isBefore(Node<H> one, Node<H> other) {
        int byFirst = Long.compareUnsigned(one.range.first(), other.range.first());
        return byFirst != 0 ? byFirst < 0 : one.number < other.number;
    }
}
