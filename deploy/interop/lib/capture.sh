# Sourced. Captures the packets of one scenario on the tap, outside the guest.
# shellcheck shell=bash

capture_id=''

listening() { grep -q '^tcpdump: listening' "$1" || ! alive "$capture_id"; }

# capture_start FILE INTERFACE MTU: captures whole frames, and returns when tcpdump listens. The kernel's buffer has a
# slot of the snap length for each frame. With a snap length near the MTU, it holds many frames.
capture_start() {
  start tcpdump tcpdump -n -i "$2" -s $(($3 + 64)) -B 131072 --immediate-mode -Z root -w "$1" 2>"$1.log"
  capture_id=$id
  until_true 10 listening "$1.log" && alive "$capture_id"
}

capture_stop() {
  [ -n "$capture_id" ] || return 0
  sleep 0.3 # tcpdump still has to read the last frames, such as the client's FIN
  stop "$capture_id" INT || true
  capture_id=''
}

# check_drops FILE: prints what is wrong if frames were dropped; such a capture proves nothing
check_drops() {
  local dropped
  dropped=$(sed -n 's/^\([0-9]*\) packets dropped by kernel.*/\1/p' "$1.log")
  case $dropped in
    0) ;;
    '') echo "tcpdump did not end as it should: $(tail -n 1 "$1.log")" ;;
    *) echo "$dropped frames were dropped" ;;
  esac
}
