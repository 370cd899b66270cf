package org.warpnfs.nfs.v4;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The layers within NFSv4: types, then state and attributes beside each other, then operations, then the COMPOUND
 * around them.
 */
@AnalyzeClasses(packages = "org.warpnfs.nfs.v4", importOptions = DoNotIncludeTests.class)
class V4LadderTest {
    private static final String PROGRAM = "org.warpnfs.nfs.v4";
    private static final String OPERATIONS = "org.warpnfs.nfs.v4.op";
    private static final String STATE = "org.warpnfs.nfs.v4.state..";
    private static final String ATTRIBUTES = "org.warpnfs.nfs.v4.attr";
    private static final String CALLBACK = "org.warpnfs.nfs.v4.callback";
    private static final String EXPORTS = "org.warpnfs.nfs.export";

    @ArchTest
    static final ArchRule TYPES_KNOW_NEITHER_STATE_NOR_FILES = noClasses()
            .that()
            .resideInAPackage("org.warpnfs.nfs.v4.xdr")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, OPERATIONS, STATE, ATTRIBUTES, EXPORTS, "org.warpnfs.fs..");

    @ArchTest
    static final ArchRule LAYOUTS_KNOW_NEITHER_STATE_NOR_FILES = noClasses()
            .that()
            .resideInAPackage("org.warpnfs.nfs.v4.layout")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, OPERATIONS, STATE, ATTRIBUTES, EXPORTS, "org.warpnfs.fs..");

    @ArchTest
    static final ArchRule STATE_KNOWS_NO_EXPORTS_AND_NO_STREAMS = noClasses()
            .that()
            .resideInAPackage(STATE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, OPERATIONS, ATTRIBUTES, CALLBACK, EXPORTS, "org.dcache..");

    @ArchTest
    static final ArchRule ATTRIBUTES_KNOW_NO_STATE = noClasses()
            .that()
            .resideInAPackage(ATTRIBUTES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, OPERATIONS, STATE);

    @ArchTest
    static final ArchRule OPERATIONS_KNOW_NO_RPC = noClasses()
            .that()
            .resideInAPackage(OPERATIONS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, CALLBACK, "org.dcache..");

    @ArchTest
    static final ArchRule CALLBACKS_KNOW_NO_FILES = noClasses()
            .that()
            .resideInAPackage(CALLBACK)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROGRAM, OPERATIONS, ATTRIBUTES, EXPORTS, "org.warpnfs.fs..");
}
