# Sourced. Prints the results of a run, one line per check, and counts them.
# shellcheck shell=bash

passed=0 failed=0

# report ok|FAIL RUN TEXT...
report() {
  local verdict=$1 run=$2
  shift 2
  case $verdict in
    ok) passed=$((passed + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
  printf '%-4s %-16s %s\n' "$verdict" "$run" "$*"
}

# report_file RUN FILE: reports the lines that checks wrote, each "ok TEXT" or "FAIL TEXT"
report_file() {
  local verdict text
  while read -r verdict text; do report "$verdict" "$1" "$text"; done <"$2"
}

note() { printf '     %-16s %s\n' "$1" "$2"; }

# verdict TEXT WHAT_IS_WRONG: prints a check's line; it is "ok" if WHAT_IS_WRONG is empty
verdict() {
  if [ -z "$2" ]; then echo "ok $1"; else echo "FAIL $1: $(tr '\n' ' ' <<<"$2")"; fi
}

closing_line() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
