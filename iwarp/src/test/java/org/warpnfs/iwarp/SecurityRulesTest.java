package org.warpnfs.iwarp;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.ObjectInputStream;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import javax.net.ssl.SSLEngine;

/** Rules that the stack must keep, whatever a peer sends (RFC 5040, section 8, RFC 5041, section 8). */
@AnalyzeClasses(packages = "org.warpnfs.iwarp", importOptions = ImportOption.DoNotIncludeTests.class)
class SecurityRulesTest {
    @ArchTest
    static void stack_peerSendsCode_cannotLoadIt(JavaClasses classes) {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ObjectInputStream.class)
                        .or(assignableTo(ClassLoader.class))
                        .or(assignableTo(javax.script.ScriptEngine.class)))
                .orShould()
                .callMethod(Class.class, "forName", String.class)
                .check(classes);
    }

    @ArchTest
    static void stack_peerSendsAddresses_cannotUseThem(JavaClasses classes) {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(MemorySegment.class))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("sun.misc.Unsafe")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.netty.util.internal.PlatformDependent")
                .check(classes);
    }

    @ArchTest
    static void protocols_knowNoSecurityProtocol(JavaClasses classes) {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(SSLEngine.class))
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.net.ssl..", "javax.crypto..", "io.netty.handler.ssl..")
                .check(classes);
    }

    /**
     * STags must be drawn from a secure source that the system seeds. The simulation is exempt, because its peers are
     * not real. Numbers that only spread load would be drawn elsewhere.
     */
    @ArchTest
    static void stack_drawsNoNumberThatAPeerCouldGuess(JavaClasses classes) {
        noClasses()
                .that()
                .resideOutsideOfPackage("..sim..")
                .should()
                .dependOnClassesThat(assignableTo(java.util.Random.class)
                        .and(not(assignableTo(SecureRandom.class)))
                        .or(assignableTo(SplittableRandom.class))
                        .or(assignableTo(ThreadLocalRandom.class))
                        .or(assignableTo(RandomGeneratorFactory.class)))
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(RandomGenerator.class, "getDefault")
                .orShould()
                .callMethod(RandomGenerator.class, "of", String.class)
                .orShould()
                .callConstructor(SecureRandom.class, byte[].class)
                .orShould()
                .callMethod(SecureRandom.class, "setSeed", byte[].class)
                .orShould()
                .callMethod(SecureRandom.class, "setSeed", long.class)
                .check(classes);
    }

    /** Types whose values never change after construction, however many references there are. */
    private static final Set<String> UNCHANGING = Set.of(
            "int",
            "long",
            "boolean",
            "byte",
            "short",
            "java.lang.String",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Class",
            "java.util.List",
            "java.util.Set",
            "java.util.Map",
            "java.util.OptionalInt",
            "java.util.OptionalLong",
            "java.time.Duration",
            "java.lang.invoke.VarHandle",
            "java.net.InetAddress",
            "java.net.InetSocketAddress",
            "org.slf4j.Logger");

    /**
     * A static field must not refer to anything that can be changed. A map or an array in one would be state of all
     * queue pairs, even if the field is final. Of our own types, only enums, records and types without fields count as
     * unchanging.
     */
    @ArchTest
    static void stack_staticFields_referToNothingThatChanges(JavaClasses classes) throws IllegalAccessException {
        List<String> wrong = new ArrayList<>();
        int seen = 0;
        for (JavaClass owner : classes) {
            for (JavaField field : owner.getFields()) {
                if (field.getModifiers().contains(JavaModifier.STATIC)
                        && !field.getModifiers().contains(JavaModifier.SYNTHETIC)) {
                    seen++;
                    Field reflected = field.reflect();
                    reflected.setAccessible(true);
                    if (!unchanging(reflected.getType(), reflected.get(null))) {
                        wrong.add(field.getFullName() + " is a " + reflected.getType());
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(seen).isGreaterThan(100);
        assertThat(unchanging(Map.class, new HashMap<>())).isFalse();
        assertThat(unchanging(AtomicLong.class, new AtomicLong())).isFalse();
        assertThat(unchanging(byte[].class, new byte[1])).isFalse();
    }

    private static boolean unchanging(Class<?> type, Object value) {
        if (value instanceof List<?> list) {
            return list.getClass().getName().startsWith("java.util.ImmutableCollections")
                    && list.stream().allMatch(one -> unchanging(one.getClass(), one));
        }
        if (value instanceof Set<?> || value instanceof Map<?, ?>) {
            return value.getClass().getName().startsWith("java.util.ImmutableCollections");
        }
        if (value instanceof ByteBuffer bytes) {
            return bytes.capacity() == 0;
        }
        return UNCHANGING.contains(type.getName())
                || type.isEnum()
                || value instanceof Enum<?>
                || type.isRecord()
                || (type.getName().startsWith("org.warpnfs.iwarp") && fieldless(value.getClass()));
    }

    private static boolean fieldless(Class<?> type) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** One upper layer can reach another only through an object that both were given. */
    @ArchTest
    static void stack_hasNoStateThatAllCouldChange(JavaClasses classes) {
        fields().that().areStatic().should().beFinal().check(classes);
        noClasses()
                .that()
                .resideInAPackage("..verbs..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.lang.reflect..", "java.util.concurrent.atomic..")
                .check(classes);
    }
}
