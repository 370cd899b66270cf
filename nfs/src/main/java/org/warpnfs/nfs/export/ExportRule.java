package org.warpnfs.nfs.export;

/** One {@code client(options)} of exports(5): hosts, and how an export is served to them. */
public record ExportRule(HostPattern clients, ExportOptions options) {}
