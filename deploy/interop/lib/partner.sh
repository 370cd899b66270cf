# Sourced. Runs a second guest, which does what a scenario of the first guest requests.
# shellcheck shell=bash disable=SC2154

partner_id='' partner_answer=''

partner_start() {
  partner_share=$directory/partner
  mkdir -p "$partner_share"
  cp -r "$here/guest"/{partner,lib} "$share/environment" "$partner_share/"
  rm -f "$partner_share/control.out" # left by a guest that was killed
  start partner "$here/boot" -k "$kernel" -c -d "$partner_share" -n tap1,52:54:00:00:00:03 -a 10.8.0.3/24 -s "$(server_client_siw)" -u "$mtu" \
    -t "${WARPNFS_LAB_LIMIT:-900}" /share/partner >"$directory/partner.log" 2>&1
  partner_id=$id
  until_true 10 test -p "$partner_share/control.out" || return 0
  exec {partner_port}<>"$partner_share/control.out"
  partner_ready=''
}

# partner_line SECONDS: reads the next line of the second guest's dialogue into $partner_answer
partner_line() {
  partner_answer='the second guest says nothing'
  IFS= read -r -t "$1" -u "$partner_port" partner_answer || { partner_answer='the second guest says nothing'; return 1; }
}

# partner_ask VERB [ARGUMENT...]
partner_ask() {
  [ -n "$partner_id" ] || { partner_answer='there is no second guest'; return 1; }
  if [ -z "$partner_ready" ]; then
    partner_line 60 || return
    partner_ready=yes
  fi
  echo "$*" >"$partner_share/control.in"
  partner_line 120 || return
  [ "$partner_answer" = 'done' ] || { partner_answer=${partner_answer#failed: }; return 1; }
}

# partner_restart: kills the second guest, like a machine that loses power, and boots it again
partner_restart() {
  exec {partner_port}>&-
  stop "$partner_id" KILL || true
  partner_start
}

partner_stop() {
  [ -n "$partner_id" ] || return 0
  ! alive "$partner_id" || echo end >"$partner_share/control.in"
  until_true 30 partner_gone || true
  ended "$partner_id" || true
  exec {partner_port}>&-
  partner_id=''
}

partner_gone() { ! alive "$partner_id"; }

# partner_check SCENARIO...: checks the second guest's own counters and kernel messages, as far as the scenarios that it
# took part in do not excuse them
partner_check() {
  local stats=$partner_share/stats/partner.mnt scenario steady=yes gone=''
  for scenario; do
    scenario_wants "$scenario" partner || continue
    ! scenario_excuses "$scenario" reconnects >/dev/null || steady=''
    ! scenario_excuses "$scenario" server-gone >/dev/null || gone=restart
  done
  if [ ! -s "$stats" ]; then
    verdict "the second client's mountstats" 'there are none'
  elif [ -n "$steady" ]; then
    verdict "the second client's mountstats: no bad reply, no reconnect, no call sent twice" "$(stats_transport "$stats"; stats_steady "$stats")"
  else
    verdict "the second client's mountstats: no bad reply" "$(stats_transport "$stats")"
  fi
  verdict "the second client's dmesg has no complaint" "$(dmesg_complaints "$partner_share/dmesg" "$gone")"
}
