# Sourced by run. Handles the guest's reports while its scenarios run, and their requests to the host.
# shellcheck shell=bash disable=SC2154

# answer TEXT: answers the client's request
answer() { echo "$1" >"$share/control.in"; }

# serve_request VERB [ARGUMENT...]: serves a scenario's request to the host
serve_request() {
  case $1 in
    capture)
      if capture_start "$directory/$2.pcap" "$server_interface" "$capture_mtu"; then answer done; else answer 'failed: tcpdump did not start'; fi ;;
    capture-end)
      [ -z "${resets_id:-}" ] || resets_stop || true # left by a check that failed before it stopped them
      capture_stop
      answer done ;;
    server-kill) server_kill; answer done ;;
    server-drain)
      server_stop >"$directory/server.complaint"
      if [ -s "$directory/server.complaint" ]; then answer "failed: $(cat "$directory/server.complaint")"; else answer done; fi ;;
    exports-reload)
      server_reload >"$directory/server.complaint"
      if [ -s "$directory/server.complaint" ]; then answer "failed: $(cat "$directory/server.complaint")"; else answer done; fi ;;
    kdc-stop) kdc_stop; answer done ;;
    kdc-start) if kdc_start >"$directory/kdc.complaint"; then answer done; else answer "failed: $(cat "$directory/kdc.complaint")"; fi ;;
    kdc-life) if kadmin "modprinc -maxlife ${2}sec nfs/server.lab"; then answer done; else answer 'failed: kadmin'; fi ;;
    kdc-tickets) if [ "$(kdc_tickets)" -ge "$2" ]; then answer done; else answer "failed: the KDC has given out $(kdc_tickets) tickets for the server"; fi ;;
    dataserver-kill) dataserver_kill "$2"; answer done ;;
    dataserver-start)
      if dataserver_start "$2" >"$directory/dataservers.complaint"; then answer done; else answer "failed: $(cat "$directory/dataservers.complaint")"; fi ;;
    dataservers-used)
      dataservers_used "$2" >"$directory/dataservers.complaint"
      if [ -s "$directory/dataservers.complaint" ]; then answer "failed: $(cat "$directory/dataservers.complaint")"; else answer done; fi ;;
    dataservers-idle) dataservers_before=$(dataservers_moved); answer done ;;
    dataservers-busy)
      if [ "$(dataservers_moved)" -gt "$dataservers_before" ]; then answer done; else answer 'failed: the data servers have moved nothing'; fi ;;
    client-evict)
      client_evict >"$directory/evict.complaint"
      if [ -s "$directory/evict.complaint" ]; then answer "failed: $(cat "$directory/evict.complaint")"; else answer done; fi ;;
    refused-late)
      refused_late "$2" >"$directory/refused.complaint"
      if [ -s "$directory/refused.complaint" ]; then answer "failed: $(cat "$directory/refused.complaint")"; else answer done; fi ;;
    metadata-replace) if ceph_metadata_replace "$2"; then answer done; else answer 'failed: no metadata server has become active'; fi ;;
    monitor-pause) if ceph_monitor_pause "$2"; then answer done; else answer 'failed: the monitor does not answer'; fi ;;
    osd-kill) if ceph_osd_kill; then answer done; else answer 'failed: the cluster does not notice that the OSD is gone'; fi ;;
    server-freeze) server_freeze "$2"; answer done ;;
    resets) resets_start; answer done ;;
    resets-end)
      if resets_stop; then answer done; else answer 'failed: hardly a connection was reset'; fi ;;
    # there is no client left to answer
    guest-kill)
      if guest_kill; then answer_of_host=''; else answer_of_host='the server waited for nothing'; fi
      report_line "$(verdict 'the guest is killed while the server waits for it' "$answer_of_host")" ;;
    partner-restart) partner_restart; answer done ;;
    partner) shift; if partner_ask "$@"; then answer done; else answer "failed: $partner_answer"; fi ;;
    server-start)
      # no command substitution, because this shell must get the ids that server_start sets
      if server_start >"$directory/server.complaint"; then answer done; else answer "failed: $(cat "$directory/server.complaint")"; fi ;;
    ours) verbs_client "${@:2}" ;;
    *) answer "failed: the host knows no $1" ;;
  esac
}

# follow_client: prints the client's reports and serves its requests until it has ended
follow_client() {
  local line='' piece verdict text doing=boot
  while :; do
    piece=''
    if IFS= read -r -t 1 -u "$client_port" piece; then
      line+=$piece
      verdict=${line%% *} text=${line#* }
      line=''
      case $verdict in
        begin) doing=$text ;;
        ok | FAIL) report "$verdict" "$run" "$text" ;;
        info) note "$run" "$text" ;;
        # shellcheck disable=SC2086 # a request is words
        ask) serve_request $text ;;
      esac
    else
      line+=$piece # a read that timed out may have taken half a line
      alive "$client_id" || break
    fi
  done
  status=0
  ended "$client_id" || status=$?
  [ -z "$guest_killed" ] || return 0
  case $status in
    0 | 1) ;;
    124) report FAIL "$run" "time limit, in: $doing" ;;
    *) report FAIL "$run" "the guest died (status $status), in: $doing" ;;
  esac
}
