package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.left.Left;
import org.warpnfs.testkit.right.Right;

class CirclesTest {
    private static final ArchRule RULE = Circles.noneOfManyClasses();

    private static JavaClasses of(Class<?>... classes) {
        return new ClassFileImporter().importClasses(classes);
    }

    @Test
    void sixClassesInACircle_areFoundAndNamed() {
        JavaClasses six = of(
                Ring1.class,
                Ring2.class,
                Ring3.class,
                Ring4.class,
                Ring5.class,
                Ring5.Nested.class,
                Ring6.class,
                BesideTheRing.class);

        assertThatThrownBy(() -> RULE.check(six))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a circle of 6 classes")
                .hasMessageContaining(Ring5.class.getName() + " needs [" + Ring6.class.getName() + "]")
                .hasMessageNotContaining(BesideTheRing.class.getSimpleName());
    }

    @Test
    void fiveClassesInACircle_areFewEnough() {
        JavaClasses five = of(Parent.class, Child1.class, Child2.class, Child3.class, Child4.class);

        assertThatCode(() -> RULE.check(five)).doesNotThrowAnyException();
    }

    @Test
    void namedFamily_mayBeLarge() {
        JavaClasses family = of(Parent.class, Child1.class, Child2.class, Child3.class, Child4.class, Child5.class);

        assertThatThrownBy(() -> RULE.check(family)).hasMessageContaining("a circle of 6 classes");
        assertThatCode(() -> Circles.noneOfManyClasses(Parent.class.getName()).check(family))
                .doesNotThrowAnyException();
    }

    @Test
    void familyWithAStranger_isACircleLikeOthers() {
        JavaClasses withStranger = of(
                Parent.class,
                Child1.class,
                Child2.class,
                Child3.class,
                Child4.class,
                Child5.class,
                ChildWithGuest.class,
                Guest.class);

        assertThatThrownBy(
                        () -> Circles.noneOfManyClasses(Parent.class.getName()).check(withStranger))
                .hasMessageContaining("a circle of 8 classes");
    }

    @Test
    void packagesThatNeedEachOther_areFound() {
        JavaClasses both = of(Left.class, Right.class);

        assertThatThrownBy(
                        () -> Circles.noneBetweenPackages("org.warpnfs.testkit").check(both))
                .hasMessageContaining("Cycle detected");
    }
}

record Ring1(@Nullable Ring2 next) {}

record Ring2(@Nullable Ring3 next) {}

record Ring3(@Nullable Ring4 next) {}

interface Ring4 {
    Ring5[] next();
}

final class Ring5 {
    record Nested(@Nullable Ring6 next) {}
}

record Ring6(@Nullable Ring1 next, @Nullable BesideTheRing beside) {}

record BesideTheRing(int number) {}

interface Parent {
    default Object children() {
        return new Object[] {
            new Child1(), new Child2(), new Child3(), new Child4(), new Child5(), new ChildWithGuest(null)
        };
    }
}

record Child1() implements Parent {}

record Child2() implements Parent {}

record Child3() implements Parent {}

record Child4() implements Parent {}

record Child5() implements Parent {}

record ChildWithGuest(@Nullable Guest guest) implements Parent {}

record Guest(@Nullable Parent host) {}
