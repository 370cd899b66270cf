package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.warpnfs.nfs.cluster.Member;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Each list in a file of its own, {@code clients-EPOCH-INSTANCE.log}.
 *
 * @param directory of the node
 */
public record DirectoryClientLists(Path directory) implements ClientLists {
    private static final Pattern NAME = Pattern.compile("clients-(\\d{1,18})-(\\d{1,10})\\.log(\\.new)?");

    private Path file(Member.Records records) {
        return directory.resolve("clients-" + records.epoch() + "-" + records.instance() + ".log");
    }

    @Override
    public Set<Opaque> read(Member.Records records) throws IOException {
        return FileClientList.read(file(records));
    }

    @Override
    public ClientList create(Member.Records records, Set<Opaque> clients) throws IOException {
        return FileClientList.create(file(records), clients);
    }

    @Override
    public void remove(Predicate<Member.Records> obsolete) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "clients-*")) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches()
                        && obsolete.test(
                                new Member.Records(Long.parseLong(name.group(1)), Integer.parseInt(name.group(2))))) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
