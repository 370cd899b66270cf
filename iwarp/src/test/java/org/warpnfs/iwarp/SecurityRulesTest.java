package org.warpnfs.iwarp;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.ObjectInputStream;
import java.lang.foreign.MemorySegment;
import javax.net.ssl.SSLEngine;

/** What the stack may not do, whatever a peer says (RFC 5040 section 8, RFC 5041 section 8). */
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

    /** One upper layer reaches another only by an object that both were given. */
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
