package org.warpnfs.fs.ceph.librados;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.BYTE;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Objects in one namespace of a pool: rados_ioctx_t. An object has named values (its omap) and a mark, an attribute
 * that a change can depend on.
 *
 * <p>A change is atomic, and is on stable storage at all replicas that are up when the call returns. No client keeps
 * anything of an object, so one that has died delays nobody. Safe for any thread; waits as {@link RadosClient} says.
 */
public final class RadosObjects implements AutoCloseable {
    private static final MethodHandle DESTROY = RadosLibrary.RADOS.voidFunction("rados_ioctx_destroy", POINTER);
    private static final MethodHandle WRITE = RadosLibrary.RADOS.pointerFunction("rados_create_write_op");
    private static final MethodHandle END_WRITE = RadosLibrary.RADOS.voidFunction("rados_release_write_op", POINTER);
    private static final MethodHandle CREATE =
            RadosLibrary.RADOS.voidFunction("rados_write_op_create", POINTER, INT, POINTER);
    private static final MethodHandle COMPARE =
            RadosLibrary.RADOS.voidFunction("rados_write_op_cmpxattr", POINTER, POINTER, BYTE, POINTER, LONG);
    private static final MethodHandle COMPARE_VALUE =
            RadosLibrary.RADOS.voidFunction("rados_write_op_omap_cmp", POINTER, POINTER, BYTE, POINTER, LONG, POINTER);
    private static final MethodHandle MARK =
            RadosLibrary.RADOS.voidFunction("rados_write_op_setxattr", POINTER, POINTER, POINTER, LONG);
    private static final MethodHandle SET = RadosLibrary.RADOS.voidFunction(
            "rados_write_op_omap_set2", POINTER, POINTER, POINTER, POINTER, POINTER, LONG);
    private static final MethodHandle REMOVE =
            RadosLibrary.RADOS.voidFunction("rados_write_op_omap_rm_keys2", POINTER, POINTER, POINTER, LONG);
    private static final MethodHandle DO_WRITE =
            RadosLibrary.RADOS.intFunction("rados_write_op_operate", POINTER, POINTER, POINTER, POINTER, INT);
    private static final MethodHandle READ = RadosLibrary.RADOS.pointerFunction("rados_create_read_op");
    private static final MethodHandle END_READ = RadosLibrary.RADOS.voidFunction("rados_release_read_op", POINTER);
    private static final MethodHandle VALUES = RadosLibrary.RADOS.voidFunction(
            "rados_read_op_omap_get_vals2", POINTER, POINTER, POINTER, LONG, POINTER, POINTER, POINTER);
    private static final MethodHandle DO_READ =
            RadosLibrary.RADOS.intFunction("rados_read_op_operate", POINTER, POINTER, POINTER, INT);
    private static final MethodHandle NEXT =
            RadosLibrary.RADOS.intFunction("rados_omap_get_next2", POINTER, POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle END_VALUES = RadosLibrary.RADOS.voidFunction("rados_omap_get_end", POINTER);

    private static final String MARK_NAME = "mark";
    private static final byte EQUAL = 1;
    private static final int EXCLUSIVE = 1;
    private static final long PAGE_VALUES = 1000;
    private static final int MOST_VALUE_BYTES = 1 << 20;

    private static final int ENOENT = 2;
    private static final int EEXIST = 17;
    private static final int ENODATA = 61;
    private static final int ECANCELED = 125;

    private final MemorySegment context;

    RadosObjects(MemorySegment context) {
        this.context = context;
    }

    /** The values whose names begin with {@code prefix}; empty if there is no such object. Not atomic beyond 1000. */
    public NavigableMap<String, byte[]> read(String object, String prefix) throws RadosException {
        NavigableMap<String, byte[]> all = new TreeMap<>();
        String after = "";
        boolean more = true;
        while (more) {
            more = readPage(object, prefix, after, all);
            if (more && all.lastKey().equals(after)) {
                throw new IllegalStateException("object " + object + ": its values do not end");
            }
            after = all.isEmpty() ? "" : all.lastKey();
        }
        return all;
    }

    /** Returns true if there are more values. */
    private boolean readPage(String object, String prefix, String after, Map<String, byte[]> into)
            throws RadosException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment operation = (MemorySegment) READ.invokeExact();
            try {
                MemorySegment values = arena.allocate(ValueLayout.ADDRESS);
                MemorySegment more = arena.allocate(ValueLayout.JAVA_INT);
                MemorySegment result = arena.allocate(ValueLayout.JAVA_INT);
                VALUES.invokeExact(
                        operation,
                        arena.allocateFrom(after),
                        arena.allocateFrom(prefix),
                        PAGE_VALUES,
                        values,
                        more,
                        result);
                try {
                    int done = (int) DO_READ.invokeExact(operation, context, arena.allocateFrom(object), 0);
                    if (done == -ENOENT) {
                        return false;
                    }
                    RadosClient.check("reading object " + object, done);
                    RadosClient.check("reading object " + object, result.get(ValueLayout.JAVA_INT, 0));
                    collect(arena, values.get(ValueLayout.ADDRESS, 0), into);
                } finally {
                    // The library makes the iterator before it reads.
                    MemorySegment iterator = values.get(ValueLayout.ADDRESS, 0);
                    if (!iterator.equals(MemorySegment.NULL)) {
                        END_VALUES.invokeExact(iterator);
                    }
                }
                return more.get(ValueLayout.JAVA_BYTE, 0) != 0;
            } finally {
                END_READ.invokeExact(operation);
            }
        } catch (RadosException | IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }

    private static void collect(Arena arena, MemorySegment iterator, Map<String, byte[]> into) throws Throwable {
        MemorySegment key = arena.allocate(ValueLayout.ADDRESS);
        MemorySegment value = arena.allocate(ValueLayout.ADDRESS);
        MemorySegment keyBytes = arena.allocate(ValueLayout.JAVA_LONG);
        MemorySegment valueBytes = arena.allocate(ValueLayout.JAVA_LONG);
        while (true) {
            RadosClient.check("reading values", (int) NEXT.invokeExact(iterator, key, value, keyBytes, valueBytes));
            MemorySegment name = key.get(ValueLayout.ADDRESS, 0);
            if (name.equals(MemorySegment.NULL)) {
                return;
            }
            into.put(
                    new String(bytes(name, keyBytes.get(ValueLayout.JAVA_LONG, 0)), StandardCharsets.UTF_8),
                    bytes(value.get(ValueLayout.ADDRESS, 0), valueBytes.get(ValueLayout.JAVA_LONG, 0)));
        }
    }

    private static byte[] bytes(MemorySegment at, long length) {
        if (length < 0 || length > MOST_VALUE_BYTES) {
            throw new IllegalStateException("a value has " + length + " bytes, more than " + MOST_VALUE_BYTES);
        }
        return at.reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * What a change depends on.
     *
     * @param mark that the object must have; empty if it must not exist; null if it does not matter
     * @param values that it must have; an empty one stands for none
     */
    public record Expected(@Nullable String mark, Map<String, byte[]> values) {}

    /**
     * Changes an object as a whole.
     *
     * @param mark its new mark; null to leave it
     * @param values set or replaced
     * @param removed names of values
     * @return false, and nothing has changed, if it was not as expected
     */
    public boolean change(
            String object,
            Expected expected,
            @Nullable String mark,
            Map<String, byte[]> values,
            Collection<String> removed)
            throws RadosException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment operation = (MemorySegment) WRITE.invokeExact();
            try {
                expect(arena, operation, expected);
                if (mark != null) {
                    MemorySegment text = bytes(arena, mark.getBytes(StandardCharsets.UTF_8));
                    MARK.invokeExact(operation, arena.allocateFrom(MARK_NAME), text, text.byteSize());
                }
                if (!removed.isEmpty()) {
                    Strings names = Strings.of(
                            arena, removed.stream().map(RadosObjects::utf8).toList());
                    REMOVE.invokeExact(operation, names.pointers, names.lengths, names.count);
                }
                if (!values.isEmpty()) {
                    List<Map.Entry<String, byte[]>> entries = List.copyOf(values.entrySet());
                    Strings names = Strings.of(
                            arena,
                            entries.stream().map(entry -> utf8(entry.getKey())).toList());
                    Strings contents = Strings.of(
                            arena, entries.stream().map(Map.Entry::getValue).toList());
                    SET.invokeExact(
                            operation, names.pointers, contents.pointers, names.lengths, contents.lengths, names.count);
                }
                int done = (int)
                        DO_WRITE.invokeExact(operation, context, arena.allocateFrom(object), MemorySegment.NULL, 0);
                boolean depends = expected.mark() != null || !expected.values().isEmpty();
                if (depends && (done == -ECANCELED || done == -EEXIST || done == -ENOENT || done == -ENODATA)) {
                    return false;
                }
                RadosClient.check("changing object " + object, done);
                return true;
            } finally {
                END_WRITE.invokeExact(operation);
            }
        } catch (RadosException e) {
            throw e;
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }

    private static void expect(Arena arena, MemorySegment operation, Expected expected) throws Throwable {
        expectMark(arena, operation, expected.mark());
        for (Map.Entry<String, byte[]> value : expected.values().entrySet()) {
            MemorySegment bytes = bytes(arena, value.getValue());
            COMPARE_VALUE.invokeExact(
                    operation, arena.allocateFrom(value.getKey()), EQUAL, bytes, bytes.byteSize(), MemorySegment.NULL);
        }
    }

    private static void expectMark(Arena arena, MemorySegment operation, @Nullable String expected) throws Throwable {
        if (expected == null) {
            CREATE.invokeExact(operation, 0, MemorySegment.NULL);
        } else if (expected.isEmpty()) {
            CREATE.invokeExact(operation, EXCLUSIVE, MemorySegment.NULL);
        } else {
            MemorySegment text = bytes(arena, utf8(expected));
            COMPARE.invokeExact(operation, arena.allocateFrom(MARK_NAME), EQUAL, text, text.byteSize());
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static MemorySegment bytes(Arena arena, byte[] bytes) {
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }

    /** Byte strings as the library takes them: an array of pointers and one of lengths. */
    private record Strings(MemorySegment pointers, MemorySegment lengths, long count) {
        static Strings of(Arena arena, List<byte[]> all) {
            MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, all.size());
            MemorySegment lengths = arena.allocate(ValueLayout.JAVA_LONG, all.size());
            for (int i = 0; i < all.size(); i++) {
                pointers.setAtIndex(ValueLayout.ADDRESS, i, bytes(arena, all.get(i)));
                lengths.setAtIndex(ValueLayout.JAVA_LONG, i, all.get(i).length);
            }
            return new Strings(pointers, lengths, all.size());
        }
    }

    @Override
    public void close() {
        try {
            DESTROY.invokeExact(context);
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }
}
