# Sourced. Disturbs the connections of the server at the request of a scenario.
# shellcheck shell=bash disable=SC2154

resets_id=''

# resets_start: until resets_stop, closes all NFS connections of the server at random moments with a TCP reset. Both
# ends see the reset. It uses `ss -K` on the server's kernel. Each connection adds a line to $directory/resets.1, or to
# resets.2 the next time.
resets_start() {
  resets_log=$directory/resets.1
  [ ! -e "$resets_log" ] || resets_log=$directory/resets.2
  : >"$resets_log"
  start resets bash -c '
    while :; do
      sleep "0.$((RANDOM % 10))"
      sleep $((RANDOM % 3))
      ss -K -t -n -H state established "( sport = :20049 or sport = :2049 )" >>"$1"
    done' resets "$resets_log"
  resets_id=$id
}

# resets_stop: ends the resets and returns whether at least three connections were reset
resets_stop() {
  stop "$resets_id" || true
  resets_id=''
  [ "$(wc -l <"$resets_log")" -ge 3 ]
}
