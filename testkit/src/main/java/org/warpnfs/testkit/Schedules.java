package org.warpnfs.testkit;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;

/** The rule about tasks that run again and again. */
public final class Schedules {
    private static final String ONE_PLACE = "org.warpnfs.schedule.Repeated";

    private Schedules() {}

    /** All such tasks go through one class: an executor alone never again runs a task that has thrown once. */
    public static ArchRule inOnePlace() {
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName(ONE_PLACE)
                .should()
                .callMethodWhere(target(nameMatching("scheduleAtFixedRate|scheduleWithFixedDelay")))
                .because("a task that throws would never run again, without a word; " + ONE_PLACE + " goes on")
                .allowEmptyShould(true);
    }
}
