package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The release of a Linux kernel. */
record KernelVersion(int major, int minor, String release) {
    static final Path OSRELEASE = Path.of("/proc/sys/kernel/osrelease");
    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");

    static Optional<KernelVersion> of(Host host) {
        return host.text(OSRELEASE).map(String::strip).flatMap(KernelVersion::parse);
    }

    static Optional<KernelVersion> parse(String release) {
        Matcher matcher = NUMBERS.matcher(release);
        return matcher.matches()
                ? Optional.of(new KernelVersion(
                        Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)), release))
                : Optional.empty();
    }

    boolean isAtLeast(int otherMajor, int otherMinor) {
        return major != otherMajor ? major > otherMajor : minor >= otherMinor;
    }
}
