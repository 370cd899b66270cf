package org.warpnfs.sockets;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** This module uses sockets and no protocol above them. */
@AnalyzeClasses(packages = "org.warpnfs.sockets", importOptions = DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule SOCKETS_KNOW_NETTY_CLIENTS_AND_PAYLOADS = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "jdk.net..",
                    "org.jspecify..",
                    "org.slf4j..",
                    "io.netty..",
                    "org.warpnfs.lanes",
                    "org.warpnfs.limits",
                    "org.warpnfs.payload",
                    "org.warpnfs.sockets");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();
}
