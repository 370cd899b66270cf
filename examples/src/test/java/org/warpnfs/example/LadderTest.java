package org.warpnfs.example;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** An example uses what the class loader of a plug-in offers, and nothing else. */
@AnalyzeClasses(packages = "org.warpnfs.example", importOptions = DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule EXAMPLES_USE_THE_SPI_ALONE = classes()
            .that()
            .resideInAPackage("org.warpnfs.example..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..", "org.slf4j..", "org.jspecify..", "org.warpnfs.fs.spi", "org.warpnfs.example..");

    @ArchTest
    static final ArchRule PACKAGES_FORM_NO_CIRCLE = Circles.noneBetweenPackages("org.warpnfs.example");

    @ArchTest
    static final ArchRule CLASSES_FORM_SMALL_CIRCLES_ALONE = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule TASKS_REPEAT_IN_ONE_PLACE = Schedules.inOnePlace();
}
