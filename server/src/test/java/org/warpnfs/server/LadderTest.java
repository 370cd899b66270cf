package org.warpnfs.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** ArchUnit rules for the packages of the server: it connects the parts, and must not know any wire format. */
@AnalyzeClasses(packages = "org.warpnfs.server", importOptions = ImportOption.DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule packagesFormNoCircle = Circles.noneBetweenPackages("org.warpnfs");

    @ArchTest
    static final ArchRule classesFormSmallCirclesAlone = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();

    @ArchTest
    static final ArchRule noWireFormats = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.iwarp.ddp..",
                    "org.warpnfs.iwarp.rdmap..",
                    "org.warpnfs.rpcrdma.wire..",
                    "org.warpnfs.rpcrdma.chunk..",
                    "org.warpnfs.nfs.v4.xdr..",
                    "org.warpnfs.nfs.xdr..");

    @ArchTest
    static final ArchRule configurationOpensNothing = classes()
            .that()
            .resideInAPackage("org.warpnfs.server.config..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "com.google.common..",
                    "org.warpnfs.server.config..",
                    "org.warpnfs.limits..",
                    "org.warpnfs.nfs.export..",
                    "org.warpnfs.nfs.idmap..",
                    // DelegationPolicy, a choice of three words
                    "org.warpnfs.nfs.cluster",
                    "org.warpnfs.nfs.v4.layout",
                    "org.warpnfs.nfs.v4.state.file");

    @ArchTest
    static final ArchRule settingsOpenNothingButTheirFile = classes()
            .that()
            .resideInAPackage("org.warpnfs.server.settings..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.jspecify..",
                    "com.google.common..",
                    "com.fasterxml.jackson.core..",
                    "com.fasterxml.jackson.dataformat.yaml..",
                    "org.warpnfs.server.settings..",
                    "org.warpnfs.server.config..",
                    "org.warpnfs.server.limits..",
                    "org.warpnfs.nfs.v4.layout",
                    "org.warpnfs.nfs.v4.state.file");

    @ArchTest
    static final ArchRule onlySettingsReadYaml = noClasses()
            .that()
            .resideOutsideOfPackage("org.warpnfs.server.settings..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("com.fasterxml.jackson.dataformat..", "org.yaml.snakeyaml..");

    @ArchTest
    static final ArchRule onlyTheCommandLineKnowsItsLibrary = noClasses()
            .that()
            .resideOutsideOfPackage("org.warpnfs.server.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..");
}
