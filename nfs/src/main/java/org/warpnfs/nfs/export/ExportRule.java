package org.warpnfs.nfs.export;

/** To whom an export is served, and how: {@code client(options)} of exports(5). */
public record ExportRule(HostPattern clients, ExportOptions options) {}
