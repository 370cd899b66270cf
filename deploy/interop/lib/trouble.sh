# Sourced. What a scenario has the host do to the connections of the server.
# shellcheck shell=bash disable=SC2154

resets_id=''

# resets_start: until resets_stop, at random moments, all of the server's connections that carry NFS are closed with a
# TCP reset, which both ends see (`ss -K`, of the kernel that the server runs on). One line for each in
# $directory/resets.1, the next time resets.2.
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

# resets_stop: whether it were a few connections at least
resets_stop() {
  stop "$resets_id" || true
  resets_id=''
  [ "$(wc -l <"$resets_log")" -ge 3 ]
}
