# Sourced by run. A guest that dies in the middle of I/O, as a machine does that loses its power: nobody closes its
# connections.
# shellcheck shell=bash disable=SC2154

guest_killed=''

# qemu_of ID: the emulator below that boot, which has a `timeout` between
qemu_of() { pgrep -P "$(pgrep -d , -P "$1")" -f '^qemu-system'; }

# unsent: what the server has sent, or wants to, and the client's kernel has not acknowledged, is there
unsent() { ss -t -n -H state established '( sport = :20049 or sport = :2049 )' | awk '$2 > 0 { n++ } END { exit !n }'; }

# guest_kill: at a moment in which the server waits for the guest: it is held until that is so, then killed. Whether
# there was one.
guest_kill() {
  local qemu try found=''
  qemu=$(qemu_of "$client_id") || return
  for ((try = 0; try < 100; try++)); do
    kill -s STOP "$qemu"
    sleep 0.2 # what is on the way arrives
    if unsent; then found=yes; break; fi
    kill -s CONT "$qemu"
    sleep 0.1
  done
  guest_killed=yes
  { # where bash would say that it was killed
    kill -s KILL "$client_id" # and the emulator with it
    wait "$client_id" || true
  } 2>/dev/null
  [ -n "$found" ]
}
