package org.warpnfs.payload;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** All layers pass these buffers along, so this module uses no layer. */
@AnalyzeClasses(packages = "org.warpnfs.payload", importOptions = DoNotIncludeTests.class)
class LadderTest {
    @ArchTest
    static final ArchRule PAYLOAD_KNOWS_CLIENTS_ALONE = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", "org.warpnfs.limits", "org.warpnfs.payload");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses();

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();
}
