# Sourced. Checks captures with tshark. One pass makes a table, and all checks use the table.
# shellcheck shell=bash

wire_fields=(frame.number tcp.stream iwarp_mpa.req iwarp_mpa.rep iwarp_rdma.opcode rpcordma.msg_type rpcordma.errcode rpc.msgtyp
  _ws.malformed frame.len frame.cap_len iwarp_mpa.rej_flag)

# The NFS dissector is off. It does not reassemble Write chunks, so it fails on READ replies. An FPDU that begins in the
# same TCP segment and ends in a later one is then never reassembled, and tshark reads file data as headers from there
# on. Heuristics come before port numbers, because the client's port is a reserved one and may belong to another
# protocol (705 is AgentX).
tshark_below_nfs=(tshark -n --disable-protocol nfs -o tcp.try_heuristic_first:TRUE)

# dissect CAPTURE TABLE PROTO: makes the table of a capture. For RDMA, tshark reads CAPTURE.recut, in which each FPDU
# begins a segment (recut.c says why). PROTO is rdma, tcp or verbs. verbs means RDMA on any port without RPC, which
# tshark would otherwise look for in each message.
dissect() {
  local field source=$1 arguments=() ports=()
  [ "$3" != verbs ] || { ports=(any); arguments=(--disable-protocol rpcordma); }
  for field in "${wire_fields[@]}"; do arguments+=(-e "$field"); done
  {
    [ "$3" = tcp ] || { source=$1.recut; "${recut:-$here/out/recut}" "$1" "$source" "${ports[@]}" || true; }
    "${tshark_below_nfs[@]}" -r "$source" -T fields -E separator=/t -E occurrence=a "${arguments[@]}" >"$2" || echo "tshark ended with status $?" >&2
  } 2>"$2.log"
}

# The columns of the table as awk variables. A frame can hold several FPDUs, so most are lists separated by commas.
wire_columns='function has(list, value,  n, i, parts) { n = split(list, parts, ","); for (i = 1; i <= n; i++) if (parts[i] == value) return 1; return 0 }
  function count(list,  parts) { return list == "" ? 0 : split(list, parts, ",") }
  BEGIN { FS = "\t" }
  { frame = $1; stream = $2; request = $3; reply = $4; opcodes = $5; types = $6; errcodes = $7; calls = $8; malformed = $9; length_bytes = $10; captured = $11; rejections = $12 }'

# wire_awk TABLE PROGRAM
wire_awk() { awk "$wire_columns $2" "$1"; }

# Each of these functions prints what is wrong, or nothing.

wire_readable() { # TABLE [SCENARIO]: what tshark and recut said; a connection that is cut off leaves half an FPDU behind
  grep -v -e 'Running as user' -e '^ *$' "$1.log" |
    if [ -n "${2:-}" ] && scenario_excuses "$2" cut-off; then grep -v 'at the end of a connection'; else cat; fi
}

wire_whole() { # TABLE
  wire_awk "$1" 'captured + 0 < length_bytes + 0 { n++ } END { if (n) print n " frames were cut by the snap length" }'
}

wire_terminates() { # TABLE [MOST]: so many are expected, none by default
  wire_awk "$1" 'has(opcodes, "0x07") { n++; if (n == 1) first = frame } END { if (n > '"${2:-0}"') print n " Terminate messages, the first in frame " first }'
}

wire_errors() {
  wire_awk "$1" 'has(types, "4") || errcodes != "" { n++; if (n == 1) first = frame } END { if (n) print n " RDMA_ERROR messages, the first in frame " first }'
}

# tshark calls a TCP segment malformed if it was sent again with other boundaries. This is not a fault.
wire_malformed() {
  wire_awk "$1" '
    { gsub(/\[Reassembly error, protocol TCP: New fragment overlaps old data \(retransmission\?\)\]|_ws\.malformed|,/, "", malformed) }
    malformed != "" { n++; if (n == 1) first = frame " " malformed }
    END { if (n) print n " malformed frames below NFS, the first is " first }'
}

# These checks fail on an empty or foreign capture. They require a handshake on every stream with FPDUs, and messages of
# each kind in both directions.
wire_rdma_present() { # TABLE [CONNECTIONS [UNANSWERED]]: the least number of handshakes; UNANSWERED may lack a reply
  wire_awk "$1" '
    request != "" { requests++ } reply != "" { replies++ }
    { fpdus += count(opcodes); if (has(types, "0")) messages++; if (has(calls, "0")) called++; if (has(calls, "1")) replied++ }
    END {
      if (!requests || replies > requests || requests - replies > '"${3:-0}"') print "MPA requests and replies: " requests + 0 ", " replies + 0
      if (replies < '"${2:-1}"') print replies + 0 " connections, not " '"${2:-1}"'
      if (fpdus < 10) print fpdus + 0 " FPDUs"
      if (!messages) print "no RDMA_MSG"
      if (!called || !replied) print "RPC calls and replies: " called + 0 ", " replied + 0
    }'
}

wire_tcp_present() { # TABLE
  wire_awk "$1" '
    { called += has(calls, "0"); replied += has(calls, "1"); fpdus += count(opcodes) }
    END {
      if (called < 5 || replied < 5) print "RPC calls and replies: " called + 0 ", " replied + 0
      if (fpdus) print fpdus " FPDUs in a capture of proto=tcp"
    }'
}

# wire_verbs_present TABLE CONNECTIONS FPDUS: checks for at least that many, and for a reply to each MPA request
wire_verbs_present() {
  wire_awk "$1" '
    request != "" { requests++ } reply != "" { replies++ } { fpdus += count(opcodes) }
    END {
      if (requests != replies) print "MPA requests and replies: " requests + 0 ", " replies + 0
      if (replies < '"$2"') print replies + 0 " connections, not " '"$2"'
      if (fpdus < '"$3"') print fpdus + 0 " FPDUs, not " '"$3"'
    }'
}

# wire_count TABLE TERMINATES REJECTIONS: checks for exactly that many
wire_count() {
  wire_awk "$1" '
    has(opcodes, "0x07") { terminates++; if (terminates == 1) first = frame }
    has(rejections, "1") || has(rejections, "True") { rejected++ }
    END {
      if (terminates + 0 != '"$2"') print terminates + 0 " Terminate messages, not " '"$2"' (first ? ", the first in frame " first : "")
      if (rejected + 0 != '"$3"') print rejected + 0 " MPA replies that reject, not " '"$3"'
    }'
}

# wire_crc CAPTURE: checks that every FPDU of the capture has a good CRC. tshark gives the result only as text, so this
# needs a separate pass.
wire_crc() {
  { "${tshark_below_nfs[@]}" -r "$1.recut" -V -O iwarp_mpa 2>/dev/null || echo "tshark ended with status $?"; } | awk '
    /^tshark ended/ { print }
    /CRC check:.*Good CRC32/ { good++ } /CRC check:.*Bad CRC32/ { bad++ } /CRC: 0x/ { unchecked++ }
    END { if (bad) print bad " bad CRCs"; if (unchecked) print unchecked " FPDUs without CRC"; if (good < 10) print good + 0 " good CRCs" }'
}

# each QUESTION CAPTURE...: prints what is wrong by capture. QUESTION gets the capture's file and its table.
each() {
  local question=$1 capture wrong
  shift
  for capture; do
    wrong=$("$question" "$capture" "$capture.table" | tr '\n' ' ')
    [ -z "$wrong" ] || echo "${capture##*/}: $wrong;"
  done
}

ask_complete() { check_drops "$1"; wire_readable "$2" "$(basename "$1" .pcap)"; wire_whole "$2"; }
# A server that is killed closes its connections before its listening socket. In between a client can connect again
# without an answer. A reset may also hit a connection before its handshake is complete. The head of the scenario states
# how often this may happen, and how many connections there must be.
ask_rdma() {
  local scenario connections unanswered
  scenario=$(basename "$1" .pcap)
  connections=$(scenario_excuses "$scenario" connections) || connections=1
  unanswered=$(scenario_excuses "$scenario" unanswered) || unanswered=0
  wire_rdma_present "$2" "$connections" "$unanswered"
}
ask_tcp() { wire_tcp_present "$2"; }
# Callbacks use the program number that Linux chose. In version 4.0 they use a connection that the server makes, in
# later versions the mount's own connection in the other direction. Each callback must have a reply. At least two
# delegations must be recalled, and the client must accept. NFS is dissected here, because a scenario with callbacks
# reads no more than fits inline.
wire_callbacks() { # CAPTURE VERSION [LEAST]: the least number of CB_NULLs, 1 by default
  local source=$1
  [ ! -e "$1.recut" ] || source=$1.recut
  tshark -n -o tcp.try_heuristic_first:TRUE -r "$source" -Y 'rpc.program == 0x40000000' -T fields -e rpc.msgtyp -e rpc.procedure \
    -e nfs.cb.operation -e nfs.nfsstat4 -e tcp.srcport -e tcp.dstport 2>/dev/null | awk -F '\t' -v version="$2" '
    { # a frame may carry several messages, all of one type
      messages = split($1, types, ","); split($2, procedures, ","); operations = split($3, operation, ",")
      for (i = 1; i <= messages; i++) n[types[i] + 0, procedures[i] + 0]++
      for (i = 1; i <= operations; i++) if (operation[i] == 4) recalls[types[1] + 0]++
      if (types[1] == 1 && operations && $4 ~ /[1-9]/) refused = $4
      port = types[1] == 0 ? $5 : $6; all += messages; if (port == 2049 || port == 20049) shared += messages
    }
    END {
      if (n[0, 0] + 0 < '"${3:-1}"' || !n[0, 1]) print "CB_NULL, CB_COMPOUND calls: " n[0, 0] + 0 ", " n[0, 1] + 0
      if (n[0, 0] + 0 != n[1, 0] + 0 || n[0, 1] + 0 != n[1, 1] + 0) print "replies: " n[1, 0] + 0 ", " n[1, 1] + 0
      if (recalls[0] < 2 || recalls[1] + 0 != recalls[0] + 0) print "CB_RECALL calls and replies: " recalls[0] + 0 ", " recalls[1] + 0
      if (refused != "") print "CB_RECALL is answered by " refused
      if (version == "4.0" && shared) print shared " callbacks of version 4.0 on the mount" sprintf("%c", 39) "s connection"
      if (version != "4.0" && shared + 0 != all + 0) print all - shared " callbacks beside the mount" sprintf("%c", 39) "s connection"
    }'
}

ask_callbacks() {
  # the kernel's own server does not probe a backchannel of version 4.1 and later with CB_NULL
  case ${1##*/} in delegation.*) wire_callbacks "$1" "$version" "$([ "${server:-}" = knfsd ] && [ "$version" != 4.0 ] && echo 0)" ;; esac
}
ask_errors() {
  local most
  most=$(scenario_excuses "$(basename "$1" .pcap)" terminates) || most=0
  wire_terminates "$2" "$most"
  wire_errors "$2"
}
ask_malformed() { wire_malformed "$2"; }
ask_crc() { wire_crc "$1"; }

# What the capture of each group of verbs must have: connections, FPDUs, Terminates, rejections, CRC
verbs_expected() {
  case $(basename "$1" .pcap) in
    to_us) echo 21 1000 0 0 off ;;
    from_us) echo 9 1000 0 0 off ;;
    many) echo 177 3000 0 0 off ;;
    refused) echo 4 0 0 3 off ;;
    crc) echo 2 100 0 0 on ;;
    crc_required) echo 8 1000 0 0 on ;;
    crc_refused) echo 2 0 0 1 off ;;
    markers) echo 2 0 0 1 off ;;
    peer_to_peer) echo 24 500 0 0 off ;;
    mpa1) echo 6 1000 0 0 off ;;
    *) return 1 ;;
  esac
}

ask_verbs() {
  local expected
  expected=$(verbs_expected "$1") || { echo 'nobody knows what to expect of it'; return; }
  # shellcheck disable=SC2086 # numbers
  set -- "$1" "$2" $expected
  wire_verbs_present "$2" "$3" "$4"
  wire_count "$2" "$5" "$6"
  [ "$7" = off ] || wire_crc "$1"
}

# check_verbs_wire CAPTURE...: prints a line for each check of a verbs run's captures
check_verbs_wire() {
  local capture
  [ $# -gt 0 ] || { verdict 'captures' 'there are none'; return; }
  for capture; do dissect "$capture" "$capture.table" verbs; done
  verdict "$# captures are complete" "$(each ask_complete "$@")"
  verdict 'tshark: handshakes, FPDUs, rejections, Terminates and CRCs as they should be' "$(each ask_verbs "$@")"
  verdict 'tshark: nothing malformed' "$(each ask_malformed "$@")"
}

# check_wire PROTO CRC CAPTURE...: prints a line for each check of a run's captures
check_wire() {
  local proto=$1 crc=$2 capture
  shift 2
  [ $# -gt 0 ] || { verdict 'captures' 'there are none'; return; }
  for capture; do dissect "$capture" "$capture.table" "$proto"; done
  verdict "$# captures are complete" "$(each ask_complete "$@")"
  if [ "$proto" = rdma ]; then
    verdict 'tshark: MPA handshake, FPDUs and RPC over RDMA in each capture' "$(each ask_rdma "$@")"
    verdict 'tshark: no unexpected Terminate, no RDMA_ERROR' "$(each ask_errors "$@")"
    [ "$crc" = off ] || verdict 'tshark: each FPDU has a good CRC' "$(each ask_crc "$@")"
  else
    verdict 'tshark: RPC over TCP in each capture' "$(each ask_tcp "$@")"
  fi
  [[ " ${*##*/}" != *' delegation.pcap'* ]] || verdict 'tshark: callbacks and their replies' "$(each ask_callbacks "$@")"
  verdict 'tshark: nothing malformed below NFS' "$(each ask_malformed "$@")"
}
