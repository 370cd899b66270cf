package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a {@link BatchLog} that an earlier run has left.
 *
 * <pre>
 *   contents                                                   result
 *   a batch with all its sectors                               read
 *   the last batch, with some of its sectors unwritten,
 *   in any order                                               ignored, with one line in the log: the sync did not
 *                                                              end, so nothing was acknowledged
 *   zeroes to the end of the file                              read to its end
 *   an incomplete batch, and a later one                       refused: it was synced before the later one began
 *   the first batch is incomplete, or the file is too short    refused: it was synced before the file had its name
 *   a sector that is neither written nor unwritten, or that
 *   belongs to another file or place                           refused: no interrupted write leaves that
 * </pre>
 */
final class BatchLogReader {
    private static final Logger LOG = LoggerFactory.getLogger(BatchLogReader.class);
    private static final int MAX_FILE_BYTES = 1 << 28;

    private final Path file;
    private final ByteBuffer bytes;
    private final int sectors;
    private final List<ByteBuffer> batches = new ArrayList<>();

    private BatchLogReader(Path file, ByteBuffer bytes) {
        this.file = file;
        this.bytes = bytes;
        this.sectors = bytes.limit() / LogSector.BYTES;
    }

    /**
     * Reads the batches, in order.
     *
     * @throws IOException if the file is damaged; it names the file, the place and what to do
     */
    static List<ByteBuffer> read(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE_BYTES) {
            throw damaged(file, "is larger than such a log can be");
        }
        BatchLogReader reader = new BatchLogReader(file, ByteBuffer.wrap(Files.readAllBytes(file)));
        reader.readAll();
        return reader.batches;
    }

    private void readAll() throws IOException {
        LogSector first = sectors == 0 ? null : LogSector.parse(sector(0));
        if (first == null || first.tag().batch() != 0 || first.index() != 0) {
            throw damaged(file, "does not begin with a record of such a log");
        }
        if (bytes.limit() < BatchLog.lengthBytes(first.count())) {
            throw damaged(file, "is cut off at byte " + bytes.limit());
        }
        LogSector.Tag tag = first.tag();
        int at = 0;
        while (at < sectors && readBatch(tag, at)) {
            at += (int) (BatchLog.pages(countAt(at)) / LogSector.BYTES);
            tag = tag.next();
        }
        leaveOut(tag, at);
    }

    private int countAt(int at) {
        return Objects.requireNonNull(LogSector.parse(sector(at))).count();
    }

    private ByteBuffer sector(int number) {
        return bytes.slice(number * LogSector.BYTES, LogSector.BYTES);
    }

    /** Reads a batch. Returns false if it is incomplete. */
    private boolean readBatch(LogSector.Tag tag, int from) throws IOException {
        LogSector first = written(from);
        if (first == null || !first.tag().equals(tag) || first.index() != 0 || first.count() > sectors - from) {
            return false;
        }
        ByteBuffer batch = ByteBuffer.allocate(first.count() * LogSector.CONTENT_BYTES);
        for (int index = 0; index < first.count(); index++) {
            LogSector sector = written(from + index);
            if (sector == null) {
                return false;
            }
            if (!sector.tag().equals(tag) || sector.index() != index || sector.count() != first.count()) {
                throw misplaced(from + index);
            }
            batch.put(sector.content());
        }
        batches.add(batch.flip());
        return true;
    }

    /** The sector of that number; null if it was not written. */
    private @Nullable LogSector written(int number) throws IOException {
        ByteBuffer sector = sector(number);
        LogSector written = LogSector.parse(sector);
        if (written == null && !LogSector.isUnwritten(sector)) {
            throw damaged(file, "has a wrong checksum at byte " + number * LogSector.BYTES);
        }
        return written;
    }

    /** Checks what follows the last complete batch: it must be a part of the next one, or nothing. */
    private void leaveOut(LogSector.Tag tag, int from) throws IOException {
        boolean torn = false;
        for (int number = from; number < sectors; number++) {
            torn |= !LogSector.isEmpty(sector(number));
            LogSector sector = written(number);
            if (sector == null) {
                continue;
            }
            if (batches.isEmpty() || !sector.tag().equals(tag)) {
                throw damaged(
                        file,
                        "lacks a record at byte " + from * LogSector.BYTES + " although it has a later one at byte "
                                + number * LogSector.BYTES);
            }
            if (sector.index() != number - from) {
                throw misplaced(number);
            }
        }
        if (batches.isEmpty()) {
            throw damaged(file, "has lost a part of its beginning");
        }
        if (torn) {
            LOG.warn(
                    "NFSv4 recovery log {}: the record at byte {}, which was being written when the host stopped, is"
                            + " ignored; nothing of it had been acknowledged",
                    file,
                    from * LogSector.BYTES);
        }
    }

    private IOException misplaced(int number) {
        return damaged(file, "has a record that belongs elsewhere at byte " + number * LogSector.BYTES);
    }

    /** The error for a log that cannot be read. */
    static IOException damaged(Path file, String how) {
        return new IOException("NFSv4 recovery log " + file + " " + how
                + ": the medium has lost or changed what was synced, or it was made by an earlier version; move "
                + "it away to start"
                + " without it: clients then cannot reclaim their opens and locks");
    }
}
