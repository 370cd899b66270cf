# Sourced. Tests of `warpnfs iwarp` that use RFC 7306, and what tshark must find in a capture of them.
# shellcheck shell=bash disable=SC2154

words_count=${WARPNFS_LAB_WORDS:-100}

# port, test, options of the client. send-lat sends both kinds of Immediate Data in turn.
words_tests=(
  '18515 atomic-lat --atomic fetch-add'
  '18516 atomic-lat --atomic compare-swap'
  '18517 send-lat --immediate'
)

words_java() {
  WARPNFS_JAVA_OPTS='-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' exec setpriv --pdeathsig KILL "$tree/warpnfs" iwarp "$@"
}

# The content of Sends belongs to no protocol here.
tshark_words=(tshark -n -o tcp.try_heuristic_first:TRUE --disable-protocol rpcordma)

# words_dissect CAPTURE TABLE: writes a line per frame, and to TABLE.text the names that tshark has for operations.
# tshark 4.0 has none for Immediate Data, and does not show its eight bytes; they are in the TCP payload.
words_dissect() {
  local field arguments=()
  for field in tcp.srcport tcp.dstport iwarp_rdma.opcode iwarp_ddp.qn iwarp_mpa.ulpdulength iwarp_rdma.atomic.opcode \
    iwarp_rdma.atomic.request_identifier iwarp_rdma.atomic.add_data iwarp_rdma.atomic.add_mask \
    iwarp_rdma.atomic.compare_data iwarp_rdma.atomic.compare_mask iwarp_rdma.atomic.swap_data iwarp_rdma.atomic.swap_mask \
    iwarp_rdma.atomic.original_request_identifier iwarp_rdma.atomic.original_remote_data_value tcp.payload _ws.malformed; do
    arguments+=(-e "$field")
  done
  {
    "${tshark_words[@]}" -r "$1" -T fields -E separator=/t -E occurrence=a "${arguments[@]}" >"$2" || echo "tshark ended with status $?" >&2
    "${tshark_words[@]}" -r "$1" -V -O iwarp_ddp_rdmap >"$2.text" || echo "tshark ended with status $?" >&2
  } 2>"$2.log"
}

# The columns of the table as awk variables; a frame has one word. `word` is the eight bytes behind the headers.
words_columns='BEGIN { FS = "\t" }
  { source = $1; sink = $2; opcode = $3; queue = $4; ulpdu = $5; atomic = $6; id = $7; add = $8; add_mask = $9; compare = $10
    compare_mask = $11; swap = $12; swap_mask = $13; answered = $14; original = $15; word = substr($16, 41, 16); malformed = $17 }'

# Each of these functions prints what is wrong, or nothing.

words_readable() { # TABLE
  grep -v -e 'Running as user' -e '^ *$' "$1.log" || true
  [ -s "$1" ] || echo 'no frame was dissected'
}

words_malformed() { # TABLE
  awk "$words_columns"' malformed != "" { n++ } END { if (n) print n " malformed frames" }' "$1"
}

# words_named TABLE: the names of operations by which tshark knows them
words_named() {
  local name found
  for name in 'Atomic Request (0xa)' 'Atomic Response (0xb)' 'FetchAdd (0)' 'CmpSwap (2)'; do
    found=$(grep -c -F "OpCode: $name" "$1.text" || true)
    case $name in Atomic*) [ "$found" = $((2 * words_count)) ] ;; *) [ "$found" = $words_count ] ;; esac || echo "$found of $name;"
  done
}

# words_atomic TABLE PORT OPERATION: checks that each request counts on from the one before, on queue 1, and that its
# answer, on queue 3, names it and has the number before it
words_atomic() {
  awk -v port="$2" -v operation="$3" -v count="$words_count" "$words_columns"'
    sink == port && opcode == "0x0a" {
      ids[requests] = id; ones = "0xffffffffffffffff"
      right = queue == 1 && ulpdu == 70 && atomic == operation
      if (operation == 0) right = right && add == 1 && add_mask == "0x0000000000000000"
      else right = right && compare == requests && swap == requests + 1 && compare_mask == ones && swap_mask == ones
      if (!right) wrong++
      requests++
    }
    source == port && opcode == "0x0b" {
      if (queue != 3 || ulpdu != 30 || answered != ids[answers] || original != answers) wrong++
      answers++
    }
    BEGIN { requests = answers = 0 }
    END {
      if (requests != count || answers != count) print requests " requests and " answers " answers, not " count ";"
      if (wrong) print wrong " with wrong fields"
    }' "$1"
}

# words_immediate TABLE PORT: checks that both ends send both kinds of Immediate Data in turn, on queue 0, counting
words_immediate() {
  awk -v port="$2" -v count="$words_count" "$words_columns"'
    opcode == "0x08" || opcode == "0x09" {
      n = sink == port ? ++asked : ++answered_so_far
      if (queue != 0 || ulpdu != 26 || word != sprintf("%016x", n) || opcode != (n % 2 ? "0x08" : "0x09")) wrong++
    }
    END {
      if (asked + 0 != count || answered_so_far + 0 != count) print asked + 0 " one way and " answered_so_far + 0 " the other, not " count ";"
      if (wrong) print wrong " with wrong fields"
    }' "$1"
}

# check_words CAPTURE: prints a line for each check
check_words() {
  words_dissect "$1" "$1.table"
  verdict 'tshark reads the capture' "$(check_drops "$1"; words_readable "$1.table")"
  verdict 'tshark knows the atomic operations by their names' "$(words_named "$1.table")"
  verdict "tshark: $words_count requests of FetchAdd, each with its answer" "$(words_atomic "$1.table" 18515 0)"
  verdict "tshark: $words_count requests of CmpSwap, each with its answer" "$(words_atomic "$1.table" 18516 2)"
  verdict "tshark: $words_count messages of Immediate Data each way, with and without Solicited Event" "$(words_immediate "$1.table" 18517)"
  verdict 'tshark: nothing malformed' "$(words_malformed "$1.table")"
}
