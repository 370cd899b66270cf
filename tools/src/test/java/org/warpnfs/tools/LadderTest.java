package org.warpnfs.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** Rules about which packages may depend on which. */
@AnalyzeClasses(packages = "org.warpnfs.tools", importOptions = ImportOption.DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule nothingOfOurServer = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.nfs..", "org.warpnfs.fs..", "org.warpnfs.server..", "org.warpnfs.rpcrdma.server..");

    @ArchTest
    static final ArchRule noWireFormatsBelowRpc = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.iwarp.ddp..",
                    "org.warpnfs.iwarp.rdmap..",
                    "org.warpnfs.rpcrdma.wire..",
                    "org.warpnfs.rpcrdma.chunk..");

    @ArchTest
    static final ArchRule iwarpKnowsNoRpc = classes()
            .that()
            .resideInAPackage("org.warpnfs.tools.iwarp..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "org.HdrHistogram..",
                    "org.warpnfs.schedule",
                    "org.warpnfs.limits",
                    "org.warpnfs.tools.iwarp..",
                    "org.warpnfs.iwarp..");

    @ArchTest
    static final ArchRule nfsKnowsNoLoad = noClasses()
            .that()
            .resideInAPackage("..bench.nfs..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.tools.bench",
                    "..bench.load..",
                    "..bench.loopback..",
                    "..rpcrdma.client..",
                    "..rpcrdma.tcp..");

    @ArchTest
    static final ArchRule loadKnowsNoTransport = noClasses()
            .that()
            .resideInAPackage("..bench.load..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.tools.bench", "..bench.loopback..", "..rpcrdma.client..", "..rpcrdma.tcp..");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs.tools");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();
}
