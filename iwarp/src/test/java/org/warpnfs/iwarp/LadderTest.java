package org.warpnfs.iwarp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** The dependency ladder of this module: each package and the packages that it may use. */
@AnalyzeClasses(packages = "org.warpnfs.iwarp", importOptions = ImportOption.DoNotIncludeTests.class)
class LadderTest {
    private static final String[] JDK = {"java..", "org.jspecify..", "org.warpnfs.limits..", "org.warpnfs.payload.."};

    @ArchTest
    static final ArchRule io = only("io");

    @ArchTest
    static final ArchRule mpa = only("mpa", "io");

    @ArchTest
    static final ArchRule ddp = only("ddp", "io");

    @ArchTest
    static final ArchRule rdmap = only("rdmap", "io", "ddp");

    @ArchTest
    static final ArchRule verbs = only("verbs", "io");

    @ArchTest
    static final ArchRule memory = only("memory", "io", "ddp", "rdmap", "verbs");

    @ArchTest
    static final ArchRule qp = only("qp", "io", "mpa", "ddp", "rdmap", "verbs", "memory");

    @ArchTest
    static final ArchRule netty = classes()
            .that()
            .resideInAPackage("org.warpnfs.iwarp.netty..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "jdk.net..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "org.warpnfs.limits..",
                    "org.warpnfs.payload..",
                    "io.netty..",
                    "org.warpnfs.sockets..",
                    "org.warpnfs.iwarp.netty..",
                    "org.warpnfs.iwarp.qp..",
                    "org.warpnfs.iwarp.verbs..",
                    "org.warpnfs.iwarp.memory..",
                    "org.warpnfs.iwarp.mpa..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs.iwarp");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();

    private static ArchRule only(String name, String... below) {
        String[] allowed = new String[JDK.length + 1 + below.length];
        System.arraycopy(JDK, 0, allowed, 0, JDK.length);
        allowed[JDK.length] = "org.warpnfs.iwarp." + name + "..";
        for (int i = 0; i < below.length; i++) {
            allowed[JDK.length + 1 + i] = "org.warpnfs.iwarp." + below[i] + "..";
        }
        return classes()
                .that()
                .resideInAPackage("org.warpnfs.iwarp." + name + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed);
    }
}
