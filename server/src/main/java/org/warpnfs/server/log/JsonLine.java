package org.warpnfs.server.log;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.KeyValuePair;

/**
 * One JSON object for each line, with whose call it is about in {@code kvpList}. Text of a peer stays within its
 * string, and moves no cursor where the line is looked at.
 */
final class JsonLine extends JsonEncoder {
    @Override
    public byte[] encode(ILoggingEvent line) {
        if (line instanceof LoggingEvent event) {
            for (KeyValuePair pair : CallPairs.missing(line)) {
                event.addKeyValuePair(pair);
            }
        }
        String json = new String(super.encode(line), StandardCharsets.UTF_8);
        // The last character ends the line.
        int end = json.stripTrailing().length();
        return (Printable.json(json.substring(0, end)) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }
}
