package org.warpnfs.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "org.warpnfs.testkit", importOptions = ImportOption.DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule testkit_knowsTheJdkAndArchUnitAlone = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.management..",
                    "javax.net..",
                    "org.jspecify..",
                    "com.tngtech.archunit..",
                    "org.warpnfs.testkit..");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();
}
