# Sourced by run. Does the verbs runs, which test iWARP without NFS: ./warpnfs iwarp against programs of librdmacm over
# siw, each as client of the other. Our servers run during all of them. Each run is one boot of the guest, in which
# guest/verbs does groups of checks.
# shellcheck shell=bash disable=SC2154

verbs_servers=() # ids
verbs_client_seconds=90

# The boots: name, module with options, MTU of the link, groups
verbs_boots=(
  'verbs siw 1500 to_us from_us many refused crc markers'
  'verbs-switched siw_switched 1500 crc_required crc_refused peer_to_peer mpa1'
  'verbs-9000 siw 9000 to_us from_us'
  'verbs-65000 siw 65000 to_us from_us'
)

# verbs_java WORD...: replaces this shell by ./warpnfs WORD... in a small JVM that starts quickly. A dozen of them run
# one after another or at once.
verbs_java() {
  WARPNFS_JAVA_OPTS='-Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1' exec setpriv --pdeathsig KILL "$tree/warpnfs" "$@"
}

# verbs_server NAME WORD...: starts a server in the background, with its log in $verbs/NAME.log
verbs_server() {
  local name=$1
  shift
  verbs_java "$@" --listen 10.8.0.1 >"$verbs/$name.log" 2>&1 &
  started[$!]=$name
  verbs_servers+=($!)
}

verbs_ready() { [ "$(grep -l '^ready' "$verbs"/*.log | wc -l)" = ${#verbs_servers[@]} ]; }

verbs_servers_start() {
  verbs=$results/verbs-servers
  mkdir -p "$verbs"
  verbs_server ping iwarp ping --server -p 7174
  verbs_server refusing iwarp ping --server -p 7175 --reject 'no room at the inn'
  verbs_server crc iwarp ping --server -p 7176 --crc required
  verbs_server send iwarp send-bw --server -p 18515
  verbs_server write iwarp write-bw --server -p 18516
  verbs_server read iwarp read-bw --server -p 18517
  verbs_server latency iwarp send-lat --server -p 18518
  verbs_server markers serve --rdma-port 20049 --tcp-port 2049 --backend memory --payload-memory 8m --markers
  until_true 60 verbs_ready || { echo "our servers did not get ready: $(tail -q -n 1 "$verbs"/*.log | tr '\n' ' ')"; return 1; }
}

# verbs_servers_stop: stops the servers and prints what is wrong
verbs_servers_stop() {
  local server status
  for server in "${verbs_servers[@]}"; do
    status=0
    alive "$server" || echo 'a server had ended by itself'
    stop "$server" || status=$?
    [ $status = 0 ] || echo "status $status after SIGTERM"
  done
  verbs_servers=()
}

# verbs_complaints DIRECTORY [LEFT_EARLY]: prints messages of our programs that are their own fault. A failed test at
# our server is one too, except that LEFT_EARLY clients may close the connection early (see measured in guest/verbs).
verbs_complaints() {
  grep -h -n -m 3 -E '\bERROR\b|Exception|OutOfMemoryError|LEAK|INTERNAL|internal error' "$1"/*.log | head -n 3 || true
  grep -h ', failed$' "$1"/*.log |
    awk -v early="${2:-0}" '/: the peer closed the connection, failed$/ && early-- > 0 { next } { print } ' | head -n 3
}

# verbs_left_early [RUN]: prints how many clients left early, in one run or in all
verbs_left_early() { cat /dev/null "$results"/${1:-*}/client/unmeasured | wc -l; }

# verbs_client WORD...: runs our client for the guest and answers with its last line
verbs_client() {
  local log status=0
  verbs_clients=$((verbs_clients + 1))
  log=$directory/ours.$verbs_clients.log
  (verbs_java iwarp "$@") >"$log" 2>&1 &
  started[$!]=client
  local client=$!
  until_true $verbs_client_seconds ended_by_itself "$client" || true
  stop "$client" || status=$?
  if [ $status = 0 ]; then answer "done $(tail -n 1 "$log")"; else answer "failed: $status $(tail -n 1 "$log")"; fi
}

ended_by_itself() { ! alive "$1"; }

# verbs_boot NAME SIW MTU GROUP...
verbs_boot() {
  local siw=$2 link=$3 chosen=() group
  run=$1 verbs_clients=0
  shift 3
  for group; do [ -n "$groups" ] && [[ " $groups " != *" $group "* ]] || chosen+=("$group"); done
  [ ${#chosen[@]} -gt 0 ] || return 0
  directory=$results/$run share=$results/$run/client
  mkdir -p "$share"
  cp "$here/guest"/{verbs,pinged,lib} "$share/"
  ip link set tap0 mtu "$link"
  capture_mtu=$link
  start client "$here/boot" -c -d "$share" -n tap0 -a 10.8.0.2/24 -s "$siw" -u "$link" -t "${WARPNFS_LAB_LIMIT:-300}" \
    /share/verbs "${chosen[@]}" >"$directory/boot.log" 2>&1
  client_id=$id
  until_true 10 test -p "$share/control.out" || { report FAIL "$run" 'the guest did not start'; return 0; }
  exec {client_port}<>"$share/control.out"
  follow_client
  exec {client_port}>&-
  capture_stop
  analyse_verbs
}

# analyse_verbs: runs in the background, like analyse
analyse_verbs() {
  local before=$failed
  collect
  analysed=$run analysed_directory=$directory failed_before=$before
  (
    verdict "the client's dmesg has no complaint" "$(dmesg_complaints "$share/dmesg" verbs)"
    verdict 'our clients logged no error' "$(verbs_complaints "$directory" "$(verbs_left_early "$run")" 2>/dev/null)"
    check_verbs_wire "$directory"/*.pcap
  ) >"$directory/analysis" 2>"$directory/analysis.log" &
  analysis_id=$!
  started[$analysis_id]=analysis
}

# verbs_runs: does all verbs runs
verbs_runs() {
  local boot
  verbs_servers_start >"$results/verbs.complaint" || { report FAIL verbs "$(cat "$results/verbs.complaint")"; return 0; }
  for boot in "${verbs_boots[@]}"; do
    # shellcheck disable=SC2086 # words
    verbs_boot $boot
  done
  collect
  run=verbs
  verbs_servers_stop >"$results/verbs.complaint" # no substitution: only this shell can wait for its children
  report_line "$(verdict 'our servers stop when told' "$(cat "$results/verbs.complaint")")"
  report_line "$(verdict 'our servers logged no error' "$(verbs_complaints "$verbs" "$(verbs_left_early)")")"
  ip link set tap0 mtu "$mtu"
}
