package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void oddNumberOfFigures_median_isTheOneInTheMiddle() {
        assertThat(Spread.of(List.of(5.0, 1.0, 3.0))).isEqualTo(new Spread(3, 1, 5));
    }

    @Test
    void evenNumberOfFigures_median_isBetweenTheTwoInTheMiddle() {
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 10.0))).isEqualTo(new Spread(3, 1, 10));
    }

    @Test
    void noFigure_isRefused() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void text_hasTheRangeWhereThereIsOne_andThreeDigits() {
        assertThat(Spread.of(List.of(0.4321, 0.5, 0.6)).text()).isEqualTo("0.500 (0.432-0.600)");
        assertThat(Spread.of(List.of(12345.678)).text()).isEqualTo("12346");
        assertThat(Spread.of(List.of(12.345)).text()).isEqualTo("12.3");
        assertThat(Spread.of(List.of(1.2345)).text()).isEqualTo("1.23");
    }
}
