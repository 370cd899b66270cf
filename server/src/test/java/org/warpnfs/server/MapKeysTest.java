package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.cache.Cache;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.keys.Keyed;
import org.warpnfs.keys.KeyedHash;

/**
 * No peer chooses the hash codes of keys. A class of keys of a hash table is one of these:
 *
 * <ul>
 *   <li>its instances equal only themselves, or it is an enum;
 *   <li>it is {@link Comparable}, so that {@link HashMap} and {@link ConcurrentMap} sort the keys of a bin. Strings and
 *       numbers are, though their hash codes can be chosen. Caches of Guava sort nothing, so this is not enough there;
 *   <li>its hash code is from {@link KeyedHash};
 *   <li>it is a record of such, with one number of 32 bits at most. What is only comparable is not enough in a record.
 * </ul>
 */
class MapKeysTest {
    /** The product's classes. The archives of other modules' tests hold none. */
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("org.warpnfs");

    /** Keys of texts and numbers that no peer chooses, with the reason. */
    private static final Map<String, String> NOT_CHOSEN = Map.ofEntries(
            Map.entry("java.lang.Runnable", "tasks equal themselves alone"),
            Map.entry("java.nio.file.OpenOption", "constants"),
            Map.entry("org.dcache.oncrpc4j.rpc.OncRpcProgram", "the programs that are served"),
            Map.entry("org.warpnfs.iwarp.qp.TerminateCause", "constants"),
            Map.entry("org.warpnfs.nfs.export.PseudoPath", "paths of exports"),
            Map.entry("org.warpnfs.nfs.stats.Metered", "operations"),
            Map.entry("org.warpnfs.nfs.v4.state.core.SessionId", "drawn at random by the server"),
            Map.entry("org.warpnfs.rpcrdma.gss.ContextHandle", "drawn at random by the server"),
            Map.entry("org.warpnfs.rpcrdma.oncrpc.UpperLayerBindings$Procedure", "procedures of bindings"),
            Map.entry("org.warpnfs.server.Backends$Directory", "directories of exports"));

    /** Fields whose tables have few keys, with the reason. */
    private static final Map<String, String> FEW = Map.of(
            "org.warpnfs.nfs.export.KeptHostNames.addresses", "the addresses of one name of the host's resolver",
            "org.warpnfs.rpcrdma.udp.AddressSockets.addresses", "addresses of this host",
            "org.warpnfs.rpcrdma.udp.AddressSockets.sockets", "addresses of this host",
            "org.warpnfs.server.rpcbind.PeerLine$Client.called", "as many as threads",
            "org.warpnfs.server.rpcbind.PeerLine$Client.waiting", "calls that wait are few for each client");

    private final Map<Class<?>, Boolean> strong = new HashMap<>();

    private static boolean isProduct(JavaClass type) {
        return !type.getPackageName().startsWith("org.warpnfs.tools")
                && !type.getPackageName().startsWith("org.warpnfs.example")
                && !type.getPackageName().startsWith("org.warpnfs.testkit");
    }

    private record Use(Field field, Class<?> table, Class<?> key) {
        String place() {
            return field.getDeclaringClass().getName() + "." + field.getName();
        }

        @Override
        public String toString() {
            return key.getName() + " in " + place();
        }
    }

    private static List<Use> uses(Iterable<Class<?>> classes) {
        List<Use> uses = new ArrayList<>();
        for (Class<?> type : classes) {
            for (Field field : type.getDeclaredFields()) {
                collect(field, field.getGenericType(), uses);
            }
        }
        return uses;
    }

    private static void collect(Field field, Type type, List<Use> uses) {
        if (type instanceof ParameterizedType generic) {
            Class<?> raw = (Class<?>) generic.getRawType();
            Type[] arguments = generic.getActualTypeArguments();
            boolean isHashed = Map.class.isAssignableFrom(raw)
                    || Set.class.isAssignableFrom(raw)
                    || Cache.class.isAssignableFrom(raw);
            boolean isSorted = SortedMap.class.isAssignableFrom(raw)
                    || SortedSet.class.isAssignableFrom(raw)
                    || EnumMap.class.isAssignableFrom(raw);
            if (isHashed && !isSorted && rawOf(arguments[0]) != null) {
                uses.add(new Use(field, raw, rawOf(arguments[0])));
            }
            for (Type argument : arguments) {
                collect(field, argument, uses);
            }
        }
    }

    private static Class<?> rawOf(Type type) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType generic -> (Class<?>) generic.getRawType();
            case WildcardType wildcard -> rawOf(wildcard.getUpperBounds()[0]);
            default -> null;
        };
    }

    private boolean isAllowed(Use use) {
        Class<?> key = use.key();
        boolean sorts = !Cache.class.isAssignableFrom(use.table());
        return NOT_CHOSEN.containsKey(key.getName())
                || FEW.containsKey(use.place())
                || key == Object.class
                || (sorts && Comparable.class.isAssignableFrom(key))
                || isStrong(key);
    }

    private boolean isStrong(Class<?> type) {
        Boolean known = strong.get(type);
        if (known == null) {
            strong.put(type, true);
            known = judge(type);
            strong.put(type, known);
        }
        return known;
    }

    private boolean judge(Class<?> type) {
        if (type.isEnum() || type == Class.class || type == Object.class || hasHashOfOurs(type)) {
            return true;
        }
        if (type.isRecord() && !declaresHashCode(type)) {
            return isStrongRecord(type);
        }
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return !type.getName().startsWith("java.") && subclasses(type).allMatch(this::isStrong);
        }
        return !type.isPrimitive() && equalsOnlyItself(type);
    }

    private Stream<Class<?>> subclasses(Class<?> type) {
        return CLASSES.stream()
                .filter(MapKeysTest::isProduct)
                .filter(other -> other.isAssignableTo(type.getName()) && !other.isInterface())
                .filter(other -> !other.getName().equals(type.getName()))
                .map(MapKeysTest::reflect);
    }

    private static boolean equalsOnlyItself(Class<?> type) {
        try {
            return type.getMethod("hashCode").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static JavaClass code(Class<?> type) {
        return CLASSES.contain(type) ? CLASSES.get(type) : new ClassFileImporter().importClass(type);
    }

    /** The compiler's method of a record is no method that anybody has written. */
    private static boolean declaresHashCode(Class<?> type) {
        JavaClass known = code(type);
        return known.tryGetMethod("hashCode").isPresent()
                && !known.getMethod("hashCode").getMethodCallsFromSelf().isEmpty();
    }

    private static boolean hasHashOfOurs(Class<?> type) {
        return code(type).getMethodCallsFromSelf().stream()
                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(KeyedHash.class)
                        || (call.getTargetOwner().isEquivalentTo(System.class)
                                && call.getName().equals("identityHashCode")));
    }

    private boolean isStrongRecord(Class<?> type) {
        int numbers = 0;
        for (RecordComponent component : type.getRecordComponents()) {
            Class<?> part = component.getType();
            if (part == int.class) {
                numbers++;
            } else if (part == long.class || (part != boolean.class && !isStrong(part))) {
                return false;
            }
        }
        return numbers <= 1;
    }

    private static Class<?> reflect(JavaClass type) {
        try {
            return Class.forName(type.getName(), false, MapKeysTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void keys_ofAllHashTables_haveHashCodesThatNobodyChooses() {
        List<Class<?>> classes = new ArrayList<>();
        CLASSES.stream().filter(MapKeysTest::isProduct).forEach(type -> classes.add(reflect(type)));
        List<Use> uses = uses(classes);

        assertThat(uses).hasSizeGreaterThan(100);
        assertThat(uses.stream()
                        .filter(use -> !isAllowed(use))
                        .map(Use::toString)
                        .sorted())
                .isEmpty();
    }

    /** What the rule refuses, and what it takes. */
    @SuppressWarnings("unused")
    private static final class Sample {
        private static final class Bytes {
            private final byte[] bytes = new byte[1];

            @Override
            public int hashCode() {
                return Arrays.hashCode(bytes);
            }

            @Override
            public boolean equals(Object other) {
                return other instanceof Bytes same && Arrays.equals(bytes, same.bytes);
            }
        }

        private record Named(Object owner, String name) {}

        private record Offset(Object file, long offset) {}

        private record Numbered(Object owner, int number) {}

        private record Place(InetAddress address) {}

        private final Map<Bytes, String> refusedBytes = new HashMap<>();
        private final Set<Named> refusedNames = new HashSet<>();
        private final Map<String, Map<Offset, String>> refusedInside = new HashMap<>();
        private final ConcurrentMap<Place, String> refusedPlaces = new ConcurrentHashMap<>();
        private final Map<List<Long>, String> refusedLists = new LinkedHashMap<>();
        private final @Nullable Cache<String, String> refusedCache = null;

        private final Map<String, Long> takenTexts = new HashMap<>();
        private final Map<Numbered, String> takenNumbers = new HashMap<>();
        private final SortedMap<Bytes, String> takenSorted = new TreeMap<>(Comparator.comparing(Object::toString));
        private final @Nullable Cache<Keyed<String>, String> takenCache = null;
        private final Set<Thread> takenThreads = new HashSet<>();
    }

    @Test
    void keys_whoseHashCodesPeersChoose_areRefused() {
        List<Use> uses = uses(List.of(Sample.class));

        assertThat(uses.stream().filter(use -> !isAllowed(use)).map(use -> use.field()
                        .getName()))
                .containsExactlyInAnyOrder(
                        "refusedBytes",
                        "refusedNames",
                        "refusedInside",
                        "refusedPlaces",
                        "refusedLists",
                        "refusedCache");
    }
}
