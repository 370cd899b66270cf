package org.warpnfs.limits;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** The lowest module uses the JDK alone. */
@AnalyzeClasses(
        packages = {
            "org.warpnfs.limits",
            "org.warpnfs.lanes",
            "org.warpnfs.schedule",
            "org.warpnfs.keys",
            "org.warpnfs.stable"
        },
        importOptions = DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule LIMITS_USE_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.limits")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.keys", "org.warpnfs.limits");

    @ArchTest
    static final ArchRule LANES_KNOW_CLIENTS_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.lanes")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.limits", "org.warpnfs.lanes");

    @ArchTest
    static final ArchRule SCHEDULES_USE_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.schedule")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.schedule");

    @ArchTest
    static final ArchRule STABLE_FILES_USE_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.stable")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.stable");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();
}
