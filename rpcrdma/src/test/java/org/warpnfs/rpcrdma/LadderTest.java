package org.warpnfs.rpcrdma;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.warpnfs.testkit.Circles;
import org.warpnfs.testkit.Schedules;

/** The dependency ladder of this module. */
@AnalyzeClasses(packages = "org.warpnfs.rpcrdma", importOptions = ImportOption.DoNotIncludeTests.class)
class LadderTest {
    private static final String[] JDK = {
        "java..",
        "jdk.jfr..",
        "org.jspecify.annotations..",
        "org.warpnfs.limits..",
        "org.warpnfs.schedule",
        "org.warpnfs.keys"
    };

    @ArchTest
    static final ArchRule wireKnowsNothing = only("..rpcrdma.wire..", "org.warpnfs.iwarp.io..");

    @ArchTest
    static final ArchRule statsKnowNothing = only("..rpcrdma.stats..");

    @ArchTest
    static final ArchRule traceKnowsNothing = only("..rpcrdma.trace..");

    @ArchTest
    static final ArchRule creditKnowsClientsAlone = only("..rpcrdma.credit..", "org.warpnfs.limits..");

    @ArchTest
    static final ArchRule messageKnowsPayloadsAlone = only("..rpcrdma.message..", "org.warpnfs.payload..");

    @ArchTest
    static final ArchRule requestKnowsMessagesAlone =
            only("..rpcrdma.request..", "..rpcrdma.message..", "org.warpnfs.payload..");

    @ArchTest
    static final ArchRule chunkKnowsVerbsAndWire = only(
            "..rpcrdma.chunk..",
            "..rpcrdma.wire..",
            "..rpcrdma.message..",
            "org.warpnfs.iwarp.verbs..",
            "org.warpnfs.payload..");

    @ArchTest
    static final ArchRule serverKnowsVerbsAlone = only(
            "..rpcrdma.server..",
            "..rpcrdma.chunk..",
            "..rpcrdma.wire..",
            "..rpcrdma.credit..",
            "..rpcrdma.message..",
            "..rpcrdma.stats..",
            "..rpcrdma.trace..",
            "org.warpnfs.iwarp.verbs..",
            "org.warpnfs.limits..",
            "org.warpnfs.payload..",
            "org.slf4j..");

    @ArchTest
    static final ArchRule clientKnowsVerbsAlone = only(
            "..rpcrdma.client..",
            "..rpcrdma.wire..",
            "..rpcrdma.message..",
            "..rpcrdma.chunk..",
            "..rpcrdma.request..",
            "..rpcrdma.stats..",
            "org.warpnfs.iwarp.verbs..",
            "org.warpnfs.payload..",
            "org.slf4j..");

    @ArchTest
    static final ArchRule tcpAndUdpAloneKnowNetty = noClasses()
            .that()
            .resideOutsideOfPackages("..rpcrdma.tcp..", "..rpcrdma.udp..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.netty..", "org.warpnfs.sockets..");

    @ArchTest
    static final ArchRule tcpKnowsNoRdma = only(
            "..rpcrdma.tcp..",
            "..rpcrdma.tls..",
            "javax.net.ssl..",
            "..rpcrdma.message..",
            "..rpcrdma.request..",
            "..rpcrdma.stats..",
            "..rpcrdma.trace..",
            "org.warpnfs.payload..",
            "org.warpnfs.sockets..",
            "io.netty..",
            "org.slf4j..");

    @ArchTest
    static final ArchRule tlsKnowsFilesAlone = only("..rpcrdma.tls..", "javax..");

    @ArchTest
    static final ArchRule udpKnowsNoRdma =
            only("..rpcrdma.udp..", "..rpcrdma.message..", "org.warpnfs.sockets..", "io.netty..", "org.slf4j..");

    @ArchTest
    static final ArchRule gssKnowsMessagesAlone = only(
            "..rpcrdma.gss..",
            "..rpcrdma.message..",
            "org.warpnfs.payload..",
            "org.ietf.jgss..",
            "com.sun.security.jgss..",
            "javax.security.auth..",
            "javax.crypto..",
            "org.slf4j..");

    @ArchTest
    static final ArchRule oncrpcAndTheServicesAloneKnowOncrpc4j = noClasses()
            .that()
            .resideOutsideOfPackages("..rpcrdma.oncrpc..", "org.warpnfs.rpcrdma")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.dcache..");

    @ArchTest
    static final ArchRule nobodyKnowsWhatIsServed = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.warpnfs.nfs..", "org.warpnfs.fs..", "org.warpnfs.server..");

    @ArchTest
    static final ArchRule nobodyKnowsWhichRdmaItIs = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.warpnfs.iwarp.mpa..",
                    "org.warpnfs.iwarp.ddp..",
                    "org.warpnfs.iwarp.rdmap..",
                    "org.warpnfs.iwarp.memory..",
                    "org.warpnfs.iwarp.qp..",
                    "org.warpnfs.iwarp.netty..");

    @ArchTest
    static final ArchRule noCircleBetweenPackages = Circles.noneBetweenPackages("org.warpnfs.rpcrdma");

    @ArchTest
    static final ArchRule noCircleOfManyClasses = Circles.noneOfManyClasses("org.warpnfs.rpcrdma.wire.RpcRdmaHeader");

    @ArchTest
    static final ArchRule tasksRepeatInOnePlace = Schedules.inOnePlace();

    private static ArchRule only(String itself, String... others) {
        String[] allowed = new String[JDK.length + 1 + others.length];
        System.arraycopy(JDK, 0, allowed, 0, JDK.length);
        allowed[JDK.length] = itself;
        System.arraycopy(others, 0, allowed, JDK.length + 1, others.length);
        return classes()
                .that()
                .resideInAPackage(itself)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed);
    }
}
