package org.warpnfs.fs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** Each package uses only the packages below it, and none knows a protocol. */
@AnalyzeClasses(packages = "org.warpnfs.fs", importOptions = DoNotIncludeTests.class)
class LadderTest {
    private static final String[] LIBRARIES = {
        "java..", "org.jspecify..", "org.slf4j..", "com.google.common..", "org.warpnfs.schedule", "org.warpnfs.keys"
    };

    @ArchTest
    static final ArchRule PACKAGES_FORM_NO_CIRCLE = Circles.noneBetweenPackages("org.warpnfs.fs");

    @ArchTest
    static final ArchRule CLASSES_FORM_SMALL_CIRCLES_ALONE = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule TASKS_REPEAT_IN_ONE_PLACE = Schedules.inOnePlace();

    @ArchTest
    static final ArchRule SPI_USES_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.spi")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.keys", "org.warpnfs.fs.spi");

    @ArchTest
    static final ArchRule MEMORY_USES_THE_SPI = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.memory..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(with("org.warpnfs.fs.spi", "org.warpnfs.fs.memory.."));

    @ArchTest
    static final ArchRule LOCAL_USES_THE_SPI = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.local..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(with("org.warpnfs.fs.spi", "org.warpnfs.stable", "org.warpnfs.fs.local.."))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule CEPH_USES_THE_SPI = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.ceph..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(with(
                    "org.warpnfs.fs.spi",
                    "org.warpnfs.stable",
                    "org.warpnfs.lanes",
                    "org.warpnfs.limits",
                    "org.warpnfs.fs.ceph.."));

    @ArchTest
    static final ArchRule LIBCEPHFS_USES_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.ceph.libcephfs")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.warpnfs.keys",
                    "org.warpnfs.fs.ceph.foreign",
                    "org.warpnfs.fs.ceph.libcephfs");

    @ArchTest
    static final ArchRule LIBRADOS_USES_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.ceph.librados")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "org.jspecify..", "org.warpnfs.fs.ceph.foreign", "org.warpnfs.fs.ceph.librados");

    @ArchTest
    static final ArchRule LIBC_USES_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.fs.local.libc")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.fs.local.libc")
            .allowEmptyShould(true);

    private static String[] with(String... packages) {
        String[] all = java.util.Arrays.copyOf(LIBRARIES, LIBRARIES.length + packages.length);
        System.arraycopy(packages, 0, all, LIBRARIES.length, packages.length);
        return all;
    }
}
