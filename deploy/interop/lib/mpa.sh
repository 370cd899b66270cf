# Sourced. Checks with tshark a capture of sessions that differ in MPA: CRC, markers, revision, RTR. The capture comes
# with a list (MpaModes.java writes both). The list has a line per TCP stream: number, name, CRC on or off, FPDUs, last
# FPDUs of a message, markers.
# shellcheck shell=bash

# The content of these Sends belongs to no protocol, but one dissector mistakes it for its own.
tshark_mpa=(tshark -n -o tcp.try_heuristic_first:TRUE --disable-protocol rpcordma)

# mpa_dissect CAPTURE TABLE: writes one line per frame to TABLE, and faults of the capture itself to TABLE.log.
# TABLE.crc gets the results of CRC checks by frame, which tshark gives only as text.
mpa_dissect() {
  local field arguments=()
  for field in tcp.stream frame.number tcp.srcport tcp.seq tcp.len iwarp_mpa.ulpdulength iwarp_ddp.last_flag \
    iwarp_mpa.marker_fpduptr iwarp_mpa.req iwarp_mpa.rep _ws.malformed iwarp_mpa.bad_length; do
    arguments+=(-e "$field")
  done
  {
    "${tshark_mpa[@]}" -r "$1" -T fields -E separator=/t -E occurrence=a "${arguments[@]}" >"$2" || echo "tshark ended with status $?" >&2
    { "${tshark_mpa[@]}" -r "$1" -V -O iwarp_mpa || echo "tshark ended with status $?" >&2; } | awk '
      /^Frame [0-9]+:/ { frame = $2 + 0 }
      /CRC check:.*Good CRC32/ { print frame, "good" } /CRC check:.*Bad CRC32/ { print frame, "bad" }' >"$2.crc"
  } 2>"$2.log"
}

# The columns of the table as awk variables.
mpa_columns='BEGIN { FS = "\t" }
  function count(list,  parts) { return list == "" ? 0 : split(list, parts, ",") }
  { stream = $1; frame = $2; port = $3; seq = $4; length_bytes = $5; ulpdu = $6; last = $7; pointers = $8; request = $9; reply = $10
    malformed = $11 $12 }'

# Each of these functions prints what is wrong, or nothing.

mpa_readable() { # TABLE
  grep -v -e 'Running as user' -e '^ *$' "$1.log" || true
  [ -s "$1" ] || echo 'no frame was dissected'
}

mpa_malformed() { # TABLE
  awk "$mpa_columns"' malformed != "" { n++; if (n == 1) first = frame }
    END { if (n) print n " malformed frames, the first is " first }' "$1"
}

# mpa_counts LIST TABLE: checks that each stream has the FPDUs, last FPDUs and markers that we sent
mpa_counts() {
  awk "$mpa_columns"'
    FILENAME == ARGV[1] { split($0, want, " "); listed[want[1]] = want[2] " " want[4] " FPDUs, " want[5] " last, " want[6] " markers"; streams++; next }
    { startup[stream] += (request != "") + (reply != ""); fpdus[stream] += count(ulpdu); markers[stream] += count(pointers) }
    { n = split(last, flags, ","); for (i = 1; i <= n; i++) lasts[stream] += flags[i] == "1" || flags[i] == "True" }
    END {
      if (!streams) print "the list is empty"
      for (s in listed) {
        split(listed[s], name, " ")
        got = name[1] " " fpdus[s] + 0 " FPDUs, " lasts[s] + 0 " last, " markers[s] + 0 " markers"
        if (got != listed[s]) print "stream " s ": sent " listed[s] "; tshark has " got ";"
        if (startup[s] != 2) print "stream " s ": " startup[s] + 0 " startup frames;"
      }
    }' "$1" "$2"
}

# mpa_crc LIST TABLE: checks that each FPDU has a good CRC in streams with CRC, and none in the others
mpa_crc() {
  awk -v crc_file="$2.crc" "$mpa_columns"'
    BEGIN { while ((getline line < crc_file) > 0) { split(line, word, " "); if (word[2] == "good") good[word[1]]++; else bad[word[1]]++ } }
    FILENAME == ARGV[1] { split($0, want, " "); on[want[1]] = want[3] == "on"; next }
    ulpdu != "" {
      n = count(ulpdu); all += n
      if (bad[frame]) { wrong++; if (wrong == 1) first = frame }
      if (on[stream] && good[frame] != n) missing++
      if (!on[stream] && good[frame]) unasked++
      right += good[frame]
    }
    END {
      if (wrong) print wrong " frames with a bad CRC, the first is " first ";"
      if (missing) print missing " FPDUs without the CRC that was agreed on;"
      if (unasked) print unasked " FPDUs with a CRC that nobody asked for;"
      if (!right) print "no CRC was checked"
    }' "$1" "$2"
}

# mpa_markers LIST TABLE: checks the pointers in the markers. tshark reads a marker at each place where one must be, but
# does not check its content. Each marker must point back to the length field of its FPDU. That field begins the
# segment, or follows a marker that begins the segment (RFC 5044, section 4.3).
mpa_markers() {
  awk "$mpa_columns"'
    FILENAME == ARGV[1] { split($0, want, " "); expected += want[6]; next }
    ulpdu != "" && !((stream, port) in start) { start[stream, port] = seq }
    pointers != "" {
      before = (512 - (seq - start[stream, port]) % 512) % 512
      n = split(pointers, pointer, ",")
      for (i = 1; i <= n; i++) {
        at = before + 512 * (i - 1)
        right = before == 0 ? (i == 1 ? 0 : at - 4) : at
        checked++
        if (pointer[i] != right) { wrong++; if (wrong == 1) first = frame " with " pointer[i] " in place of " right }
      }
    }
    END {
      if (wrong) print wrong " markers that point elsewhere, the first in frame " first ";"
      if (checked + 0 != expected + 0) print checked + 0 " markers, not " expected + 0
      if (!checked) print "no marker was checked"
    }' "$1" "$2"
}

# check_mpa LIST CAPTURE: prints a line for each check
check_mpa() {
  mpa_dissect "$2" "$2.table"
  verdict 'tshark reads the capture' "$(mpa_readable "$2.table")"
  verdict "tshark: $(wc -l <"$1") streams have the FPDUs, messages and markers that we sent" "$(mpa_counts "$1" "$2.table")"
  verdict 'tshark: each FPDU has a good CRC where that was agreed on' "$(mpa_crc "$1" "$2.table")"
  verdict 'each marker points to the start of its FPDU' "$(mpa_markers "$1" "$2.table")"
  verdict 'tshark: nothing malformed' "$(mpa_malformed "$2.table")"
}
