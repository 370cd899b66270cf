package org.warpnfs.server.config;

/** Sizes in text: a number with an optional k, m, g or t, in powers of 1024. */
public final class ByteSize {
    private static final String UNITS = "kmgt";

    private ByteSize() {}

    /**
     * Parses a size.
     *
     * @throws ConfigException if it is not a number with an optional unit, or is 2^63 bytes or more
     */
    public static long parse(String what, String text) throws ConfigException {
        String digits = text;
        int shift = 0;
        if (!text.isEmpty()) {
            int unit = UNITS.indexOf(Character.toLowerCase(text.charAt(text.length() - 1)));
            if (unit >= 0) {
                digits = text.substring(0, text.length() - 1);
                shift = 10 * (unit + 1);
            }
        }
        try {
            long number = Long.parseLong(digits);
            if (number < 0 || number > Long.MAX_VALUE >> shift) {
                throw new ConfigException(what + " " + text + ": out of range");
            }
            return number << shift;
        } catch (NumberFormatException e) {
            throw new ConfigException(what + " " + text + ": not a size such as 512m or 2g", e);
        }
    }

    /** Returns the size as text, in the largest unit that divides it. */
    public static String written(long bytes) {
        int shift = 0;
        while (bytes != 0 && shift < 10 * UNITS.length() && (bytes >> shift) % 1024 == 0) {
            shift += 10;
        }
        return (bytes >> shift) + (shift == 0 ? "" : UNITS.substring(shift / 10 - 1, shift / 10));
    }
}
