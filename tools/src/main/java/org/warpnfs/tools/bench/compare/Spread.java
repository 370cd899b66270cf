package org.warpnfs.tools.bench.compare;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The median and range of a figure over several rounds.
 *
 * @param median the median; of an even number of figures, the mean of the two in the middle
 */
public record Spread(double median, double min, double max) {
    /**
     * The spread of some figures.
     *
     * @param figures at least one
     */
    public static Spread of(List<Double> figures) {
        if (figures.isEmpty()) {
            throw new IllegalArgumentException("no figure");
        }
        double[] sorted = figures.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int upper = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** The median, and the range if the figures differ: {@code 0.45 (0.43-0.48)}. */
    public String text() {
        return min == max ? number(median) : number(median) + " (" + number(min) + "-" + number(max) + ")";
    }

    /** Formats a number with about three significant digits: no decimals from 100 on, and at most three. */
    public static String number(double value) {
        double size = Math.abs(value);
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
