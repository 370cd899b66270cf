package org.warpnfs.nfs.v4.state;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;
import org.warpnfs.nfs.v4.state.client.ClientTable;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * The layers within the state: the core, then callbacks and recovery, then clients and files beside each other, then
 * the entry point.
 */
@AnalyzeClasses(packages = "org.warpnfs.nfs.v4", importOptions = DoNotIncludeTests.class)
class StateLadderTest {
    private static final String STATE = "org.warpnfs.nfs.v4.state";

    @ArchTest
    static final ArchRule CORE_KNOWS_NO_TABLE = onlyUses("core");

    @ArchTest
    static final ArchRule LISTING_KNOWS_NO_TABLE = onlyUses("listing");

    @ArchTest
    static final ArchRule RECOVERY_KNOWS_NAMES_OF_CLIENTS_ALONE = onlyUses("recovery", "core");

    @ArchTest
    static final ArchRule CALLBACK_KNOWS_NO_SESSION_AND_NO_FILE = onlyUses("callback", "core");

    @ArchTest
    static final ArchRule CLIENT_KNOWS_NO_FILE = onlyUses("client", "core", "callback");

    @ArchTest
    static final ArchRule FILE_KNOWS_NO_SESSION = onlyUses("file", "core", "callback", "listing");

    /** Code that has a client or a session can reach nothing that the lock guards. */
    @ArchTest
    static final ArchRule TABLES_ARE_BEHIND_THE_ENTRANCE = noClasses()
            .that()
            .resideOutsideOfPackage(STATE + "..")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("org\\.warpnfs\\.nfs\\.v4\\.state\\.\\w+\\."
                    + "(\\w+Table|\\w+States?|\\w*Entry|StateEntries|Stateids|OwnerTurns"
                    + "|FileChangeWindows|Sequences"
                    + "|ReplyMemory|SlotRecalls|WaysBack|BackChannel|DialedPaths?"
                    + "|RecoveryJournal|Grace|ClientRecovery)");

    @ArchTest
    static final ArchRule THE_TABLE_OF_CLIENTS_ALONE_LETS_ONE_GO =
            noClasses().that().doNotBelongToAnyOf(ClientTable.class).should().callMethod(Client.class, "letGo");

    private static ArchRule onlyUses(String rung, String... below) {
        Stream<String> state = Stream.concat(Stream.of(rung), Stream.of(below)).map(each -> STATE + "." + each);
        Stream<String> others = Stream.of(
                "java..",
                "org.jspecify..",
                "org.slf4j..",
                "com.google.common..",
                "com.google.errorprone.annotations",
                "org.warpnfs.limits",
                "org.warpnfs.fs.spi",
                "org.warpnfs.nfs.locks",
                "org.warpnfs.nfs.fence",
                "org.warpnfs.stable",
                "org.warpnfs.nfs.cluster",
                "org.warpnfs.nfs.v4.xdr");
        return classes()
                .that()
                .resideInAPackage(STATE + "." + rung)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(Stream.concat(state, others).toArray(String[]::new));
    }
}
