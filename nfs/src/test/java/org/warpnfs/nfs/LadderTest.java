package org.warpnfs.nfs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** The programs know the file system SPI and RPC, but no socket, no RDMA, no backend, and not each other. */
@AnalyzeClasses(packages = "org.warpnfs.nfs", importOptions = DoNotIncludeTests.class)
class LadderTest {
    private static final String[] BELOW = {
        "java..",
        "javax.security.auth",
        "javax.security.auth.kerberos",
        "org.jspecify..",
        "org.slf4j..",
        "com.google.common..",
        "com.google.errorprone.annotations",
        "org.dcache.oncrpc4j.rpc",
        "org.dcache.oncrpc4j.rpc.gss",
        "org.dcache.oncrpc4j.xdr",
        "org.warpnfs.payload",
        "org.warpnfs.keys",
        "org.warpnfs.limits",
        "org.warpnfs.lanes",
        "org.warpnfs.fs.spi",
        "org.warpnfs.nfs.xdr",
        "org.warpnfs.nfs.stats",
        "org.warpnfs.stable",
        "org.warpnfs.nfs.idmap",
        "org.warpnfs.nfs.locks",
        "org.warpnfs.nfs.fence",
    };

    @ArchTest
    static final ArchRule PACKAGES_FORM_NO_CIRCLE = Circles.noneBetweenPackages("org.warpnfs.nfs");

    @ArchTest
    static final ArchRule CLASSES_FORM_SMALL_CIRCLES_ALONE = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule TASKS_REPEAT_IN_ONE_PLACE = Schedules.inOnePlace();

    @ArchTest
    static final ArchRule XDR_KNOWS_NO_FILE = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.xdr")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.dcache.oncrpc4j.xdr",
                    "org.warpnfs.payload",
                    "org.warpnfs.nfs.xdr");

    @ArchTest
    static final ArchRule STATS_KNOW_NOTHING = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.stats")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.nfs.stats");

    @ArchTest
    static final ArchRule IDMAP_KNOWS_NO_RPC = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.idmap")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "com.google.common..",
                    "org.warpnfs.keys",
                    "org.warpnfs.nfs.idmap");

    @ArchTest
    static final ArchRule IO_KNOWS_NO_PROGRAM = onlyUses("org.warpnfs.nfs.io");

    @ArchTest
    static final ArchRule EXPORT_KNOWS_NO_PROGRAM = onlyUses("org.warpnfs.nfs.export");

    /** Grizzly is permitted because oncrpc4j's own stream exposes its buffer by a type of Grizzly alone. */
    @ArchTest
    static final ArchRule REPLAY_KNOWS_NO_PROGRAM =
            onlyUses("org.warpnfs.nfs.replay", "org.warpnfs.nfs.export", "org.glassfish.grizzly");

    @ArchTest
    static final ArchRule V3_KNOWS_NO_OTHER_PROGRAM =
            onlyUses("org.warpnfs.nfs.v3..", "org.warpnfs.nfs.io", "org.warpnfs.nfs.export", "org.warpnfs.nfs.replay");

    @ArchTest
    static final ArchRule MOUNT_KNOWS_NO_OTHER_PROGRAM = onlyUses("org.warpnfs.nfs.mount..", "org.warpnfs.nfs.export");

    @ArchTest
    static final ArchRule LOCKS_KNOW_NO_PROTOCOL = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.locks")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "org.warpnfs.keys",
                    "org.warpnfs.limits",
                    "org.warpnfs.fs.spi",
                    "org.warpnfs.nfs.locks");

    @ArchTest
    static final ArchRule CLUSTER_KNOWS_NO_PROTOCOL = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.cluster")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "org.jspecify..", "org.slf4j..", "org.warpnfs.stable", "org.warpnfs.nfs.cluster");

    @ArchTest
    static final ArchRule FENCES_KNOW_NO_PROTOCOL = classes()
            .that()
            .resideInAPackage("org.warpnfs.nfs.fence")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "com.google.common..",
                    "org.warpnfs.stable",
                    "org.warpnfs.nfs.cluster",
                    "org.warpnfs.nfs.fence");

    @ArchTest
    static final ArchRule NLM_KNOWS_NO_OTHER_PROGRAM = onlyUses("org.warpnfs.nfs.nlm..", "org.warpnfs.nfs.export");

    /** Grizzly is permitted for the same reason. */
    @ArchTest
    static final ArchRule V4_KNOWS_NO_OTHER_PROGRAM = onlyUses(
            "org.warpnfs.nfs.v4..",
            "org.warpnfs.nfs.cluster",
            "org.warpnfs.nfs.io",
            "org.warpnfs.nfs.export",
            "org.warpnfs.nfs.replay",
            "org.glassfish.grizzly");

    private static ArchRule onlyUses(String rung, String... more) {
        String[] allowed = Stream.of(Stream.of(BELOW), Stream.of(rung), Stream.of(more))
                .flatMap(packages -> packages)
                .toArray(String[]::new);
        return classes()
                .that()
                .resideInAPackage(rung)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .allowEmptyShould(true);
    }
}
